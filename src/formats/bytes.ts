// Converts the bytes of a text file to text, or reports what kind of file it is instead.
import { isUtf8 } from "node:buffer";
import { type Findings, FormatError, refuse } from "./findings.ts";

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

const beginnings: readonly (readonly [bytes: readonly number[], sentence: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], "the file is a spreadsheet (XLSX, ODS or Numbers) or another ZIP archive; save it as CSV"],
  [[0xd0, 0xcf, 0x11, 0xe0], "the file is an Excel workbook (XLS); save it as CSV"],
  [[0x25, 0x50, 0x44, 0x46], "the file is a PDF; export the list as CSV"],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], "the file is an RTF document; export the list as CSV"],
];

const beginsWith = (bytes: Buffer, beginning: readonly number[]): boolean =>
  beginning.every((byte, at) => bytes[at] === byte);

const byteOrderMarks: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

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
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length > maxBytes) refuse(`the file is larger than ${maxBytes / 2 ** 20} MiB, the maximum for such a file`);
  const known = beginnings.find(([beginning]) => beginsWith(file, beginning));
  if (known !== undefined) refuse(known[1]);
  const utf16 = byteOrderMarks.find(([mark]) => beginsWith(file, mark));
  const text =
    utf16 === undefined ? file.subarray(beginsWith(file, [0xef, 0xbb, 0xbf]) ? 3 : 0) : fromUtf16(file, utf16[1]);
  if (text.includes(0)) refuse("the file holds binary data, not text; save it as CSV");
  if (isUtf8(text)) return text;
  findings.warn("the file is not UTF-8 and was read as Windows-1252; check its accents");
  return Buffer.from(new TextDecoder("windows-1252").decode(text));
}
