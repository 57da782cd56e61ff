// Says what each file of an import is read as, on the thread of a job: to guess the kind of a list takes long where a file has many cells.
import { extname } from "node:path";
import { CliError, HttpError } from "../../../core/errors.ts";
import { FormatError } from "../../paperwork/findings.ts";
import { isList } from "../../paperwork/importers.ts";
import { bytesOfPaper, importerOf } from "../importers.ts";
import type { JobFile } from "../jobs/import_job.ts";
import { isListKind, scriptKinds } from "../kinds.ts";

export interface KindsRequest {
  files: readonly Extract<JobFile, { path: string }>[];
  /** What the person says the files are; empty if nothing. */
  as: string;
}

/** What a file is read as, in words; undefined if the import itself says why it cannot be read. */
async function kindRead({ path, file }: KindsRequest["files"][number], as: string): Promise<string | undefined> {
  const importer = await importerOf(
    file,
    scriptKinds.find((kind) => kind === as),
  );
  if (importer === undefined) return extname(file).toLowerCase() === ".json" ? "a document" : undefined;
  if (importer.kind !== "list") return importer.kind === "script" ? "a script" : "a schedule";
  if (isListKind(as)) return `a list: ${as.replaceAll("-", " ")}`;
  const paper = { file, importer, bytes: bytesOfPaper(path, file) };
  if (!isList(paper) || paper.importer.kindOf === undefined) return undefined;
  return `a list: ${paper.importer.kindOf(paper.bytes).replaceAll("-", " ")}, as its headings say`;
}

/** What each file is read as; null if the import itself says why it cannot be read. */
export async function answer(asked: object): Promise<(string | null)[]> {
  const { files, as } = asked as KindsRequest; // the page made it
  const kinds = files.map(async (file) => {
    try {
      return (await kindRead(file, as)) ?? null;
    } catch (error) {
      if ([CliError, HttpError, FormatError].some((said) => error instanceof said)) return null;
      throw error;
    }
  });
  return Promise.all(kinds);
}
