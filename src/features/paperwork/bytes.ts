// Converts the bytes of a file to text, or reports what kind of file it is instead.
import { isUtf8 } from "node:buffer";
import { isBlank, kindOfBytes } from "../documents/read/file_kinds.ts";
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

/** What to do with a file of another kind, by what it should be. */
const advices = {
  "a script": "export the script as .fdx or .fountain",
  "a schedule": "export the schedule again, or save it as CSV",
  "a breakdown": "export the breakdown again, or save it as CSV",
  "such a file": "export or save it as CSV",
} as const;

/** Why the bytes cannot be what they should be: they are none, or a known file of another kind. */
export function mismatchOf(what: keyof typeof advices, bytes: Uint8Array): string | undefined {
  if (isBlank(bytes)) return "the file is empty";
  const kind = kindOfBytes(bytes);
  return kind && `the file is ${kind}; ${advices[what]}`;
}

/** The same bytes. Throws FormatError if they are none, a known file of another kind, or more than `maxBytes`, the maximum for `what`. */
export function bufferOf(bytes: Uint8Array, maxBytes: number, what: keyof typeof advices): Buffer {
  const other = mismatchOf(what, bytes);
  if (other !== undefined) refuse(other);
  if (bytes.length > maxBytes) refuse(`the file is larger than ${maxBytes / 2 ** 20} MiB, the maximum for ${what}`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The encoding that a byte order mark of UTF-16 says; undefined if there is none. */
const utf16Of = (bytes: Buffer): string | undefined =>
  ({ fffe: "utf-16le", feff: "utf-16be" })[bytes.toString("hex", 0, 2)];

/** The text of `bytes`, without a byte order mark. Throws FormatError if they are too many, none, or no text. */
export function decodeText(bytes: Uint8Array): string {
  const file = bufferOf(bytes, maxScriptBytes, "a script");
  const utf16 = utf16Of(file);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(file);
  if (file.subarray(0, 4096).includes(0)) refuse(`the file holds binary data, not text; ${advices["a script"]}`);
  if (!isUtf8(file)) refuse("this is not UTF-8 text; save the file as UTF-8", { line: lineOfFirstFault(file) });
  return new TextDecoder().decode(file);
}

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
  const utf16 = utf16Of(file);
  const text =
    utf16 === undefined ? file.subarray(file.toString("hex", 0, 3) === "efbbbf" ? 3 : 0) : fromUtf16(file, utf16);
  if (text.includes(0)) refuse("the file holds binary data, not text; save it as CSV");
  if (isUtf8(text)) return text;
  findings.warn("the file is not UTF-8 and was read as Windows-1252; check its accents");
  return Buffer.from(new TextDecoder("windows-1252").decode(text));
}
