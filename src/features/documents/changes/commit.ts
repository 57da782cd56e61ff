// Writes a prepared update in one short transaction, if each of its operations finds what it expects. A dry run is
// rolled back.
import { setImmediate } from "node:timers/promises";
import { busy, conflict, type HttpError } from "../../../core/errors.ts";
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import type { Store } from "../../../core/store/store.ts";
import { refuseFrozen } from "../../../core/store/transactions.ts";
import { cut } from "../../../core/wording.ts";
import { fileName } from "../../../graph/media_rows.ts";
import type { Plan } from "../planned.ts";
import { type InputDocument, stageOne } from "../read/read.ts";
import { refuseDocuments } from "../read/sources.ts";
import { notImported } from "../refusals.ts";
import type { Documents, UpdateInput, WritePlan, Written } from "../update_input.ts";
import { refuseRemoval } from "./check.ts";
import { databaseRefusal, discardStaged, isConstraint } from "./failures.ts";
import { leave, settleVersions, shownInLists, touchOthers } from "./following.ts";
import { type Inserts, insertsOf } from "./inserts.ts";
import type { Listed } from "./plan.ts";
import { hasTwin, type Prepared, type PrepareRequest, prepare, toldOf } from "./prepare.ts";
import { referrerTo } from "./references.ts";
import { otherThan, replay, touchOwn } from "./replay.ts";
import { type RowOperation, stampedOperations } from "./row_operation.ts";
import type { Row } from "./rows.ts";
import { isPlacedElsewhere } from "./scene_order.ts";
import type { Update } from "./update.ts";
import { warningsOf } from "./warnings.ts";

/** An update that is written, in its transaction. */
export interface Applied extends Written {
  plan: Plan;
  update: Update;
  listed: Listed;
  operations: readonly RowOperation[];
  reading: UpdateInput;
}

export interface CommitOptions extends Pick<PrepareRequest, "now" | "dry_run"> {
  /** The update is refused if what it would change is another than in this revision. */
  if_revision?: string | undefined;
  write: WritePlan;
  progress?: ((rows: number) => void) | undefined;
  /** Loads what the record needs, before the transaction. */
  load?(plan: Plan): Promise<void>;
  /** Records what was written, in the same transaction. */
  record(applied: Applied): void;
}

/** Something is another than it was when the update was prepared: it is prepared again. */
class Stale extends Error {}
/** What a dry run throws, so that nothing stays. */
class RolledBack extends Error {}

/** How often an update is prepared, each time without the lock. */
const tries = 8;
const changedMeanwhile = (): HttpError => busy("the production changed each time it was compared; nothing was changed");

/**
 * Whether an operation does not find what it expects; of a new production, whether an id is taken. Nobody else wrote if
 * the store has the same revision.
 */
function isStale(store: Store, prepared: Prepared): boolean {
  const { update, reading, operations, at } = prepared;
  if (update.options.is_new) return !update.operations.areNext();
  if (store.revision() <= at) return false;
  const isOther = store.changedAt(update.rows.production_id) > at;
  // What is written beside the documents was made of more than what changes.
  if (isOther && (reading.beside !== undefined || hasTwin(store, prepared) || isPlacedElsewhere(update))) return true;
  return operations.some((one) => otherThan(store.database, one) !== undefined);
}

/** Throws what keeps things that are gone from being removed. */
function refuseDangling({ update, listed }: Prepared): void {
  for (const { item } of listed.items) {
    const why = item.next === undefined ? referrerTo(update, item) : undefined;
    if (why !== undefined) refuseRemoval(update, item, why);
  }
  if (update.sources.some(({ problems }) => problems.any)) refuseDocuments(update.sources);
}

/** What is prepared, with the rows that it inserts: both are made before the lock is taken. */
interface Ready {
  prepared: Prepared;
  inserts: Inserts;
}

/** The media that operations add. */
const newMedia = (operations: readonly RowOperation[]): Row[] =>
  operations.flatMap(({ table, from, to }) =>
    table === "media" && from === null && to !== null && !Array.isArray(to) ? [to] : [],
  );

function readyOf(prepared: Prepared, staged: ReadonlyMap<string, Staged>): Ready {
  for (const medium of newMedia(prepared.operations)) {
    const { sha256, label, id, path } = medium;
    const type = staged.get(String(sha256))?.content_type ?? "";
    if (path === String(id)) medium.path = `${id}/${fileName(String(label), type)}`;
  }
  return { prepared, inserts: insertsOf(prepared.operations) };
}

/** Writes what was prepared. In a write transaction. */
function apply(store: Store, { prepared, inserts }: Ready, options: CommitOptions, now: string): Plan {
  const { dry_run, progress } = options;
  const { update, plan, listed, reading } = prepared;
  const { production_id } = update.rows;
  const times = { now, planned: options.now, returns: reading.turn !== undefined };
  const operations = stampedOperations(prepared.operations, times);
  const tables = new Set(operations.map(({ table }) => table));
  if (tables.has("nodes") || tables.has("engagements")) leave(store, production_id, operations);
  const rows = replay(store.database, operations, times, { inserts, progress });
  if (update.has("approvals")) settleVersions(store, production_id, update, now);
  let done = plan;
  // A new production has the times of its documents, and nothing to warn of beside what these say.
  if (!update.options.is_new) {
    touchOwn(store.database, operations, times);
    if (!tables.isDisjointFrom(shownInLists)) touchOthers(store, prepared, production_id, now);
    done = { ...plan, warnings: [...warningsOf(update, store, prepared.clashes), ...plan.warnings] };
  }
  const about = { plan: done, update, listed, operations, reading };
  const applied: Applied = { store, production_id, now, tables, rows, ...about, ...toldOf(update) };
  if (!dry_run) for (const { item, change } of listed.items) if (change !== undefined) change.id = item.id;
  reading.beside?.write?.(applied, applied);
  refuseDangling(prepared);
  if (!dry_run) options.record(applied);
  return done;
}

/** Stages the bytes of new media that are not staged yet. */
async function stage(
  blobs: Blobs,
  documents: readonly InputDocument[],
  operations: readonly RowOperation[],
  staged: Map<string, Staged>,
): Promise<void> {
  for (const { sha256 } of newMedia(operations)) {
    if (typeof sha256 !== "string" || staged.has(sha256)) continue;
    // what an undo brings back is stored
    const stored = { media: { file: blobs.fileOf(sha256) }, folder: "" };
    const { media, folder } = documents.find((one) => one.media.has(sha256))?.media.get(sha256) ?? stored;
    const one = await stageOne(blobs, media, folder);
    if (one.sha256 !== sha256) throw notImported(`${media.file} changed while it was read`);
    staged.set(sha256, one);
    await blobs.prepare([one]);
  }
}

const isIdle = ({ operations, reading, plan }: Prepared): boolean =>
  operations.length === 0 && reading.beside === undefined && plan.changes.length === 0;

function checkRevision({ if_revision }: CommitOptions, { revision }: Plan): void {
  if (if_revision === undefined || if_revision === revision) return;
  const why = "what this would change is another by now";
  throw conflict(
    `the production is at revision ${revision}, not ${cut(String(if_revision))}: ${why}; nothing was changed`,
  );
}

/** What is written: how it is prepared, each time as it would be now, and the bytes that are staged for it. */
interface Committing {
  store: Store;
  blobs: Blobs;
  staged: Map<string, Staged>;
  prepared(): Prepared;
  options: CommitOptions;
}

/** Runs the transaction of a prepared update. Undefined if it must be prepared again. */
async function run(committing: Committing, prepared: Prepared): Promise<Plan | undefined> {
  const { store, blobs, staged, options } = committing;
  const { update, at } = prepared;
  let rehearsed: Plan | undefined;
  let ready = readyOf(prepared, staged);
  try {
    return await options.write((now = options.now) => {
      if (!options.dry_run) refuseFrozen(store, update.rows.production_id);
      if (isStale(store, prepared)) {
        if (!update.options.is_new) throw new Stale();
        ready = readyOf(committing.prepared(), staged); // it takes other ids
      }
      if (!options.dry_run && staged.size > 0) blobs.place([...staged.values()], now);
      const plan = apply(store, ready, options, now);
      if (!options.dry_run) return plan;
      rehearsed = plan;
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack) return rehearsed;
    if (error instanceof Stale) return undefined;
    // What the update refers to may be gone, or an id or a name may be taken.
    if (store.revision() > at + 1 && isConstraint(error)) return undefined;
    throw databaseRefusal(error, update.given);
  }
}

/** Prepares and writes an update or a new production. Returns the plan. Throws like updateProduction. */
export async function commit(committing: Committing): Promise<Plan> {
  const { store, blobs, staged, options } = committing;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const prepared = committing.prepared();
    const { update, plan, reading, operations } = prepared;
    checkRevision(options, plan);
    if (isIdle(prepared)) return { ...plan, warnings: [...warningsOf(update, store, undefined), ...plan.warnings] };
    if (!options.dry_run) await stage(blobs, reading.documents, operations, staged);
    await options.load?.(plan);
    const done = await run(committing, prepared);
    if (done !== undefined) return done;
    await setImmediate();
  }
  throw changedMeanwhile();
}

/**
 * Updates a production. Returns the plan, with new ids if it was applied. Reading, comparing and staging media happen
 * without a lock. Throws CliError with every problem of every document, 409 for another revision, and 503 if others
 * changed what it changes in each try; then nothing is written.
 */
export async function updateProduction(
  store: Store,
  blobs: Blobs,
  documents: Documents,
  options: CommitOptions & PrepareRequest,
): Promise<Plan> {
  const staged = new Map<string, Staged>();
  const prepared = () => store.database.transaction(() => prepare(store, documents, options))();
  try {
    return await commit({ store, blobs, staged, prepared, options });
  } finally {
    if (staged.size > 0) await discardStaged(blobs, staged);
  }
}
