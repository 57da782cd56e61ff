// Says what each file of an import is read as, on the thread of a job: to guess the kind of a list takes long where a
// file has many cells.
import { extname } from "node:path";
import { CliError, HttpError } from "../../../core/errors.ts";
import { askEncoding, inUtf8 } from "../../paperwork/bytes.ts";
import { type EncodingReading, readInEach } from "../../paperwork/encodings.ts";
import { FormatError } from "../../paperwork/findings.ts";
import { isList, isScript, type KindReading, type ListImporter, needsKind } from "../../paperwork/importers.ts";
import { bytesOfPaper, importerOf } from "../importers.ts";
import type { JobFile } from "../jobs/import_job.ts";
import { isListKind, scriptKinds, spokenKind } from "../kinds.ts";

export interface KindsRequest {
  files: readonly Extract<JobFile, { path: string }>[];
  /** What the person says the files are; empty if nothing. */
  as: string;
  /** The encoding that the person says; empty if none. */
  encoding: string;
}

/**
 * What a file is read as, in words, or as which kinds or in which encodings it could be read; null if the import itself
 * says why it cannot be read.
 */
export type KindRead = string | readonly KindReading[] | { encodings: readonly EncodingReading[] } | null;

/** The kind of a list by its headings, or as each of the kinds that it may have would read it. */
function kindGuessed(bytes: Uint8Array, { kindOf, readAs }: ListImporter): KindRead {
  try {
    return `a list: ${spokenKind(kindOf?.(bytes) ?? "")}, as its headings say`;
  } catch (error) {
    return readAs?.(bytes, choicesIn(error).filter(isListKind)) ?? null;
  }
}

/** The choices of a question. Throws any other error. */
function choicesIn(error: unknown): readonly string[] {
  const choices = error instanceof FormatError && error.problems[0]?.choices;
  if (!choices) throw error;
  return choices;
}

/** In which encodings a text could be read, where that is not clear. */
function encodingsOf(bytes: Uint8Array): KindRead | undefined {
  try {
    askEncoding(bytes);
    return undefined;
  } catch (error) {
    return { encodings: readInEach(bytes, choicesIn(error)) };
  }
}

type Answers = Omit<KindsRequest, "files">;

async function kindRead({ path, file }: KindsRequest["files"][number], { as, encoding }: Answers): Promise<KindRead> {
  const importer = await importerOf(
    file,
    scriptKinds.find((kind) => kind === as),
  );
  if (importer === undefined) return extname(file).toLowerCase() === ".json" ? "a document" : null;
  const paper = { file, importer, bytes: bytesOfPaper(path, file) };
  if (!isScript(paper) && !needsKind(paper)) return importer.kind === "list" ? null : "a schedule";
  const bytes = inUtf8(paper.bytes, encoding || undefined);
  const asked = encodingsOf(bytes);
  if (asked !== undefined) return asked;
  if (importer.kind !== "list") return "a script";
  if (isListKind(as)) return `a list: ${spokenKind(as)}`;
  return isList(paper) ? kindGuessed(bytes, paper.importer) : null;
}

/** What each file is read as. */
export async function answer(asked: object): Promise<KindRead[]> {
  const { files, ...said } = asked as KindsRequest; // the page made it
  const kinds = files.map(async (file) => {
    try {
      return await kindRead(file, said);
    } catch (error) {
      if ([CliError, HttpError, FormatError].some((said) => error instanceof said)) return null;
      throw error;
    }
  });
  return Promise.all(kinds);
}
