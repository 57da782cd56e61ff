// Recognises files of other programs by their extensions, and reads their bytes.
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { sizeOfFile } from "../document/json.ts";
import { CliError } from "../errors.ts";

/** A file of another program, as it was read. */
export interface Paper {
  /** What problems call it. */
  file: string;
  kind: PaperKind;
  bytes: Uint8Array;
}

const kinds = {
  ".fountain": "fountain",
  ".fdx": "fdx",
  ".csv": "list",
  ".uss": "uss",
  ".sex": "sex",
  ".msd": "msd",
  // Lists by other names; the reader says what a spreadsheet must be saved as.
  ".tsv": "list",
  ".xlsx": "list",
  ".xls": "list",
  ".ods": "list",
  ".numbers": "list",
} as const;
export type PaperKind = (typeof kinds)[keyof typeof kinds];

/** More than any reader takes. */
const maxBytes = 256 * 2 ** 20;

/** The kind of a file by its extension; undefined for a production document. */
export function paperKindOf(file: string): PaperKind | undefined {
  const extension = extname(file).toLowerCase();
  return Object.hasOwn(kinds, extension) ? kinds[extension as keyof typeof kinds] : undefined; // it is a key of the object
}

export const isScript = ({ kind }: { kind: PaperKind | undefined }): boolean => kind === "fountain" || kind === "fdx";

/** The last part of a path, so that the stored name contains no folder of the machine. */
export const nameOfFile = (file: string): string => basename(file.replaceAll("\\", "/")).slice(0, 300) || "script";

/** Reads the file at `path`, which problems call `file`. Throws CliError if it cannot be read. */
export function readPaper(path: string, kind: PaperKind, file = path): Paper {
  if (sizeOfFile(path, file) > maxBytes)
    throw new CliError(`${file} is larger than ${maxBytes / 2 ** 20} MiB, the maximum`);
  try {
    return { file, kind, bytes: readFileSync(path) };
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
