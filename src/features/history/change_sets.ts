// Stores what an update changed as a change set, in the transaction of the change, and tells what recent ones changed.
import { conflict } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { change, value } from "../../core/store/statements.ts";
import type { Admin } from "../../graph/admin.ts";
import { sentenceOf } from "../documents/applied.ts";
import type { PreparedUpdate } from "../documents/apply/apply.ts";
import type { Applied } from "../documents/changes/commit.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import { type Difference, differenceBy, differenceOf, type ScriptEntry } from "../documents/difference.ts";
import { engine } from "../documents/engine.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";
import type { Done, MadeChange } from "../documents/recording.ts";
import type { SectionName } from "../documents/sections/sections.ts";
import { findSet, listSets } from "./history.ts";

const addSet = change("add_change_set");
const markUndone = change("mark_undone");
const keepMedia = change("keep_media_of_set");
const personName = value<{ id: number }, string>("get_person_name");
const maxText = 500;
const short = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text);

/** Keeps what an update changed, and gives its plan the id of the change set. Must run in the transaction of the change, after it. */
export function recordChangeSet(admin: Admin, planned: PreparedUpdate, done: Done): void {
  const { plan, reading, target } = planned;
  const { script, changes: more = [] } = reading.beside ?? {};
  const changes = [...plan.changes, ...more];
  const difference = differenceOf(changes, target.stored, (noun, name) => target.names.idOf(noun, name));
  const { production_id } = plan;
  plan.change_set = storeSet(admin, production_id, { ...difference, script }, done);
  if (done.undoes !== undefined)
    markUndone(admin.store, { production_id, id: done.undoes, undone_by: plan.change_set });
}

/** Operations have the ids of what they change. */
export const noIds = { names: {}, before: {} };
const addOperations = change("add_change_operations");
const keepMediaOfOperations = change("keep_media_of_operations");
const setSchemaNumber = change("set_schema_number");

/** Keeps the operations of a change set, with the number of the schema that they are of. */
export function keepOperations({ store }: Admin, id: number, operations: readonly RowOperation[]): void {
  addOperations(store, { id, operations: JSON.stringify(operations) });
  keepMediaOfOperations(store, { id });
  setSchemaNumber(store, { id, schema_number: Number(store.database.pragma("user_version", { simple: true })) });
}

/** Keeps what an update by operations changed, and gives its plan the id of the change set. A new production cannot be taken back. */
export function recordOperations(admin: Admin, applied: Applied, done: Done): void {
  const { plan, reading, production_id, operations, update } = applied;
  const { script, changes: more = [] } = reading.beside ?? {};
  const difference = { changes: [...plan.changes, ...more], ids: noIds, script };
  const id = storeSet(admin, production_id, difference, done);
  keepOperations(admin, id, update.options.is_new ? [] : operations);
  plan.change_set = id;
  if (done.undoes !== undefined) markUndone(admin.store, { production_id, id: done.undoes, undone_by: id });
}

/** Stores as a change set what `work` changes of a stored thing; `done` is asked after it. Inside a write transaction. */
export function storeChangeOf(
  admin: Admin,
  about: { production_id: ProductionId; section: SectionName; id: number },
  work: () => void,
  done: () => Done,
): void {
  const { store, now } = admin;
  if (engine.parts === undefined) {
    const difference = differenceBy(store, about, work);
    storeSet(admin, about.production_id, difference, done());
    return;
  }
  const { changes, operations } = engine.parts.operationsOf(store, { ...about, now }, work);
  keepOperations(admin, storeSet(admin, about.production_id, { changes, ids: noIds }, done()), operations);
}

/** Stores a change set. Must run in the transaction of the change. Returns its id. */
export function storeSet(
  { store, now, label, person_id }: Admin,
  production_id: ProductionId,
  { changes, ids, script }: Difference & { script?: readonly ScriptEntry[] | undefined },
  { source, summary, undoes }: Done,
): number {
  const counted = (action: PlannedChange["action"]) => changes.filter((one) => one.action === action).length;
  const sentences = [...Map.groupBy(changes, ({ section }) => section)].map(([section, own]) =>
    sentenceOf(section, own),
  );
  const actor = (person_id === null ? undefined : personName(store, { id: person_id })) ?? label;
  const { id } = addSet(store, {
    production_id,
    now,
    actor,
    undoes: undoes ?? null,
    source: short(source),
    summary: short(summary ?? (sentences.join(". ") || "The text of the script was stored")),
    added: counted("add"),
    changed: counted("change"),
    removed: counted("remove"),
    changes: JSON.stringify(changes),
    ids: JSON.stringify(ids),
    script: script === undefined ? null : JSON.stringify(script),
  });
  keepMedia(store, { id });
  return id;
}

/** How many change sets are searched for the change of a thing. */
const searchedSets = 25;
const maxSetsSince = 500;
/** How many changes these sets may have together: they are read in one turn of the event loop. */
const maxSearched = 5_000;

/**
 * What recent change sets changed of the things of a section, the newest first; only sets after the one with the id `after`. Ends before a
 * set with too many changes; throws 409 if that came after `after`.
 */
export function* changesOf(
  admin: Admin & { production_id: ProductionId },
  section: PlannedChange["section"],
  after = 0,
): Generator<MadeChange> {
  const { store, production_id } = admin;
  const sets = listSets(store, { production_id, limit: after > 0 ? maxSetsSince : searchedSets });
  let searched = 0;
  for (const { id, actor, at, counts } of sets) {
    if (!(id > after)) return;
    searched += counts.added + counts.changed + counts.removed;
    if (searched > maxSearched && after > 0)
      throw conflict("too much was changed since this form was shown; load the page again; nothing was changed");
    if (searched > maxSearched) return;
    for (const change of findSet(admin, id).changes)
      if (change.section === section) yield { set_id: id, actor, at, change };
  }
}
