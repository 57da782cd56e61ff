// Writes a prepared update in one short transaction, if each of its operations finds what it expects. A dry run is
// rolled back.
import { setImmediate } from "node:timers/promises";
import { busy, conflict, type HttpError } from "../../../core/errors.ts";
import type { ProductionId } from "../../../core/ids.ts";
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
import { otherThan, replay } from "./replay.ts";
import { type RowOperation, stampedOperations } from "./row_operation.ts";
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

export interface CommitOptions extends PrepareRequest {
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

/** Throws Stale if an operation does not find what it expects. Nobody else wrote if the store has the same revision. */
function checkFresh(store: Store, prepared: Prepared, production_id: ProductionId): void {
  if (store.revision() <= prepared.at) return;
  const isOther = store.changedAt(production_id) > prepared.at;
  // What is written beside the documents was made of more than what changes.
  if (isOther && (prepared.reading.beside !== undefined || hasTwin(store, prepared))) throw new Stale();
  if (prepared.operations.some((one) => otherThan(store.database, one) !== undefined)) throw new Stale();
}

/** Throws what keeps things that are gone from being removed. */
function refuseDangling({ update, listed }: Prepared): void {
  for (const { item } of listed.items) {
    const why = item.next === undefined ? referrerTo(update, item) : undefined;
    if (why !== undefined) refuseRemoval(update, item, why);
  }
  if (update.sources.some(({ problems }) => problems.any)) refuseDocuments(update.sources);
}

/** What is made ready before the lock is taken. */
interface Ready {
  staged: ReadonlyMap<string, Staged>;
  inserts: Inserts;
}

/** Writes what was prepared. In a write transaction. */
function apply(
  store: Store,
  blobs: Blobs,
  prepared: Prepared,
  { staged, inserts }: Ready,
  options: CommitOptions,
  now: string,
): Plan {
  const { production_id, dry_run, progress } = options;
  const { update, plan, listed, reading } = prepared;
  const operations = stampedOperations(prepared.operations, { now, planned: options.now });
  if (!dry_run) refuseFrozen(store, production_id);
  checkFresh(store, prepared, production_id);
  if (!dry_run && staged.size > 0) blobs.place([...staged.values()], now);
  const tables = new Set(operations.map(({ table }) => table));
  if (tables.has("nodes") || tables.has("engagements")) leave(store, production_id, operations);
  const rows = replay(
    store.database,
    operations,
    { now, planned: options.now, returns: reading.turn !== undefined },
    { inserts, progress },
  );
  if (update.has("approvals")) settleVersions(store, production_id, update, now);
  if (!tables.isDisjointFrom(shownInLists)) touchOthers(store, prepared, production_id, now);
  const done: Plan = { ...plan, warnings: [...warningsOf(update, store, prepared.clashes), ...plan.warnings] };
  const about = { plan: done, update, listed, operations, reading };
  const applied: Applied = { store, production_id, now, tables, rows, ...about, ...toldOf(update) };
  if (!dry_run) for (const { item, change } of listed.items) if (change !== undefined) change.id = item.id;
  reading.beside?.write?.(applied, applied);
  refuseDangling(prepared);
  if (!dry_run) options.record(applied);
  return done;
}

/** Stages the bytes that operations need and that are not staged yet, and settles the paths of their media. */
async function stage(
  blobs: Blobs,
  documents: readonly InputDocument[],
  operations: readonly RowOperation[],
  staged: Map<string, Staged>,
): Promise<void> {
  for (const { table, from, to } of operations) {
    if (table !== "media" || from !== null || to === null || Array.isArray(to) || typeof to.sha256 !== "string")
      continue;
    const { sha256, label, id } = to;
    const given = documents.find(({ media }) => media.has(sha256))?.media.get(sha256);
    if (!staged.has(sha256)) {
      // what an undo brings back is stored
      const found = given ?? { media: { file: blobs.fileOf(sha256) }, folder: "" };
      const one = await stageOne(blobs, found.media, found.folder);
      if (one.sha256 !== sha256) throw notImported(`${found.media.file} changed while it was read`);
      staged.set(sha256, one);
      await blobs.prepare([one]);
    }
    const type = staged.get(sha256)?.content_type ?? "";
    if (to.path === String(id)) to.path = `${id}/${fileName(String(label), type)}`;
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

/** Runs the transaction of a prepared update. Undefined if it must be prepared again. */
async function run(
  store: Store,
  blobs: Blobs,
  prepared: Prepared,
  staged: ReadonlyMap<string, Staged>,
  options: CommitOptions,
): Promise<Plan | undefined> {
  let rehearsed: Plan | undefined;
  const ready = { staged, inserts: insertsOf(prepared.operations) };
  try {
    return await options.write((now = options.now) => {
      const plan = apply(store, blobs, prepared, ready, options, now);
      if (!options.dry_run) return plan;
      rehearsed = plan;
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack) return rehearsed;
    if (error instanceof Stale) return undefined;
    // What the update refers to may be gone, or an id or a name may be taken.
    if (store.revision() > prepared.at + 1 && isConstraint(error)) return undefined;
    throw databaseRefusal(error, prepared.update.given);
  }
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
  options: CommitOptions,
): Promise<Plan> {
  const staged = new Map<string, Staged>();
  try {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const prepared = store.database.transaction(() => prepare(store, documents, options))();
      checkRevision(options, prepared.plan);
      if (isIdle(prepared)) {
        return {
          ...prepared.plan,
          warnings: [...warningsOf(prepared.update, store, undefined), ...prepared.plan.warnings],
        };
      }
      if (!options.dry_run) await stage(blobs, prepared.reading.documents, prepared.operations, staged);
      await options.load?.(prepared.plan);
      const done = await run(store, blobs, prepared, staged, options);
      if (done !== undefined) return done;
      await setImmediate();
    }
    throw changedMeanwhile();
  } finally {
    if (staged.size > 0) await discardStaged(blobs, staged);
  }
}
