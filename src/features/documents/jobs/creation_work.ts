// The creation of a production that a job does: from a script, or of a title alone.
import { CliError, conflict } from "../../../core/errors.ts";
import { listProductions } from "../../../graph/find_production.ts";
import { noFlags } from "../import_flags.ts";
import {
  bytesOfPaper,
  importerOf,
  loadPaperwork,
  nameOfFile,
  type PlannedProduction,
  textOfDocument,
  theFile,
} from "../importers.ts";
import { createFrom } from "../production_update.ts";
import { checkedDocument, type ReadDocument } from "../read/whole.ts";
import type { WorkModule } from "./import_job.ts";

export interface CreationRequest {
  title: string | undefined;
  /** A staged file, and how the client called it. */
  script: { path: string; file: string } | undefined;
  /** Set for a series: the code of its first episode, which the title page of the script may say, and its season. */
  series?: { code: string | undefined; season: number } | undefined;
  /** Whether it is only created if there is no production yet. */
  is_first: boolean;
}

/** 409: somebody asks for the first production, and there is one. */
export const notTheFirst = () =>
  conflict(
    "this server has a production already, so no other one was created; sign in to that one, and begin others there, in Settings, Productions",
  );

/** The production that is asked for. Throws CliError with what is wrong with its script or its title. */
async function readProduction({ title, script, series }: CreationRequest, now: string): Promise<ReadDocument> {
  const { code, season } = series ?? {};
  if (script === undefined) {
    const empty = { document: "tallylight production", document_version: 1, production: { title } };
    const fields = { format: "episodic", season_number: season, current_episode: code };
    const begun = { production: { title, ...fields }, episodes: [{ code, title: code }] };
    return checkedDocument(series === undefined ? empty : { ...empty, ...begun }, "the form", "");
  }
  const { path } = script;
  const file = nameOfFile(script.file);
  const importer = await importerOf(file);
  if (importer === undefined) textOfDocument(path, file, theFile); // says what it is
  if (importer?.kind !== "script")
    throw new CliError(`choose a script: a .fountain or .fdx file, which ${file} is not`);
  const paper = { file, importer, bytes: bytesOfPaper(path, file, theFile) };
  const flags = code === undefined ? noFlags : { ...noFlags, episode: code };
  const [planned] = (await loadPaperwork()).newProductions([paper], flags, { title, now, season });
  const { read, episode } = (planned as PlannedProduction).make(); // one file makes one
  if (series === undefined && episode !== undefined)
    throw new CliError(`the title page of the script names episode ${episode}: choose Series`);
  return read;
}

/**
 * Returns the plan, which has the id of the production. Creations run one after the other, so of two first ones the
 * second is refused.
 */
export const perform: WorkModule["perform"] = async (admin, blobs, asked, write) => {
  const request = asked as CreationRequest; // the form made it
  if (request.is_first && listProductions(admin.store).length > 0) throw notTheFirst();
  const read = await readProduction(request, admin.now);
  await createFrom(admin, blobs, read, { write });
  return read.made.plan;
};
