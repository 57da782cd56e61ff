// Stores what an update changed as a change set, in the transaction of the change, and tells what recent ones changed.
import { conflict } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { schemaOf } from "../../core/store/migrations.ts";
import { change, value } from "../../core/store/statements.ts";
import type { Admin } from "../../graph/admin.ts";
import { operationsOf } from "../documents/changes/between.ts";
import type { Applied } from "../documents/changes/commit.ts";
import { isScriptTable, type RowOperation } from "../documents/changes/row_operation.ts";
import type { PlannedChange } from "../documents/planned.ts";
import type { Done, MadeChange } from "../documents/recording.ts";
import type { SectionName } from "../documents/sections/sections.ts";
import { sentenceOf } from "../documents/sentences.ts";
import { findSet, listSets } from "./history.ts";

const addSet = change("add_change_set");
const addOperations = change("add_change_operations");
const keepMedia = change("keep_media_of_operations");
const markUndone = change("mark_undone");
const personName = value<{ id: number }, string>("get_person_name");
export const used = ["add_change_set", "add_change_operations"] as const;
const maxText = 500;
const short = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text);

/** What is kept of a change set. */
interface Difference {
  changes: readonly PlannedChange[];
  operations: readonly RowOperation[];
}

const isOfStoredScript = ({ section, from, to }: RowOperation): boolean =>
  isScriptTable(section) || (section === "script_changes" && from !== null && to !== null);

/** Keeps what an update changed, and gives its plan the id of the change set. A new production cannot be taken back. */
export function recordChangeSet(admin: Admin, applied: Applied, done: Done): void {
  const { plan, reading, production_id, operations, update } = applied;
  const changes = [...plan.changes, ...(reading.beside?.changes ?? [])];
  const id = storeSet(admin, production_id, { changes, operations: update.options.is_new ? [] : operations }, done);
  plan.change_set = id;
  if (done.undoes !== undefined) markUndone(admin.store, { production_id, id: done.undoes, undone_by: id });
}

/**
 * Stores as a change set what `work` changes of a stored thing; `done` is asked after it. Inside a write transaction.
 */
export function storeChangeOf(
  admin: Admin,
  about: { production_id: ProductionId; section: SectionName; id: number },
  work: () => void,
  done: () => Done,
): void {
  const { store, now } = admin;
  const difference = operationsOf(store, { ...about, now }, work);
  storeSet(admin, about.production_id, difference, done());
}

/** Stores a change set with the number of the schema that its operations are of. Returns its id. */
function storeSet(
  { store, now, label, person_id }: Admin,
  production_id: ProductionId,
  { changes, operations }: Difference,
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
    has_script: Number(operations.some(isOfStoredScript)),
    schema_number: schemaOf(store.database),
  });
  addOperations(store, { id, operations: JSON.stringify(operations) });
  if (operations.some(({ table }) => table === "media")) keepMedia(store, { id });
  return id;
}

/** How many change sets are searched for the change of a thing. */
const searchedSets = 25;
const maxSetsSince = 500;
/** How many changes these sets may have together: they are read in one turn of the event loop. */
const maxSearched = 5_000;

/**
 * What recent change sets changed of the things of a section, the newest first; only sets after the one with the id
 * `after`. Ends before a set with too many changes; throws 409 if that came after `after`.
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
