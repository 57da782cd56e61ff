// Writes a new production in one transaction, once its bytes are staged.
import type { ProductionId } from "../../../core/ids.ts";
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import type { Store } from "../../../core/store/store.ts";
import { fileName } from "../../../graph/media_rows.ts";
import { type DocumentMedia, stageOne } from "../read/read.ts";
import { type Imported, type ReadDocument, refuseTakenTitle } from "../read/whole.ts";
import { eachMedium, fileOfHash, layoutOf, type Raw, rawsOf } from "../sections/form.ts";
import { sectionNames } from "../sections/sections.ts";
import type { WritePlan } from "../update_input.ts";
import type { Applied } from "./commit.ts";
import type { NewProduction } from "./creation.ts";
import { databaseRefusal, discardStaged } from "./failures.ts";
import { settleVersions } from "./following.ts";
import { type Inserts, insertsOf } from "./inserts.ts";
import { toldOf, withBeside } from "./prepare.ts";
import type { RowOperation, Times } from "./row_operation.ts";
import { hashedMedium, type Update } from "./update.ts";

interface CreateOptions {
  now: string;
  progress?: (rows: number) => void;
  write?: WritePlan;
  /** Records what was written, in the same transaction. */
  record?(applied: Applied): void;
}

/** Visits every medium of the things of an update. */
function eachMediumOf(update: Update, visit: (medium: Raw) => void): void {
  for (const section of sectionNames)
    for (const { next } of update.items(section).values()) eachMedium(next, layoutOf(section), "", visit);
}

/**
 * Stages the bytes of every medium, and gives it their hash. `staged` is correct also if this throws. Returns the
 * number of media.
 */
async function stageAll(blobs: Blobs, update: Update, folder: string, staged: Map<string, Staged>): Promise<number> {
  const all: Raw[] = [];
  eachMediumOf(update, (medium) => all.push(medium));
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

/** The operations of a new production, made one after the other: there may be very many. */
function* operationsOf(
  { update, listed }: NewProduction,
  staged: ReadonlyMap<string, Staged>,
): Generator<RowOperation> {
  const { operations, production, rows } = update;
  yield* operations.of("production", rows.production_id, {
    before: undefined,
    next: production.next,
    order: undefined,
  });
  for (const { item } of listed.items)
    for (const one of operations.of(item.section, item.id, { before: undefined, next: item.next, order: item.order })) {
      const { table, to } = one;
      if (table === "media" && to !== null && !Array.isArray(to)) {
        const type = staged.get(String(to.sha256))?.content_type ?? "";
        to.path = `${to.id}/${fileName(String(to.label), type)}`;
      }
      yield one;
    }
}

function countsOf({ update }: NewProduction): Pick<Imported, "scenes" | "assets" | "versions"> {
  const assets = [...update.items("assets").values()];
  const versions = assets.reduce((sum, { next }) => sum + rawsOf(next?.versions).length, 0);
  return { scenes: update.items("scenes").size, assets: assets.length, versions };
}

interface Creation extends Pick<ReadDocument, "beside"> {
  store: Store;
  blobs: Blobs;
  made: NewProduction;
  staged: ReadonlyMap<string, Staged>;
}

/** The rows of what a document makes, with the ids after those that are stored. */
function rowsOf({ store, made, staged, beside }: Creation, now: string): Inserts {
  const { update } = made;
  update.rows.store = store;
  update.operations.settle(now);
  update.rows.production_id = update.operations.next("productions");
  const own = operationsOf(made, staged);
  return insertsOf(beside === undefined ? own : withBeside(store, update, beside, [...own], now));
}

/** Writes what a document makes. In a write transaction. */
function insert(
  creation: Creation,
  prepared: Inserts,
  { now, planned }: Times,
  progress: CreateOptions["progress"],
): Applied {
  const { store, blobs, made, beside, staged } = creation;
  const { update, plan, listed } = made;
  const inserts = update.operations.areNext() ? prepared : rowsOf(creation, now);
  const production_id = update.rows.production_id as ProductionId; // that of the new row
  if (staged.size > 0) blobs.place([...staged.values()], now);
  store.database.pragma("defer_foreign_keys = ON");
  const rows = inserts.insert(store.database, { now, planned }, progress);
  settleVersions(store, production_id, update, now);
  plan.production_id = production_id;
  for (const change of plan.changes) change.id = production_id;
  const reading = { documents: [], ...(beside && { beside }) };
  const about = { plan, update, listed, operations: [], reading };
  const applied: Applied = { store, production_id, now, tables: new Set(), rows, ...about, ...toldOf(update) };
  beside?.write?.(applied, applied);
  return applied;
}

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
  const { made, folder, title, beside } = read;
  refuseTakenTitle(store, read);
  const staged = new Map<string, Staged>();
  try {
    const media = await stageAll(blobs, made.update, folder, staged);
    const creation = { store, blobs, made, staged, ...(beside && { beside }) };
    const prepared = rowsOf(creation, now);
    let rows = 0;
    await write((at = now) => {
      refuseTakenTitle(store, read);
      const applied = insert(creation, prepared, { now: at, planned: now }, progress);
      rows = applied.rows;
      record(applied);
      return made.plan;
    });
    return { production_id: made.plan.production_id, title, ...countsOf(made), media, rows };
  } catch (error) {
    throw databaseRefusal(error, sectionNames);
  } finally {
    await discardStaged(blobs, staged);
  }
}
