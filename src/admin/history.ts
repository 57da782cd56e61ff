// The history of a production: each change set, which is stored in the transaction of its change, with what its undo needs.
import * as v from "valibot";
import type { Prepared } from "../document/apply.ts";
import { hashesIn, type Inverse, inverseOf } from "../document/change_set.ts";
import type { PlannedChange } from "../document/plan.ts";
import { describe } from "../inputs.ts";
import { type JsonText, jsonText } from "../json.ts";
import { id, record, text, timestamp } from "../records.ts";
import type { Store } from "../store/database.ts";
import { change, many, one, value } from "../store/statements.ts";
import { type Admin, mayTouch, noSuch } from "./admin.ts";
import { sentenceOf } from "./applied.ts";
import { isEditable } from "./edit.ts";
import { plannedChange, wholeNumber } from "./plan_schema.ts";

const entries = {
  id,
  at: timestamp,
  actor: text,
  source: describe(text, "The files of the import, or what was done."),
  summary: text,
  counts: v.object({ added: wholeNumber, changed: wholeNumber, removed: wholeNumber }),
  undoes: describe(v.nullable(id), "The change set that this one undoes."),
  undone_by: describe(v.nullable(id), "The change set that undoes this one, unless it was undone itself."),
};
export const changeSetRow = record("ChangeSetRow", v.object(entries));
export const changeSet = record(
  "ChangeSet",
  v.object({
    ...entries,
    changes: v.optional(
      describe(
        v.array(plannedChange),
        "Absent if the key has the `edit` scope only and the set changed something else.",
      ),
    ),
  }),
);
export type ChangeSetRow = v.InferOutput<typeof changeSetRow>;
export type ChangeSet = v.InferOutput<typeof changeSet>;

/** A change set with what its undo needs. */
export interface StoredSet extends ChangeSetRow {
  production_id: number;
  changes: PlannedChange[];
  inverse: Inverse;
}

type Row = Omit<ChangeSetRow, "counts"> & { counts: string };
interface Page {
  production_id: number;
  /** Returns only sets with a smaller id; null starts with the newest. */
  before: number | null;
  limit: number;
}

const setsOf = many<Page, Row>("list_change_sets");
const setRow = one<{ id: number }, Row & { production_id: number }>("find_change_set");
const changesOf = one<{ id: number }, { changes: string; inverse: string }>("get_change_set");
const changesText = value<{ id: number; limit: number }, string>("list_set_changes");
const sectionsOf = many<{ id: number }, Pick<PlannedChange, "section"> & { has_script: 0 | 1 }>("list_set_sections");

const shown = <R extends Row>(row: R): Omit<R, "counts"> & ChangeSetRow => ({ ...row, counts: JSON.parse(row.counts) });

/** The change sets of a production, newest first. */
export const listSets = (store: Store, { production_id, before = null, limit }: Omit<Page, "before"> & Partial<Page>) =>
  setsOf(store, { production_id, before, limit }).map(shown);

/** What the list shows of a change set. Throws 404 if there is none, or if the admin may not touch its production. */
export function findSetRow(admin: Admin, id: number): ChangeSetRow & { production_id: number } {
  const found = setRow(admin.store, { id });
  if (found === undefined || !mayTouch(admin, found.production_id))
    throw noSuch(admin, `change set ${id}`, "history --production ID");
  return shown(found);
}

/** A change set with what its undo needs. Throws 404 like findSetRow. */
export function findSet(admin: Admin, id: number): StoredSet {
  const row = findSetRow(admin, id);
  const { changes, inverse } = changesOf(admin.store, { id }) as { changes: string; inverse: string }; // it has been found
  return { ...row, changes: JSON.parse(changes), inverse: JSON.parse(inverse) }; // as they were stored
}

/** A change set as clients see it, with at most `limit` changes; -1: all. Throws 404 like findSetRow. */
export function shownSet(admin: Admin, id: number, limit = -1): JsonText<ChangeSet> {
  const { store, is_editor } = admin;
  const { production_id: _, ...set } = findSetRow(admin, id);
  const text = jsonText<ChangeSet>(set);
  const sections = is_editor ? sectionsOf(store, { id }) : [];
  const isVisible = isEditable(sections, sections[0]?.has_script === 1);
  // The changes stay text, because a set may have many.
  return isVisible ? (`${text.slice(0, -1)},"changes":${changesText(store, { id, limit })}}` as typeof text) : text;
}

const addSet = change<
  Pick<ChangeSetRow, "actor" | "source" | "summary" | "undoes"> &
    ChangeSetRow["counts"] & { production_id: number; now: string; changes: string; inverse: string }
>("add_change_set");
const keepMedia = change<{ id: number; sha256s: string }>("keep_media_of_set");
const maxText = 500;
const short = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text);

/** What was done, beside what the changes say. */
export interface Done {
  /** The files of the import, or what was done. */
  source: string;
  summary?: string;
  undoes?: number;
}

/** Stores the change set of an applied plan, and gives its id to the plan. Must run in the transaction of the change, after it. */
export function recordChangeSet(admin: Admin, planned: Prepared, done: Done): number {
  const { plan, reading, draft } = planned;
  const { script } = reading.beside ?? {};
  const inverse = { ...inverseOf(plan.changes, draft.stored, planned), ...(script !== undefined && { script }) };
  plan.change_set = storeSet(admin, plan.production_id, plan.changes, inverse, done);
  return plan.change_set;
}

/** Stores a change set. Must run in the transaction of the change. Returns its id. */
export function storeSet(
  { store, now, label: actor }: Admin,
  production_id: number,
  changes: readonly PlannedChange[],
  inverse: Inverse,
  { source, summary, undoes }: Done,
): number {
  const counted = (action: PlannedChange["action"]) => changes.filter((one) => one.action === action).length;
  const sentences = [...Map.groupBy(changes, ({ section }) => section)].map(([section, own]) =>
    sentenceOf(section, own),
  );
  const { id } = addSet(store, {
    ...{ production_id, now, actor, undoes: undoes ?? null, source: short(source) },
    summary: short(summary ?? (sentences.join(". ") || "The text of the script was stored")),
    ...{ added: counted("add"), changed: counted("change"), removed: counted("remove") },
    ...{ changes: JSON.stringify(changes), inverse: JSON.stringify(inverse) },
  });
  const replaced = hashesIn([changes.map(({ fields }) => fields.media?.from), Object.values(inverse.former)]);
  if (replaced.length > 0) keepMedia(store, { id, sha256s: JSON.stringify(replaced) });
  return id;
}
