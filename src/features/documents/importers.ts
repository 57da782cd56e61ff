// Recognises files of other programs by their extensions, loads what the features of this program have for them, and
// reads the bytes of a file of an import.
import { basename, extname } from "node:path";
import { CliError } from "../../core/errors.ts";
import { contribution, features } from "../../core/features.ts";
import type { JsonLimits } from "../../core/json.ts";
import type { Store } from "../../core/store/store.ts";
import type { FeatureImporters } from "./contributions.ts";
import type { PaperworkFlags } from "./import_flags.ts";
import { type ListKind, scriptKinds } from "./kinds.ts";
import { isBlank, kindOfBytes, kindOfFile, paperworkOf } from "./read/file_kinds.ts";
import { bytesOfFile, openingOf, parseDocument, sizeOfFile, textOf } from "./read/json.ts";
import { type InputDocument, partialDocument, unreadable } from "./read/read.ts";
import type { ReadDocument } from "./read/whole.ts";
import type { Documents } from "./update_input.ts";

/** What reads the files of an extension. What else it has is known to the feature that reads paperwork. */
export interface Importer {
  readonly kind: FeatureImporters["kind"];
}

/** A file of another program, as it was read. */
export interface Paper<I extends Importer = Importer> {
  /** What problems call it. */
  file: string;
  importer: I;
  bytes: Uint8Array;
}

/** A file of an update: a document, or a file of another program. */
export type InputFile = InputDocument | Paper;

export const isPaper = (given: InputFile): given is Paper => "importer" in given;

export interface PaperOptions {
  flags: PaperworkFlags;
  now: string;
  /** What the events of an update call who made it. */
  actor: string;
  /** Throws 403 for a kind of list that the admin may not import. */
  allowList(kind: ListKind): void;
}

/** A production that a file makes, and what its reader warns of. */
export interface NewProduction {
  /** The code of its first episode, if it is a series. */
  episode?: string | undefined;
  read: ReadDocument;
  warnings: string[];
}

export interface NewProductionOptions {
  title: string | undefined;
  now: string;
  /** The season of a series; 1 by default. */
  season?: number | undefined;
}

/** What makes a production of a file, or of several scripts of which this is the first. */
export interface PlannedProduction {
  file: string;
  /** Throws CliError with every problem of its files, or if they make none. */
  make(): NewProduction;
}

/** A file that makes none, and why. */
export const refusedProduction = (file: string, error: unknown): PlannedProduction => ({
  file,
  make() {
    throw error;
  },
});

/** What the module of the feature that reads paperwork exports. */
export interface PaperworkModule {
  /** The documents of an update from files, of which some are of other programs. */
  documentsOf(store: Store, given: readonly InputFile[], options: PaperOptions): Documents;
  /** The productions of files, in the order of their first files. Scripts of one title make one. */
  newProductions(papers: readonly Paper[], flags: PaperworkFlags, options: NewProductionOptions): PlannedProduction[];
}

/** Loads what reads paperwork. A program that has an importer has it. */
export async function loadPaperwork(): Promise<PaperworkModule> {
  const found = await contribution("paperwork")?.();
  if (found === undefined) throw new Error("no feature reads paperwork");
  return found;
}

/** The extension by which a file is read: its own, otherwise what `as` says. */
function extensionOf(file: string, as: PaperworkFlags["as"]): string {
  const extension = extname(file).toLowerCase();
  const isKnown = extension === ".json" || importersOf(extension) !== undefined || paperworkOf(extension) !== undefined;
  return !isKnown && scriptKinds.some((kind) => kind === as) ? `.${as}` : extension;
}

/** The feature that reads the files of an extension. */
const importersOf = (extension: string) =>
  features().find(({ importers }) => importers?.extensions.includes(extension));

/**
 * The importer of a file by its extension, otherwise by what `as` says; undefined for a production document. Throws
 * CliError if the feature that would read the file is not installed.
 */
export async function importerOf(file: string, as?: PaperworkFlags["as"]): Promise<Importer | undefined> {
  const extension = extensionOf(file, as);
  const feature = importersOf(extension);
  if (feature?.importers !== undefined) return (await feature.importers.load()).importers[extension];
  const noun = paperworkOf(extension);
  if (noun !== undefined) throw new CliError(`this program reads no ${noun}: the feature ${noun} is not installed`);
  return undefined;
}

/** More than any reader takes. */
const maxBytes = 256 * 2 ** 20;

/** The characters with which a text begins, without white space and a byte order mark. */
const beginningOf = (bytes: Buffer): string =>
  bytes
    .toString("latin1", 0, 1000)
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .trimStart();

/** What a sentence calls a file whose name stands beside it already. */
export const theFile = "the file";

/**
 * The text of the production document `file` at `path`. Throws CliError for a file that is none, with what to do;
 * `called` is what the sentence calls it.
 */
export function textOfDocument(path: string, file = path, called = file): string {
  const isDocument = extname(file).toLowerCase() === ".json";
  const bytes = openingOf(path, file);
  if (isBlank(bytes) && sizeOfFile(path, file) === bytes.length) throw new CliError(`${called} is empty`);
  const kind = isDocument ? kindOfBytes(bytes) : kindOfFile(file, bytes);
  if (kind !== undefined)
    throw new CliError(`${called} is ${kind}; export a script as .fdx or .fountain, and save a list as .csv`);
  const start = beginningOf(bytes);
  if (isDocument || /^[{[]/.test(start)) return textOf(path, file);
  if (/<FinalDraft\b/.test(start))
    throw new CliError(`${called} is a script of Final Draft; name it .fdx, or add --as fdx`);
  if (bytes.includes(0)) throw new CliError(`${called} is a binary file; export a script as .fdx or .fountain`);
  throw new CliError(
    `${called} is text, and no production document; for a script, add --as fountain or name it .fountain, and for a list, name it .csv`,
  );
}

/** The last part of a path, so that the stored name contains no folder of the machine. */
export const nameOfFile = (file: string): string => basename(file.replaceAll("\\", "/")).slice(0, 300) || "script";

/** Reads the file at `path`, which problems call `file`, or `called`. Throws CliError if it cannot be read. */
export function bytesOfPaper(path: string, file = path, called = file): Uint8Array {
  if (sizeOfFile(path, file) > maxBytes)
    throw new CliError(`${called} is larger than ${maxBytes / 2 ** 20} MiB, the maximum`);
  return bytesOfFile(path, file);
}

/**
 * Reads the file at `path`, which problems call `file`; `folder` is what the paths of a
 * document's media start from; undefined if it may have none. A file that cannot be
 * read is a document with that problem. Throws 413 for a document beyond the limits.
 */
export async function readInputFile(
  path: string,
  { file, folder, as }: { file: string; folder: string | undefined; as: PaperworkFlags["as"] },
  limits?: JsonLimits,
): Promise<InputFile> {
  try {
    const importer = await importerOf(file, as);
    if (importer === undefined)
      return await partialDocument(parseDocument(textOfDocument(path, file, theFile), file, limits), file, folder);
    const bytes = bytesOfPaper(path, file, theFile);
    return { file, importer, bytes };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, problems } = error;
    return unreadable(file, problems.length > 0 ? problems : [{ file, sentence: message }]);
  }
}
