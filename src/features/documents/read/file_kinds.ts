// Tells what a file is that an import cannot read, by its first bytes and by its name, and what to do with it.
import { extname } from "node:path";

/**
 * What a file is, by the hexadecimal digits with which it begins. A longer beginning stands before its own beginning.
 */
const beginnings: readonly (readonly [digits: string, kind: string])[] = [
  ["25504446", "a PDF"],
  ["504b0304", "a ZIP archive, as of Word, Pages, Excel or Numbers"],
  ["d0cf11e0", "an old Office file (DOC or XLS)"],
  ["7b5c727466", "an RTF document"],
  ["89504e47", "a picture (PNG)"],
  ["ffd8ff", "a picture (JPEG)"],
  ["47494638", "a picture (GIF)"],
  ["49492a00", "a picture (TIFF)"],
  ["4d4d002a", "a picture (TIFF)"],
  ["38425053", "a picture (Photoshop)"],
  ["52494646", "a picture, a sound or a video (RIFF)"],
  ["1f8b", "a gzip archive"],
  ["377abcaf271c", "a 7z archive"],
  ["526172211a07", "a RAR archive"],
  ["53514c69746520666f726d61742033", "a database (SQLite); --data takes its folder"],
  ["494433", "a sound (MP3)"],
  ["4f676753", "a sound or a video (Ogg)"],
  ["1a45dfa3", "a video (Matroska)"],
  ["7f454c46", "a program"],
];

/** What a file of an extension is: the bytes say less. */
const extensions: Readonly<Record<string, string | undefined>> = {
  ".docx": "a Word document",
  ".doc": "a Word document",
  ".odt": "a text document (ODT)",
  ".rtf": "an RTF document",
  ".pages": "a Pages document",
  ".pdf": "a PDF",
  ".xlsx": "an Excel workbook (XLSX)",
  ".xls": "an Excel workbook (XLS)",
  ".ods": "a spreadsheet (ODS)",
  ".numbers": "a Numbers spreadsheet",
  ".celtx": "a Celtx script",
  ".fadein": "a Fade In script",
  ".highland": "a Highland script",
  ".mmsw": "a Movie Magic Screenwriter script",
  ".mmx": "a Movie Magic Screenwriter script",
  ".scriv": "a Scrivener project",
  ".wdz": "a WriterDuet script",
  ".fdr": "a script of Final Draft 7 or older",
  ".zip": "a ZIP archive",
};

/** What the files are that features read, by extension; each is the name of a feature. */
const paperwork: Readonly<Record<string, "scripts" | "schedules" | "lists" | undefined>> = {
  ".fountain": "scripts",
  ".fdx": "scripts",
  ".uss": "schedules",
  ".sex": "schedules",
  ".msd": "schedules",
  ".csv": "lists",
  ".tsv": "lists",
};

/** What files of an extension are that only a feature reads. */
export const paperworkOf = (extension: string) =>
  Object.hasOwn(paperwork, extension) ? paperwork[extension] : undefined;

/** An MP4, a QuickTime file or a HEIC picture names its kind after the length of its first box. */
const isBoxed = (start: Uint8Array): boolean => Buffer.from(start.subarray(4, 8)).toString("latin1") === "ftyp";

/** What known bytes are, such as "a PDF"; undefined if they are not known. */
export function kindOfBytes(bytes: Uint8Array): string | undefined {
  const digits = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const found = beginnings.find(([beginning]) => digits.startsWith(beginning));
  return found === undefined && isBoxed(bytes) ? "a video or a picture (MP4, MOV or HEIC)" : found?.[1];
}

/** What a file is by its name; otherwise what its bytes are. Undefined if neither is known. */
export const kindOfFile = (file: string, bytes: Uint8Array): string | undefined =>
  extensions[extname(file).toLowerCase()] ?? kindOfBytes(bytes);

const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

/** Whether there is nothing in the bytes but white space and a byte order mark. */
export const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => blanks.has(byte));
