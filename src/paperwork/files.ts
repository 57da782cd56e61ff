// Reads a file of an import by its extension: a production document, or a file of another program.
import { folderOf } from "../document/attachments.ts";
import { parseDocument, textOf } from "../document/json.ts";
import { type GivenDocument, partialDocument, unreadable } from "../document/read.ts";
import { CliError } from "../errors.ts";
import type { JsonLimits } from "../json.ts";
import { bytesOfPaper, importerOf } from "./papers.ts";
import type { Given } from "./reading.ts";

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
    return "script" in importer ? { file, importer, bytes } : { file, importer, bytes };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return refusedFile(file, error);
  }
}

/** The document for a file that cannot be read; it has that problem. */
const refusedFile = (file: string, { message, problems }: CliError): GivenDocument =>
  unreadable(file, problems.length > 0 ? problems : [{ file, sentence: message }]);
