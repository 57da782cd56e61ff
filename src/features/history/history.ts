// The history of a production: what changed it, set by set, with what the undo of each needs.
import * as v from "valibot";
import { type JsonText, jsonText } from "../../core/answers.ts";
import type { ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { describe } from "../../core/inputs.ts";
import { reading } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { many, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { type Admin, requireChangeable } from "../../graph/admin.ts";
import { isEditable } from "../documents/edit_scope.ts";
import { plannedChange, wholeNumber } from "../documents/plan_schema.ts";
import type { PlannedChange } from "../documents/planned.ts";

const entries = {
  id: out.id,
  at: out.timestamp,
  actor: out.text,
  source: describe(out.text, "The files of the import, or what was done."),
  summary: out.text,
  counts: v.object({ added: wholeNumber, changed: wholeNumber, removed: wholeNumber }),
  undoes: describe(v.nullable(out.id), "The change set that this one undoes."),
  undone_by: describe(v.nullable(out.id), "The change set that undoes this one, unless it was undone itself."),
};
const changeSetRow = out.record("ChangeSetRow", v.object(entries));
export const changeSet = out.record(
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

const setRow = value<{ id: number }, string>("find_change_set");
const changesOf = one<{ id: number }, { changes: string; has_script: 0 | 1 }>("get_change_set");
const changesText = value<{ id: number; limit: number }, string>("list_set_changes");
const sectionsOf = many<{ id: number }, Pick<PlannedChange, "section"> & { has_script: 0 | 1 }>("list_set_sections");

export const listHistory = reading({
  name: "list_history",
  summary: "Lists what changed the production by document, list, script decision, reopening or undo, newest first.",
  path: "/admin/history",
  scope: "edit",
  input: v.object({
    limit: v.optional(input.limit, 50),
    before: v.optional(describe(input.id, "Return only change sets older than the one with this id.")),
  }),
  output: v.array(changeSetRow),
});

/** The change sets of a production, newest first. */
export const listSets = (store: Store, { production_id, limit }: { production_id: ProductionId; limit: number }) =>
  JSON.parse(
    listHistory.statement(store, { production_id, engagement_id: null, now: "", limit }).text,
  ) as ChangeSetRow[]; // its rows

/** What the list shows of a change set. Throws 404 if there is none, or if the admin may not touch its production. */
export function findSetRow(admin: Admin, id: number): ChangeSetRow & { production_id: ProductionId } {
  const row = setRow(admin.store, { id });
  return requireChangeable(admin, row && JSON.parse(row), `change set ${id}`, "history --production ID");
}

/** A change set with what it changed. Throws 404 like findSetRow. */
export function findSet(admin: Admin, id: number) {
  const row = findSetRow(admin, id);
  const stored = changesOf(admin.store, { id }) as NonNullable<ReturnType<typeof changesOf>>; // it has been found
  return {
    ...row,
    changes: JSON.parse(stored.changes) as PlannedChange[], // storeSet wrote it
    /** Whether a draft was stored, or its changes were decided. */
    has_script: stored.has_script === 1,
  };
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
