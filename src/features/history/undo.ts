// Undoes change sets: an update with the inverse, which is a change set itself.
import { conflict } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { migrations } from "../../core/store/migrations.ts";
import { value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { Admin } from "../../graph/admin.ts";
import { checkSet } from "../documents/edit_scope.ts";
import type { Plan } from "../documents/planned.ts";
import { type UpdateRequest, updateFrom } from "../documents/production_update.ts";
import { emptyDocument } from "../documents/read/read.ts";
import { conflictOf } from "../documents/refusals.ts";
import type { UpdateInput, WritePlan } from "../documents/update_input.ts";
import { append } from "../sequences/sequences.ts";
import type { Against } from "./conflicts.ts";
import { findSet, findSetRow } from "./history.ts";
import { textWarnings } from "./stored_scripts.ts";
import { Turning, turnedOperations } from "./turning.ts";

/** How many conflicts a refusal names. */
const maxNamed = 20;

export type UndoRequest = Pick<UpdateRequest, "dry_run" | "if_revision"> & { id: number };

/** Throws 409 that names what stands against an undo, if anything does. */
function refuseConflicts(conflicts: readonly string[]): void {
  if (conflicts.length === 0) return;
  const more = conflicts.length > maxNamed ? [`and ${conflicts.length - maxNamed} more`] : [];
  throw conflict(`${[...conflicts.slice(0, maxNamed), ...more].join("; ")}; nothing was changed`);
}

const schemaNumber = value<{ id: number }, number | null>("get_schema_number");

/**
 * Throws 409 for a change set that cannot be turned round: one of an older version, or from before its tables were
 * others.
 */
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

/**
 * Whether a set lists a scene as moved, or is of a version that numbered no scenes again, which may not list a scene
 * that it moved. A set is read once.
 */
function movesOfSets(admin: Admin): Against["movedIn"] {
  const known = new Map<number, ReadonlySet<number | null> | undefined>();
  const before = migrations().findIndex(({ name }) => name.startsWith("0410"));
  const read = (id: number) => {
    if ((schemaNumber(admin.store, { id }) ?? 0) <= before) return undefined;
    const moves = findSet(admin, id).changes.filter(({ section, fields }) => section === "scenes" && "order" in fields);
    return new Set(moves.map((change) => change.id));
  };
  return (id, scene) => {
    if (!known.has(id)) known.set(id, read(id));
    return known.get(id)?.has(scene) ?? true;
  };
}

/**
 * What takes a change set back: its operations turned round. Throws 409 if it is undone already, or if something stands
 * against it.
 */
function inverseReading(admin: Admin, blobs: Blobs, id: number): UpdateInput {
  const { store } = admin;
  const set = findSet(admin, id);
  const { changes, undone_by, production_id, has_script } = set;
  checkSet(admin, changes, has_script);
  if (undone_by !== null)
    throw conflict(`change set ${id} is undone already, by change set ${undone_by}; nothing was changed`);
  if (changes.some(({ section, action }) => section === "production" && action === "add"))
    refuseConflicts([
      `the production cannot be undone: it was created by this; ${commandText("productions delete")} removes one`,
    ]);
  checkSchema(store, id);
  const warnings: string[] = [];
  const isKept = (sha256: string) => blobs.sizeOf(sha256) !== undefined;
  const movedIn = movesOfSets(admin);
  return {
    documents: [emptyDocument(`change set ${id}`)],
    warnings,
    turn(update) {
      const turning = new Turning(store, update, { production_id, id, movedIn, isKept });
      turning.run();
      refuseConflicts([...new Set(turning.conflicts)]);
      append(warnings, textWarnings(turning.operations));
      return turning;
    },
    // What stands against it is found in the change sets, and it is recorded even if it writes nothing.
    ...((has_script || changes.length === 0) && { beside: {} }),
  };
}

/**
 * Takes a change set back, all of it or nothing. Returns the plan. Throws 404 if there is none, 409 if it is undone
 * already, if something of it was changed again since or is referred to, or if the production is at another revision;
 * then nothing is written.
 */
export async function undoChangeSet(
  admin: Admin,
  blobs: Blobs,
  { id, ...request }: UndoRequest,
  write: WritePlan,
): Promise<Plan> {
  const { production_id, summary } = findSetRow(admin, id);
  const inverse = () => inverseReading(admin, blobs, id);
  const doneBy = ({ plan: { counts } }: { plan: Plan }) => ({
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
