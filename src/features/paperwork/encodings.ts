// Finds the encoding of a text that is neither UTF-8 nor UTF-16: Windows-1252 where all of its words can be Western,
// otherwise what a detector finds clearly likelier than anything else, otherwise a question.
import { isUtf8 } from "node:buffer";
import chardet from "chardet";
import { listed } from "../../core/wording.ts";
import { encodingOf } from "../documents/encoding_labels.ts";
import { refuse } from "./findings.ts";

const newline = 0x0a;

/** The lines of bytes, each with its end. */
function* linesOf<B extends Uint8Array>(bytes: B): Generator<B> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found + 1;
    yield bytes.subarray(start, end) as B; // a part of a Buffer is one
    start = end;
  }
}

/** The line, counted from 1, of the first bytes that are not UTF-8. */
export function lineOfFirstFault(bytes: Uint8Array): number {
  let line = 1;
  for (const own of linesOf(bytes)) {
    if (!isUtf8(own)) return line;
    line++;
  }
  return line;
}

const letter = "À-ÖØ-öø-ÿŒœŠšŽžŸ";
/** Letters that stand beside others that ASCII does not have. */
const joining = "æþðœçñßšž";
/** What a word of Western languages does not have: what other encodings make of their letters. */
const foreign = new RegExp(
  [
    "[\\u0080-\\u009f\\ufffd]",
    "\\p{L}[¢£¤¥¦§¨¬¯¶¸¹±¡¿ƒˆ˜†‡‰]\\p{L}",
    "(?<!\\p{L})[£¥¯¿¼¾]\\p{L}{2}",
    "\\p{Ll}{3}[³¹]",
    "\\p{Ll}[ŠŽŸŒ]|\\p{L}[ŠŽŸŒ]\\p{Ll}",
    "\\p{L}þ|þ(?![aeiouyáéíóúýæörj])",
  ].join("|"),
  "u",
);
/** The same in small letters: two such letters in a row that are not the same one, or three. */
const foreignRow = new RegExp(
  `(?!([${letter}])\\1\\1)[${letter}]{3}|(?![${joining}])([${letter}])(?!\\2|[${joining}])(?!(?<=[åäöü])[åäöü])[${letter}]`,
  "u",
);
/** A few names of other languages do not make a Western text another one. */
const mostForeign = 0.2;

const decoded = (bytes: Buffer, encoding: string): string => new TextDecoder(encoding).decode(bytes);

/** Whether the words with letters beyond ASCII can be of Western languages. */
function isWestern(text: string): boolean {
  const words = text.split(/[\s,;|"]+/).filter((word) => /[^\0-\x7f]/.test(word));
  const strange = words.filter((word) => foreign.test(word) || foreignRow.test(word.toLowerCase())).length;
  return strange <= words.length * mostForeign;
}

const noWesternMac = new RegExp(`[^\\0-\\x7f${letter}‘’“”–—…•°«»¿¡]`, "u");
/**
 * The same for Macintosh, in which almost all bytes are something: all but ASCII are letters and the marks of texts.
 */
const isWesternMac = (text: string): boolean => !noWesternMac.test(text) && isWestern(text);

/** The bytes of a text that the detector looks at, of lines with something beyond ASCII. */
const sampleBytes = 64 * 1024;
function sampleOf(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  let size = 0;
  for (const line of linesOf(bytes)) {
    if (size >= sampleBytes) break;
    if (line.every((byte) => byte < 0x80)) continue;
    lines.push(line.subarray(0, sampleBytes));
    size += line.length;
  }
  return Buffer.concat(lines);
}

/** The text in an encoding; undefined if the bytes are none. */
function textIn(bytes: Buffer, encoding: string): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return /[\u0080-\u009f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Whether more characters beyond ASCII are whole in UTF-8 than not. */
function isDamagedUtf8(sample: Buffer): boolean {
  const beyond = decoded(sample, "utf-8").match(/[^\0-\x7f]/gu) ?? [];
  return beyond.filter((one) => one === "\ufffd").length * 2 < beyond.length;
}

interface Candidate {
  encoding: string;
  confidence: number;
  text: string;
}

/** What spreadsheets write where the detector names a standard with fewer characters. */
const supersets: Readonly<Record<string, string>> = { "ISO-8859-7": "windows-1253", "ISO-8859-8": "windows-1255" };
/** What the detector does not know, and what everybody asks for. */
const further = [
  "windows-1252",
  "macintosh",
  "windows-1250",
  "windows-1251",
  "windows-1257",
  "windows-1258",
  "windows-874",
];
const maxChoices = 8;
/** How sure the detector must be, of 100, and how much surer than of the next. */
const [leastConfidence, clear] = [25, 1.5];
/** With which it is surer than that a text which reads well as Macintosh is that. */
const surely = 40;

/** What a text may be, likeliest first; one of several encodings that make the same text of it. */
function candidatesFor(sample: Buffer): Candidate[] {
  const found = chardet.analyse(sample).map(({ name, confidence }) => ({ label: supersets[name] ?? name, confidence }));
  const texts = new Set<string>();
  return [...found, ...further.map((label) => ({ label, confidence: 0 }))].flatMap(({ label, confidence }) => {
    const encoding = encodingOf(label);
    const text = encoding === undefined ? undefined : textIn(sample, encoding);
    if (encoding === undefined || text === undefined || texts.has(text)) return [];
    texts.add(text);
    return [{ encoding, confidence, text }];
  });
}

/** The encoding of bytes that are no UTF. Throws FormatError with the choices if none is clearly the likeliest. */
export function likeliestEncoding(bytes: Buffer): string {
  const sample = sampleOf(bytes);
  if (isDamagedUtf8(sample))
    return refuse("this is not UTF-8 text; save the file as UTF-8", { line: lineOfFirstFault(bytes) });
  const western = decoded(sample, "windows-1252");
  if (isWestern(western)) return "windows-1252";
  const candidates = candidatesFor(sample);
  // Another encoding that makes the same text, such as Windows-1254, is no likelier.
  const [best, next] = candidates.filter(({ text }) => text !== western);
  const confidence = best?.confidence ?? 0;
  if (confidence < surely && isWesternMac(decoded(sample, "macintosh"))) return "macintosh";
  if (best !== undefined && confidence >= leastConfidence && confidence >= clear * (next?.confidence ?? 0))
    return best.encoding;
  const choices = candidates.slice(0, maxChoices).map(({ encoding }) => encoding);
  if (choices.length === 0) return refuse("the file is in no encoding that is known; save it as UTF-8");
  return refuse(
    `the file is not UTF-8, and its encoding is not clear; --encoding must say it: ${listed(choices, "or")}`,
    { choices },
  );
}

/** The first lines of a text as an encoding reads them, in cells. */
export interface EncodingReading {
  encoding: string;
  rows: readonly (readonly string[])[];
}

/** The first lines with something beyond ASCII as each of some encodings reads them. */
export const readInEach = (bytes: Uint8Array, encodings: readonly string[]): EncodingReading[] =>
  encodings.map((encoding) => ({
    encoding,
    rows: decoded(sampleOf(Buffer.from(bytes)).subarray(0, 2000), encoding)
      .split(/\r?\n|\r/)
      .slice(0, 3)
      .map((line) => line.split(/[,;\t|]/)),
  }));
