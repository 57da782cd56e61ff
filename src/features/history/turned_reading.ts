// What takes a change set back by its operations turned round.
import { conflict } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { migrations } from "../../core/store/migrations.ts";
import { value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { Admin } from "../../graph/admin.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import { checkSet } from "../documents/edit_scope.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import { emptyDocument } from "../documents/read/read.ts";
import { findSet } from "./history.ts";
import { Turning, turnedOperations } from "./turning.ts";
import { refuseConflicts, type ScriptUndoModule, sinceOf } from "./undo.ts";

const schemaNumber = value<{ id: number }, number | null>("get_schema_number");

/** Throws 409 for a change set that cannot be turned round: one of an older version, or from before its tables were others. */
function checkSchema(store: Store, id: number): void {
  const recorded = schemaNumber(store, { id }) ?? null;
  if (recorded === null)
    throw conflict(`change set ${id} is of an older version, which can be read and not undone; nothing was changed`);
  const later = migrations().slice(recorded);
  if (later.length === 0) return;
  const words = new Set(later.flatMap(({ text }) => text.split(/\W+/)));
  const found = turnedOperations(store, id).find(({ table }) => words.has(table))?.table;
  if (found !== undefined)
    throw conflict(
      `change set ${id} is from before an upgrade that changed ${found}, and cannot be undone; nothing was changed`,
    );
}

/** What takes a change set back: its operations turned round. Throws 409 if it is undone already, or if something stands against it. */
export function turnedReading(
  admin: Admin,
  blobs: Blobs,
  stored: StoredProduction,
  id: number,
  { undoScript }: ScriptUndoModule,
): UpdateInput {
  const { store } = admin;
  const set = findSet(admin, id);
  const { changes, undone_by, production_id, script: entries } = set;
  checkSet(admin, changes, entries !== null);
  if (undone_by !== null)
    throw conflict(`change set ${id} is undone already, by change set ${undone_by}; nothing was changed`);
  if (changes.some(({ section, action }) => section === "production" && action === "add"))
    refuseConflicts([
      "the production cannot be undone: it was created by this; `tallylight productions delete` removes one",
    ]);
  checkSchema(store, id);
  const script = entries && undoScript(store, stored, entries, changes, sinceOf(store, set));
  const isKept = (sha256: string) => blobs.sizeOf(sha256) !== undefined;
  return {
    documents: [emptyDocument(`change set ${id}`)],
    turn(update) {
      const turning = new Turning(store, update, { production_id, id, script: entries, isKept });
      turning.run();
      refuseConflicts([...new Set([...turning.conflicts, ...(script?.conflicts ?? [])])]);
      return turning.operations;
    },
    ...(script && { beside: script.beside, warnings: script.warnings }),
  };
}
