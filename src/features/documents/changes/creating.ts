// A new production of whole documents: it is made and checked without a database, and written as an update is.
import type { ProductionId } from "../../../core/ids.ts";
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import type { Store } from "../../../core/store/store.ts";
import { append } from "../../sequences/sequences.ts";
import type { Plan } from "../planned.ts";
import { type DocumentMedia, stageOne } from "../read/read.ts";
import { type Source, unchangedWarnings } from "../read/sources.ts";
import type { Imported, ReadDocument } from "../read/whole.ts";
import { refusedFile } from "../refusals.ts";
import { eachMedium, fileOfHash, layoutOf, type Raw, rawsOf } from "../sections/form.ts";
import { sectionNames } from "../sections/sections.ts";
import { productionOfTitle } from "./check.ts";
import { type Applied, type CommitOptions, commit } from "./commit.ts";
import { discardStaged } from "./failures.ts";
import type { Listed } from "./plan.ts";
import { complete, mergeDocuments, operationsOf, type Prepared, withBeside } from "./prepare.ts";
import { Rows } from "./rows.ts";
import { hashedMedium, Update } from "./update.ts";

/** What whole documents make, before it has a database. */
export interface NewProduction {
  update: Update;
  listed: Listed;
  plan: Plan;
}

/** No production has it. */
const noProduction = -1 as ProductionId; // no id of a row

/** Makes and checks the things of whole documents. Throws CliError with every problem. */
export function newProduction(sources: readonly Source[]): NewProduction {
  const options = { now: "", exact: false, is_new: true };
  const update = new Update(new Rows(undefined, noProduction), sources, options);
  mergeDocuments(update);
  const made = complete(update, undefined, { ...options, production_id: noProduction, dry_run: false });
  append(made.plan.warnings, sources.flatMap(unchangedWarnings));
  return { update, ...made };
}

/** Throws CliError if the database has a production of the document's title. */
export function refuseTakenTitle(store: Store, { file, title }: ReadDocument): void {
  const taken = productionOfTitle(store, { title });
  if (taken === undefined) return;
  const where = `production ${taken.id}`;
  throw refusedFile(file, `production.title is taken: ${where} is "${title}" already; --${where} updates it`);
}

/**
 * Stages the bytes of every medium, and gives it their hash. `staged` is correct also if this throws. Returns the
 * number of media.
 */
async function stageAll(blobs: Blobs, { made, folder }: ReadDocument, staged: Map<string, Staged>): Promise<number> {
  const all: Raw[] = [];
  for (const section of sectionNames)
    for (const { next } of made.update.items(section).values())
      eachMedium(next, layoutOf(section), "", (medium) => all.push(medium));
  for (const medium of all) {
    const one = await stageOne(blobs, medium as DocumentMedia, folder); // as the schema has it
    if (staged.has(one.sha256)) await blobs.discard(one);
    else staged.set(one.sha256, one);
    const hashed = hashedMedium({ ...medium, file: fileOfHash(one.sha256) });
    for (const field of Object.keys(medium)) delete medium[field];
    Object.assign(medium, hashed);
  }
  await blobs.prepare([...staged.values()]);
  return all.length;
}

/** The new production with the ids after those that are stored. Throws CliError if its title is taken. */
function prepareNew(store: Store, read: ReadDocument, now: string): Prepared {
  refuseTakenTitle(store, read);
  const { beside, made } = read;
  const { update, listed, plan } = made;
  update.rows.store = store;
  update.operations.settle(now);
  const id = update.operations.next("productions") as ProductionId; // that of the new row
  update.rows.production_id = id;
  plan.production_id = id;
  for (const change of plan.changes) change.id = id;
  const operations = withBeside(store, update, beside, operationsOf(update, listed), now);
  const reading = { documents: [], ...(beside && { beside }) };
  return { ...made, operations, reading, at: store.revision(), clashes: undefined };
}

function countsOf({ update }: NewProduction): Pick<Imported, "scenes" | "assets" | "versions"> {
  const assets = [...update.items("assets").values()];
  const versions = assets.reduce((sum, { next }) => sum + rawsOf(next?.versions).length, 0);
  return { scenes: update.items("scenes").size, assets: assets.length, versions };
}

type CreateOptions = Pick<CommitOptions, "now" | "progress"> & Partial<Pick<CommitOptions, "write" | "record">>;

/**
 * Creates the production of a checked document, which cannot be used again. Returns its id and counts. Throws CliError
 * if a production with its title exists. If it fails, no row and no bytes remain.
 */
export async function importDocument(
  store: Store,
  blobs: Blobs,
  read: ReadDocument,
  { now, progress, record = () => {}, write = async (work) => store.writeSync(() => work()) }: CreateOptions,
): Promise<Imported> {
  refuseTakenTitle(store, read);
  const staged = new Map<string, Staged>();
  try {
    const media = await stageAll(blobs, read, staged);
    let rows = 0;
    const prepared = () => prepareNew(store, read, now);
    const noting = (applied: Applied) => {
      rows = applied.rows;
      record(applied);
    };
    const options = { now, dry_run: false, progress, write, record: noting };
    const { production_id } = await commit({ store, blobs, staged, prepared, options });
    return { production_id, title: read.title, ...countsOf(read.made), media, rows };
  } finally {
    await discardStaged(blobs, staged);
  }
}
