// Converts the bytes of a script to text: UTF-8 with or without a byte order mark, or UTF-16 with one.
import { isUtf8 } from "node:buffer";
import { FormatError } from "./problems.ts";

/** More than any script: Final Draft keeps pictures in the file, as text. */
export const maxScriptBytes = 64 * 2 ** 20;

const newline = 0x0a;

/** The line, counted from 1, of the first bytes that are not UTF-8. */
function lineOfFirstFault(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found + 1;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end;
  }
  return line;
}

/** The text of `bytes`, without a byte order mark. Throws FormatError if they are too many, none, or no text. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new FormatError([{ message: "the file is empty" }]);
  if (bytes.length > maxScriptBytes) {
    const message = `the file is larger than ${maxScriptBytes / 2 ** 20} MiB, the maximum for a script`;
    throw new FormatError([{ message }]);
  }
  const utf16 = { fffe: "utf-16le", feff: "utf-16be" }[Buffer.from(bytes.subarray(0, 2)).toString("hex")];
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  if (!isUtf8(bytes))
    throw new FormatError([
      { line: lineOfFirstFault(bytes), message: "this is not UTF-8 text; save the file as UTF-8" },
    ]);
  return new TextDecoder().decode(bytes);
}
