// Splits a multipart body into its parts while it arrives (RFC 2046 section 5.1, RFC 7578), within limits on their number and headers.
import { tooLarge, unprocessable } from "../../errors.ts";

const maxParts = 1200;
/** In bytes, of one part and of all parts together. */
const maxHeaderBytes = 4096;
const maxTotalHeaderBytes = 1 << 20;

/** A part. Its content must be read before the next part is asked for. */
export interface FormPart {
  name: string;
  /** Null if the part is a field. */
  file_name: string | null;
  content: AsyncIterable<Buffer>;
}

const malformed = () => unprocessable("the body is not a well-formed multipart/form-data body");

/** How many bytes belong to the part: after them comes a delimiter, or what may become one with the next bytes. */
function endOfPart(bytes: Buffer, delimiter: Buffer): number {
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1)) {
    const next = bytes.toString("latin1", at + delimiter.length, at + delimiter.length + 2);
    if (next.length < 2 || next === "\r\n" || next === "--") return at;
  }
  const end = bytes.indexOf("\r", Math.max(0, bytes.length - delimiter.length + 1));
  return end === -1 ? bytes.length : end;
}

/** The bytes of a content that is sent as base64. */
async function* decoded(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let text = "";
  for await (const bytes of content) {
    text += bytes.toString("latin1").replace(/\s/g, "");
    const whole = text.length - (text.length % 4);
    yield Buffer.from(text.slice(0, whole), "base64");
    text = text.slice(whole);
  }
  yield Buffer.from(text, "base64");
}

/** The file name as browsers write it. */
const unescaped = (name: string): string =>
  name
    .slice(name.lastIndexOf("\\") + 1)
    .replace(/%22/g, '"')
    .replace(/&#(\d{4});/g, (_, code) => String.fromCharCode(code));

/** The part with these header lines. */
function partOf(lines: readonly string[], content: AsyncIterable<Buffer>): FormPart {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([a-z-]+): *([^\r]*)$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) throw malformed();
    headers.set(name.toLowerCase(), value);
  }
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["binary", "7bit", "8bit", "utf-8", "base64"].includes(encoding)) throw malformed();
  const disposition = headers.get("content-disposition") ?? "";
  // A quoted string or a token (RFC 2616 section 19.5.1).
  const [, , quotedName, name] = /\bname=("([^"]*)"|([^()<>@,;:\\"/[\]?={}\s\t/]+))/i.exec(disposition) ?? [];
  const file = /\bfilename=("(.*?)"|([^()<>{}[\]@,;:"?=\s/\t]+))($|;\s)/i.exec(disposition);
  return {
    name: quotedName ?? name ?? "",
    file_name: file && unescaped(file[2] ?? file[3] ?? ""),
    content: encoding === "base64" ? decoded(content) : content,
  };
}

/** The parts of a body that arrives in `chunks`. Throws 422 if the body is malformed, 413 over a limit, and what `chunks` throws. */
export async function* formParts(chunks: AsyncIterator<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let rest: Buffer = Buffer.from("\r\n"); // the first delimiter may stand at the beginning of the body
  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done !== true) rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return done !== true;
  }
  /** The bytes up to the next delimiter, which stays. A body may end with one that nothing follows. */
  async function* content(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = endOfPart(rest, delimiter);
      const own = rest.subarray(0, end);
      rest = rest.subarray(end);
      if (own.length > 0) yield own;
      if (rest.length >= delimiter.length + 2) return;
      if (await more()) continue;
      if (rest.equals(delimiter)) return;
      throw malformed();
    }
  }
  for await (const _ of content()); // a preamble
  let total = 0;
  for (let parts = 0; ; ) {
    rest = rest.subarray(delimiter.length);
    if (rest.length === 0 || rest.toString("latin1", 0, 2) === "--") return;
    if (++parts > maxParts) throw tooLarge(`a form must have at most ${maxParts} parts`);
    let end = rest.indexOf("\r\n\r\n");
    for (; end === -1 && rest.length <= maxHeaderBytes; end = rest.indexOf("\r\n\r\n"))
      if (!(await more())) {
        if (rest.length === 2) return;
        throw malformed();
      }
    total += end;
    if (end === -1 || end > maxHeaderBytes || total > maxTotalHeaderBytes)
      throw tooLarge(`a part's headers must have at most ${maxHeaderBytes} bytes`);
    const lines = end === 0 ? [] : rest.toString("utf8", 2, end).split("\r\n");
    rest = rest.subarray(end + 4);
    yield partOf(lines, content());
  }
}
