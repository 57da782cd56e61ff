// The table of importers: recognises files of other programs by their extensions, and reads the bytes of a file of an import.
import { basename, extname } from "node:path";
import { CliError } from "../../core/errors.ts";
import { type ListKind, scriptKinds } from "../../core/inputs.ts";
import type { JsonLimits } from "../../core/json.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import { isBlank, kindOfBytes, kindOfFile } from "../documents/read/file_kinds.ts";
import { bytesOfFile, openingOf, parseDocument, sizeOfFile, textOf } from "../documents/read/json.ts";
import { partialDocument, unreadable } from "../documents/read/read.ts";
import type { ListOptions } from "../lists/list.ts";
import { listOfKind } from "../lists/lists.ts";
import { readMsd } from "../schedules/msd.ts";
import { readSex } from "../schedules/sex.ts";
import { readUss } from "../schedules/uss.ts";
import { readFdx } from "../scripts/fdx.ts";
import { readFountain } from "../scripts/fountain.ts";
import type { Script } from "../scripts/script.ts";
import { otherThan } from "./bytes.ts";
import type { PaperReading } from "./partial.ts";
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

/** The importer of a file by its extension, otherwise by what `as` says; undefined for a production document. */
export function importerOf(file: string, as?: PaperworkFlags["as"]): Importer | undefined {
  const extension = extname(file).toLowerCase();
  if (Object.hasOwn(importers, extension)) return importers[extension];
  const isSaid = extension !== ".json" && scriptKinds.some((kind) => kind === as);
  return isSaid ? importers[`.${as}`] : undefined;
}

/** The characters with which a text begins, without white space and a byte order mark. */
const beginningOf = (bytes: Buffer): string =>
  bytes
    .toString("latin1", 0, 1000)
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .trimStart();

/** The text of a production document. Throws CliError for a file that is none, with what to do. */
export function textOfDocument(path: string, file = path): string {
  const isDocument = extname(file).toLowerCase() === ".json";
  const bytes = openingOf(path, file);
  if (isBlank(bytes) && sizeOfFile(path, file) === bytes.length) throw new CliError(`${file} is empty`);
  const kind = isDocument ? kindOfBytes(bytes) : kindOfFile(file, bytes);
  if (kind !== undefined)
    throw new CliError(`${file} is ${kind}; export a script as .fdx or .fountain, and save a list as .csv`);
  const start = beginningOf(bytes);
  if (isDocument || /^[{[]/.test(start)) return textOf(path, file);
  if (/<FinalDraft\b/.test(start))
    throw new CliError(`${file} is a script of Final Draft; name it .fdx, or add --as fdx`);
  if (bytes.includes(0)) throw new CliError(`${file} is a binary file; export a script as .fdx or .fountain`);
  throw new CliError(
    `${file} is text, and no production document; for a script, add --as fountain or name it .fountain, and for a list, name it .csv`,
  );
}

export const isScript = (paper: Paper): paper is ScriptPaper => "script" in paper.importer;
export const isList = (paper: Paper): paper is ListPaper => "list" in paper.importer;
/** Whether the file does not say what it lists. */
export const needsKind = ({ importer }: Paper): boolean => importer === cells;

/** Why the bytes cannot be those of such a file, whatever the flags say: they are none, or a known file of another kind. */
export const otherKindOf = ({ importer, bytes }: Pick<Paper, "importer" | "bytes">): string | undefined =>
  otherThan("script" in importer ? "a script" : "such a file", bytes);

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
  { file, folder, as }: { file: string; folder: string | undefined; as: PaperworkFlags["as"] },
  limits?: JsonLimits,
): Promise<Given> {
  const importer = importerOf(file, as);
  try {
    if (importer === undefined)
      return await partialDocument(parseDocument(textOfDocument(path, file), file, limits), file, folder);
    const bytes = bytesOfPaper(path, file);
    return { file, importer, bytes };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, problems } = error;
    return unreadable(file, problems.length > 0 ? problems : [{ file, sentence: message }]);
  }
}
