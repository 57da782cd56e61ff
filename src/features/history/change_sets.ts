// Stores what an update changed as a change set, in the transaction of the change.

import type { Admin } from "../../core/admin.ts";
import { change, value } from "../../core/store/statements.ts";
import { recordApplied, sentenceOf } from "../documents/applied.ts";
import type { Prepared } from "../documents/apply/apply.ts";
import { type Inverse, inverseOf } from "../documents/apply/undo.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";

const addSet = change("add_change_set");
const keepMedia = change("keep_media_of_set");
const personName = value<{ id: number }, string>("get_person_name");
const maxText = 500;
const short = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text);

/** What was done, beside what the changes say. */
export interface Done {
  /** The files of the import, or what was done. */
  source: string;
  summary?: string;
  undoes?: number;
}

/** Records an applied plan and its change set, and gives the plan its id. Must run in the transaction of the change, after it. */
export function recordChangeSet(admin: Admin, planned: Prepared, writer: Writer, done: Done): number {
  recordApplied(admin, planned, writer, done.undoes === undefined ? undefined : done.summary);
  const { plan, reading, draft } = planned;
  const { script, changes: more = [] } = reading.beside ?? {};
  const changes = [...plan.changes, ...more];
  const inverse = { ...inverseOf(changes, draft.stored, planned), ...(script !== undefined && { script }) };
  plan.change_set = storeSet(admin, plan.production_id, changes, inverse, done);
  return plan.change_set;
}

/** Stores a change set. Must run in the transaction of the change. Returns its id. */
export function storeSet(
  { store, now, label, person_id }: Admin,
  production_id: number,
  changes: readonly PlannedChange[],
  inverse: Inverse,
  { source, summary, undoes }: Done,
): number {
  const counted = (action: PlannedChange["action"]) => changes.filter((one) => one.action === action).length;
  const sentences = [...Map.groupBy(changes, ({ section }) => section)].map(([section, own]) =>
    sentenceOf(section, own),
  );
  const actor = (person_id === null ? undefined : personName(store, { id: person_id })) ?? label;
  const { id } = addSet(store, {
    ...{ production_id, now, actor, undoes: undoes ?? null, source: short(source) },
    summary: short(summary ?? (sentences.join(". ") || "The text of the script was stored")),
    ...{ added: counted("add"), changed: counted("change"), removed: counted("remove") },
    ...{ changes: JSON.stringify(changes), inverse: JSON.stringify(inverse) },
  });
  keepMedia(store, { id });
  return id;
}
