// Converts the bytes of a text file to UTF-8, or reports what kind of file it is instead.
import { isUtf8 } from "node:buffer";
import { type Findings, refuse } from "./findings.ts";

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
