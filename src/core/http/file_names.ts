// Reads the name of a part of a form and that of its file, as browsers, curl, Go, .NET and PowerShell write them into
// Content-Disposition.

/**
 * A parameter of the header: its name, and its value in quotes or without. In quotes `\"` is a quote, and any other
 * backslash is itself.
 */
const parameter = /;[ \t]*([^ \t=;"]+)=(?:"((?:[^"\\]|\\"?)*)|([^;"][^;]*)?)/g;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of UTF-8, or undefined if the bytes are none. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The value of `filename*` (RFC 8187): a charset, a language, and percent-encoded bytes. Undefined if it cannot be
 * decoded.
 */
function extendedValue(value: string): string | undefined {
  const [charset = "", , ...rest] = value.split("'");
  const encoded = rest.join("'");
  if (value.split("'", 3).length < 3 || /%(?![0-9A-Fa-f]{2})|[^\x20-\x7e]/.test(encoded)) return undefined;
  const bytes = Buffer.from(
    encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  if (/^utf-8$/i.test(charset)) return textOf(bytes);
  return /^iso-8859-1$/i.test(charset) ? bytes.toString("latin1") : undefined;
}

/** A name that .NET wrote as encoded words of UTF-8 (RFC 2047), decoded; any other one as it is. */
function withoutEncodedWords(name: string): string {
  if (!/^=\?utf-8\?b\?/i.test(name)) return name;
  const words = name.split(/\?=[ \t]*/);
  if (words.pop() !== "" || !words.every((word) => /^=\?utf-8\?b\?[A-Za-z0-9+/]*={0,2}$/i.test(word))) return name;
  return textOf(Buffer.concat(words.map((word) => Buffer.from(word.slice("=?utf-8?b?".length), "base64")))) ?? name;
}

/** What browsers and curl write for a quote and for the ends of lines. */
const escaped: Readonly<Record<string, string>> = { "%22": '"', "%0d": "\r", "%0a": "\n" };

/** The name of a part, and the name of its file: null for a field, "" for a file without one. */
export function namesOfPart(disposition: string): { name: string | null; file_name: string | null } {
  const values = new Map<string, string>();
  for (const [, key = "", quoted, plain] of disposition.matchAll(parameter)) {
    const value = quoted?.replace(/\\"/g, '"') ?? (plain ?? "").trim();
    if (!values.has(key.toLowerCase())) values.set(key.toLowerCase(), value);
  }
  const [extended, plain] = [values.get("filename*"), values.get("filename")];
  const decoded = extended === undefined ? undefined : extendedValue(extended);
  const written = plain?.replace(/%(?:22|0d|0a)/gi, (code) => escaped[code.toLowerCase()] ?? code);
  const file_name = decoded ?? (written === undefined ? undefined : withoutEncodedWords(written));
  return { name: values.get("name") ?? null, file_name: file_name ?? (extended === undefined ? null : "") };
}
