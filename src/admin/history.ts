// The history of a production: what changed it, set by set, with what the undo of each needs.
import * as v from "valibot";
import type { Inverse } from "../document/change_set.ts";
import type { PlannedChange } from "../document/plan.ts";
import { describe } from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import type { Store } from "../store/database.ts";
import { many, one } from "../store/statements.ts";
import { type Admin, mayTouch, noSuch } from "./admin.ts";
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
const storedSet = one<{ id: number }, Row & { production_id: number; changes: string; inverse: string }>(
  "get_change_set",
);

const shown = <R extends Row>(row: R): Omit<R, "counts"> & ChangeSetRow => ({ ...row, counts: JSON.parse(row.counts) });

/** The change sets of a production, newest first. */
export const listSets = (store: Store, { production_id, before = null, limit }: Omit<Page, "before"> & Partial<Page>) =>
  setsOf(store, { production_id, before, limit }).map(shown);

/** A change set with what its undo needs. Throws 404 if there is none, or if the admin may not touch its production. */
export function findSet(admin: Admin, id: number): StoredSet {
  const found = storedSet(admin.store, { id });
  if (found === undefined || !mayTouch(admin, found.production_id))
    throw noSuch(admin, `change set ${id}`, "history --production ID");
  const { changes, inverse } = found;
  return { ...shown(found), changes: JSON.parse(changes), inverse: JSON.parse(inverse) }; // as they were stored
}

/** A change set as clients see it. Throws 404 like findSet. */
export function shownSet(admin: Admin, id: number): v.InferOutput<typeof changeSet> {
  const { inverse, production_id: _, changes, ...set } = findSet(admin, id);
  return admin.is_editor && !isEditable(changes, inverse.script !== undefined) ? set : { ...set, changes };
}
