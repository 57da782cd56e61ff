// The table of importers: recognises files of other programs by their extensions, and reads the bytes of a file of an import.
import { basename, extname } from "node:path";
import { bytesOfFile, parseDocument, sizeOfFile, textOf } from "../document/read/json.ts";
import { folderOf, partialDocument, unreadable } from "../document/read/read.ts";
import { CliError } from "../errors.ts";
import { readFdx } from "../formats/fdx.ts";
import { readFountain } from "../formats/fountain.ts";
import type { ListOptions } from "../formats/list.ts";
import { listOfKind } from "../formats/lists.ts";
import { readMsd } from "../formats/msd.ts";
import type { PaperReading } from "../formats/partial.ts";
import type { Script } from "../formats/script.ts";
import { readSex } from "../formats/sex.ts";
import { readUss } from "../formats/uss.ts";
import type { ListKind } from "../inputs.ts";
import type { JsonLimits } from "../json.ts";
import type { Given } from "./reading.ts";

interface Importers {
  /** How scripts of one extension are read. */
  script: { script(bytes: Uint8Array): Script };
  /** How lists of one extension are read. */
  list: { list(bytes: Uint8Array, options: ListOptions & { as: ListKind }): PaperReading };
}
type Importer = Importers[keyof Importers];

/** A file of another program, as it was read. */
export interface Paper<I extends Importer = Importer> {
  /** What problems call it. */
  file: string;
  importer: I;
  bytes: Uint8Array;
}
export type ScriptPaper = Paper<Importers["script"]>;
export type ListPaper = Paper<Importers["list"]>;

/** A table of cells. For a file of a spreadsheet program, the reader says what it must be saved as. */
const cells: Importers["list"] = { list: (bytes, { as, ...options }) => listOfKind(as).read(bytes, options) };

const importers: Readonly<Record<string, Importer>> = {
  ".fountain": { script: readFountain },
  ".fdx": { script: readFdx },
  ".uss": { list: readUss },
  ".sex": { list: readSex },
  ".msd": { list: readMsd },
  ".csv": cells,
  ".tsv": cells,
  ".xlsx": cells,
  ".xls": cells,
  ".ods": cells,
  ".numbers": cells,
};

/** More than any reader takes. */
const maxBytes = 256 * 2 ** 20;

/** The importer of a file by its extension; undefined for a production document. */
export function importerOf(file: string): Importer | undefined {
  const extension = extname(file).toLowerCase();
  return Object.hasOwn(importers, extension) ? importers[extension] : undefined;
}

export const isScript = (paper: Paper): paper is ScriptPaper => "script" in paper.importer;
export const isList = (paper: Paper): paper is ListPaper => "list" in paper.importer;
/** Whether the file does not say what it lists. */
export const needsKind = ({ importer }: Paper): boolean => importer === cells;

/** The last part of a path, so that the stored name contains no folder of the machine. */
export const nameOfFile = (file: string): string => basename(file.replaceAll("\\", "/")).slice(0, 300) || "script";

/** Reads the file at `path`, which problems call `file`. Throws CliError if it cannot be read. */
export function bytesOfPaper(path: string, file = path): Uint8Array {
  if (sizeOfFile(path, file) > maxBytes)
    throw new CliError(`${file} is larger than ${maxBytes / 2 ** 20} MiB, the maximum`);
  return bytesOfFile(path, file);
}

/**
 * Reads the file at `path`, which problems call `file`; `folder` is what the paths of a
 * document's media start from; undefined if it may have none. A file that cannot be
 * read is a document with that problem. Throws 413 for a document beyond the limits.
 */
export async function readGiven(
  path: string,
  { file, folder }: { file: string; folder: string | undefined } = { file: path, folder: folderOf(path) },
  limits?: JsonLimits,
): Promise<Given> {
  const importer = importerOf(file);
  try {
    if (importer === undefined)
      return await partialDocument(parseDocument(textOf(path, file), file, limits), file, folder);
    const bytes = bytesOfPaper(path, file);
    return { file, importer, bytes };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, problems } = error;
    return unreadable(file, problems.length > 0 ? problems : [{ file, sentence: message }]);
  }
}
