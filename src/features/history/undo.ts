// Undoes change sets: an update with the inverse, which is a change set itself.
import { conflict } from "../../core/errors.ts";
import { loadContribution } from "../../core/features.ts";
import type { ProductionId } from "../../core/ids.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { Admin } from "../../graph/admin.ts";
import type { PreparedUpdate, UpdateInput } from "../documents/apply/apply.ts";
import { takeBack } from "../documents/apply/restoring.ts";
import type { WritePlan } from "../documents/apply/update.ts";
import type { ScriptEntry, Since } from "../documents/difference.ts";
import { checkSet } from "../documents/edit_scope.ts";
import { engine } from "../documents/engine.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Plan, PlannedChange } from "../documents/plan/plan.ts";
import { type UpdateRequest, updateFrom } from "../documents/production_update.ts";
import { emptyDocument } from "../documents/read/read.ts";
import { conflictOf } from "../documents/refusals.ts";
import { findSet, findSetRow } from "./history.ts";

const changedSince = many<
  { production_id: ProductionId; after: number },
  { part: string; id: number; field: string | null; set_id: number; actor: string }
>("list_changed_since");

/** The last change set after one that changed what it changed, for each field. */
export function sinceOf(
  store: Store,
  { production_id, id: after }: { production_id: ProductionId; id: number },
): Since {
  const last = new Map<string, string>();
  for (const { part, id, field, set_id, actor } of changedSince(store, { production_id, after }))
    for (const name of [field, null]) last.set(`${part} ${id} ${name}`, ` by change set ${set_id} of ${actor}`);
  return (part, id, field) => last.get(`${part} ${id} ${field}`);
}

/** How many conflicts a refusal names. */
const maxNamed = 20;

export type UndoRequest = Pick<UpdateRequest, "dry_run" | "if_revision"> & { id: number };

/** What the undo of a script does: what stands against it, or what is written beside the document. */
export interface ScriptUndo {
  conflicts: readonly string[];
  changes: readonly PlannedChange[];
  warnings: readonly string[];
  beside: NonNullable<UpdateInput["beside"]>;
}

/** What the module of the feature that reads scripts exports. */
export interface ScriptUndoModule {
  /** In the transaction of `stored`. */
  undoScript(
    store: Store,
    stored: StoredProduction,
    entries: readonly ScriptEntry[],
    changes: readonly PlannedChange[],
    since: Since,
  ): ScriptUndo;
}

/** Without the feature of scripts, only what no script did can be undone. */
const withoutScripts: ScriptUndoModule = {
  undoScript: (_store, _stored, { length }) => ({
    conflicts: length === 0 ? [] : ["what a script changed cannot be undone: the feature scripts is not installed"],
    changes: [],
    warnings: [],
    beside: { write: () => {}, script: [] },
  }),
};

/** What takes a change set back. Throws 409 if it is undone already, or if something stands against it. */
function inverseReading(
  admin: Admin,
  blobs: Blobs,
  stored: StoredProduction,
  id: number,
  { undoScript }: ScriptUndoModule,
): UpdateInput {
  const { store } = admin;
  const set = findSet(admin, id);
  const { changes, ids, undone_by } = set;
  checkSet(admin, changes, set.script !== null);
  if (undone_by !== null)
    throw conflict(`change set ${id} is undone already, by change set ${undone_by}; nothing was changed`);
  const since = sinceOf(store, set);
  const script = set.script && undoScript(store, stored, set.script, changes, since);
  const own = { changes: [...changes, ...(script?.changes ?? [])], ids };
  const raised = new Set(set.script?.flatMap(({ table, id }) => (table === "script_changes" ? [id] : [])));
  const isKept = (sha256: string) => blobs.sizeOf(sha256) !== undefined;
  return {
    documents: [emptyDocument(`change set ${id}`)],
    restore(target, source) {
      const conflicts = takeBack(target, source, own, { since, isKept, raised });
      refuseConflicts([...new Set([...conflicts, ...(script?.conflicts ?? [])])]);
    },
    ...(script && { beside: script.beside, warnings: script.warnings }),
  };
}

/** Throws 409 that names what stands against an undo, if anything does. */
export function refuseConflicts(conflicts: readonly string[]): void {
  if (conflicts.length === 0) return;
  const more = conflicts.length > maxNamed ? [`and ${conflicts.length - maxNamed} more`] : [];
  throw conflict(`${[...conflicts.slice(0, maxNamed), ...more].join("; ")}; nothing was changed`);
}

/**
 * Takes a change set back, all of it or nothing. Returns the plan. Throws 404 if there is none, 409 if it is undone already, if
 * something of it was changed again since or is referred to, or if the production is at another revision; then nothing is written.
 */
export async function undoChangeSet(
  admin: Admin,
  blobs: Blobs,
  { id, ...request }: UndoRequest,
  write: WritePlan,
): Promise<Plan> {
  const { production_id, summary } = findSetRow(admin, id);
  const scripts = (await loadContribution<ScriptUndoModule>("scriptUndo")) ?? withoutScripts;
  const reading = engine.parts === undefined ? inverseReading : (await import("./turned_reading.ts")).turnedReading;
  const inverse = (stored: StoredProduction) => reading(admin, blobs, stored, id, scripts);
  const doneBy = ({ plan: { counts } }: Pick<PreparedUpdate, "plan">) => ({
    source: `undo of ${id}`,
    summary: `Undid: ${summary}`,
    undoes: id,
    audit: { action: "production.undone", detail: { id, ...counts } },
  });
  try {
    return await updateFrom(admin, blobs, inverse, { ...request, production_id }, write, doneBy);
  } catch (error) {
    throw conflictOf(error);
  }
}
