// Converts the bytes of a file to text, or reports what kind of file it is instead.
import { isUtf8 } from "node:buffer";
import { type Findings, refuse } from "./findings.ts";

/** More than any script: Final Draft keeps pictures in the file, as text. */
const maxScriptBytes = 64 * 2 ** 20;

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

/** The same bytes. Throws FormatError if they are more than `maxBytes`, the maximum for `what`. */
export function bufferOf(bytes: Uint8Array, maxBytes: number, what: string): Buffer {
  if (bytes.length > maxBytes) refuse(`the file is larger than ${maxBytes / 2 ** 20} MiB, the maximum for ${what}`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The encoding that a byte order mark of UTF-16 says; undefined if there is none. */
const utf16Of = (bytes: Buffer): string | undefined =>
  ({ fffe: "utf-16le", feff: "utf-16be" })[bytes.toString("hex", 0, 2)];

/** The text of `bytes`, without a byte order mark. Throws FormatError if they are too many, none, or no text. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length === 0) refuse("the file is empty");
  const file = bufferOf(bytes, maxScriptBytes, "a script");
  const utf16 = utf16Of(file);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(file);
  if (!isUtf8(file)) refuse("this is not UTF-8 text; save the file as UTF-8", { line: lineOfFirstFault(file) });
  return new TextDecoder().decode(file);
}

/** What a file of another kind is, by the hexadecimal digits with which it begins. */
const beginnings: Readonly<Record<string, string>> = {
  "504b0304": "the file is a spreadsheet (XLSX, ODS or Numbers) or another ZIP archive; save it as CSV",
  d0cf11e0: "the file is an Excel workbook (XLS); save it as CSV",
  "25504446": "the file is a PDF; export the list as CSV",
  "7b5c727466": "the file is an RTF document; export the list as CSV",
};

function fromUtf16(bytes: Buffer, encoding: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    return refuse("the file begins as UTF-16 text and is not; save it as CSV in UTF-8");
  }
}

/**
 * The text of `bytes` as UTF-8 without a byte order mark. What is not UTF-8 is read as Windows-1252, as spreadsheets on
 * Windows write it, with a warning. Throws FormatError if the file is larger than `maxBytes`, empty or no text.
 */
export function utf8Of(bytes: Uint8Array, maxBytes: number, findings: Findings): Buffer {
  const file = bufferOf(bytes, maxBytes, "such a file");
  const start = file.toString("hex", 0, 5);
  for (const [beginning, sentence] of Object.entries(beginnings)) if (start.startsWith(beginning)) refuse(sentence);
  const utf16 = utf16Of(file);
  const text = utf16 === undefined ? file.subarray(start.startsWith("efbbbf") ? 3 : 0) : fromUtf16(file, utf16);
  if (text.includes(0)) refuse("the file holds binary data, not text; save it as CSV");
  if (isUtf8(text)) return text;
  findings.warn("the file is not UTF-8 and was read as Windows-1252; check its accents");
  return Buffer.from(new TextDecoder("windows-1252").decode(text));
}
