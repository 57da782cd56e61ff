// Finds the first error in a text that is not JSON, and says where it is.

// Matches up to a character that a string must escape: a quote, a backslash, a control character.
const plainCharacters = new RegExp(`[^"\\\\${String.raw`\u0000-\u001f`}]*`, "y");
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const token = /([[{\]},:])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const blank = /[ \t\r\n]*/y;

/**
 * The end of the string at `at`; undefined if it has an error. In steps: one expression would overflow on a long
 * string.
 */
function endOfString(text: string, at: number): number | undefined {
  for (let end = at + 1; ; end = escaped.lastIndex) {
    plainCharacters.lastIndex = end;
    plainCharacters.exec(text);
    end = plainCharacters.lastIndex;
    if (text[end] === '"') return end + 1;
    escaped.lastIndex = end;
    if (!escaped.test(text)) return undefined;
  }
}

/** The token at `at` and its end; a punctuation mark is returned as itself. Undefined if there is no token of JSON. */
function tokenAt(text: string, at: number): { kind: string; end: number } | undefined {
  if (text[at] === '"') {
    const end = endOfString(text, at);
    return end === undefined ? undefined : { kind: "string", end };
  }
  token.lastIndex = at;
  const found = token.exec(text);
  return found === null ? undefined : { kind: found[1] ?? "scalar", end: token.lastIndex };
}

/** The index of the first error in a text that is not JSON. */
function faultIn(text: string): number {
  const open: string[] = []; // the marks that must close what is open
  let expected = "value";
  for (let end = 0; ; ) {
    blank.lastIndex = end;
    blank.exec(text);
    const at = blank.lastIndex;
    const found = tokenAt(text, at);
    if (found === undefined) return at;
    const { kind } = found;
    end = found.end;
    if (kind === open.at(-1) && /end|comma/.test(expected)) {
      open.pop();
      expected = "comma";
    } else if (kind === "string" && /key/.test(expected)) expected = "colon";
    else if (kind === ":" && expected === "colon") expected = "value";
    else if (kind === "," && expected === "comma" && open.length > 0) expected = open.at(-1) === "}" ? "key" : "value";
    else if (!expected.startsWith("value")) return at;
    else if (kind === "{" || kind === "[") {
      open.push(kind === "{" ? "}" : "]");
      expected = kind === "{" ? "key or end" : "value or end";
    } else if (kind === "string" || kind === "scalar") expected = "comma";
    else return at;
  }
}

/**
 * The message for a text that is not JSON, which the message calls `noun`: it names the place of the first error, and
 * repeats nothing of the text, which may be a secret. JavaScript's own message gives no place for a long text, and
 * quotes a short one.
 */
export function invalidJson(noun: string, text: string): string {
  const before = text.slice(0, faultIn(text)).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `${noun} is not valid JSON: the error is at line ${before.length}, column ${column}`;
}
