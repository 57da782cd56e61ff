// Converts the bytes of a file to text, or reports what kind of file it is instead.
import { isUtf8 } from "node:buffer";
import type { Problem } from "../../core/errors.ts";
import { directionControls } from "../../core/wording.ts";
import { encodingOf } from "../documents/encoding_labels.ts";
import { isBlank, kindOfBytes } from "../documents/read/file_kinds.ts";
import { likeliestEncoding, lineOfFirstFault } from "./encodings.ts";
import { type Findings, refuse } from "./findings.ts";

/** More than any script: Final Draft keeps pictures in the file, as text. */
const maxScriptBytes = 64 * 2 ** 20;

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

/**
 * The same bytes. Throws FormatError if they are none, a known file of another kind, or more than `maxBytes`, the
 * maximum for `what`.
 */
export function bufferOf(bytes: Uint8Array, maxBytes: number, what: keyof typeof advices): Buffer {
  const other = mismatchOf(what, bytes);
  if (other !== undefined) refuse(other);
  if (bytes.length > maxBytes) refuse(`the file is larger than ${maxBytes / 2 ** 20} MiB, the maximum for ${what}`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The encoding that a byte order mark of UTF-16 says; undefined if there is none. */
const utf16Of = (bytes: Buffer): string | undefined =>
  ({ fffe: "utf-16le", feff: "utf-16be" })[bytes.toString("hex", 0, 2)];

/** Whether the bytes are text of UTF-8 or UTF-16. */
const isUnicode = (file: Buffer): boolean => utf16Of(file) !== undefined || isUtf8(file);

/**
 * The bytes as UTF-8, if they are no UTF and somebody says what they are. Throws FormatError if they are not that.
 * `encoding` is the name of an encoding.
 */
export function inUtf8(bytes: Uint8Array, encoding: string | undefined): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === undefined || isUnicode(file) || isBlank(file)) return bytes;
  const name = encodingOf(encoding) ?? encoding;
  try {
    return Buffer.from(new TextDecoder(name, { fatal: true }).decode(file));
  } catch {
    return refuse(`the file is not ${name}, as --encoding says`, { line: lineOfFirstFault(file) });
  }
}

/** Throws FormatError with the choices if a text is no UTF and may be in several encodings. */
export function askEncoding(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUnicode(file) && kindOfBytes(file) === undefined && !file.includes(0) && declaredIn(file) === undefined)
    likeliestEncoding(file);
}

/**
 * The text of bytes that are no UTF, and what is said about it. Throws FormatError with the choices if it may be in
 * several encodings.
 */
function foreignText(file: Buffer, declared: string | undefined): { text: string; warning: string } {
  const encoding = declared ?? likeliestEncoding(file);
  const name = encoding.replace(/^windows/, "Windows");
  const text = new TextDecoder(encoding).decode(file);
  return { text, warning: `the file is not UTF-8 and was read as ${name}; check its accents` };
}

/** The encoding that a document of XML declares, if it is one that is known and no UTF. */
function declaredIn(file: Buffer): string | undefined {
  const [, declaration = ""] = /^\s*<\?xml\b([^>]*)/.exec(file.toString("latin1", 0, 300)) ?? [];
  const [, label] = /\bencoding=["']([\w-]{1,40})["']/.exec(declaration) ?? [];
  return label === undefined ? undefined : encodingOf(label);
}

/**
 * The text of `bytes`, without a byte order mark, and warnings. Throws FormatError if they are too many, none, or no
 * text.
 */
export function decodeText(bytes: Uint8Array): { text: string; warnings: Problem[] } {
  const file = bufferOf(bytes, maxScriptBytes, "a script");
  const utf16 = utf16Of(file);
  if (utf16 !== undefined) return { text: new TextDecoder(utf16).decode(file), warnings: [] };
  if (file.subarray(0, 4096).includes(0)) refuse(`the file holds binary data, not text; ${advices["a script"]}`);
  if (isUtf8(file)) return { text: new TextDecoder().decode(file), warnings: [] };
  const { text, warning } = foreignText(file, declaredIn(file));
  return { text, warnings: [{ sentence: warning }] };
}

function fromUtf16(bytes: Buffer, encoding: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    return refuse("the file begins as UTF-16 text and is not; save it as CSV in UTF-8");
  }
}

/** The text without the characters that turn the direction of text, because a name with one reads as another. */
function withoutDirections(text: Buffer, findings: Findings): Buffer {
  if (!directionBytes.some((one) => text.includes(one))) return text;
  findings.warn("characters that turn the direction of text were taken out");
  return Buffer.from(text.toString().replace(directionControls, ""));
}
const directionBytes = [..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"].map((one) => Buffer.from(one));

/**
 * The text of `bytes` as UTF-8 without a byte order mark. What is not UTF-8 is read in another encoding, with a
 * warning. Throws FormatError if the file is larger than `maxBytes`, empty or no text.
 */
export function utf8Of(bytes: Uint8Array, maxBytes: number, findings: Findings): Buffer {
  const file = bufferOf(bytes, maxBytes, "such a file");
  const utf16 = utf16Of(file);
  const text =
    utf16 === undefined ? file.subarray(file.toString("hex", 0, 3) === "efbbbf" ? 3 : 0) : fromUtf16(file, utf16);
  if (text.includes(0)) refuse("the file holds binary data, not text; save it as CSV");
  if (isUtf8(text)) return withoutDirections(text, findings);
  const read = foreignText(text, undefined);
  findings.warn(read.warning);
  return withoutDirections(Buffer.from(read.text), findings);
}
