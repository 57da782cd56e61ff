// Records an applied update: its events and activity, its entry of the audit log, and what it changed if a feature of
// this program keeps that.
import { contribution } from "../../core/features.ts";
import { type StatementName, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { Admin } from "../../graph/admin.ts";
import type { Applied } from "./changes/commit.ts";
import type { Plan, PlannedChange } from "./planned.ts";
import type { Written } from "./update_input.ts";

/** What was done, beside what the changes say. */
export interface Done {
  /** The files of the import, or what was done. */
  source: string;
  summary?: string;
  /** The change set that it takes back. Its activity is then one entry, the summary. */
  undoes?: number;
  audit?: { action: string; detail: Readonly<Record<string, unknown>> };
}

/** A change of a recent change set, with who made it. */
export interface MadeChange {
  /** The id of the change set. */
  set_id: number;
  actor: string;
  at: string;
  change: PlannedChange;
}

/** What the module of the feature that keeps change sets exports. */
export interface ChangeSets {
  /**
   * Keeps what an update changed, and gives its plan the id of that. Must run in the transaction of the change, after
   * it.
   */
  recordChangeSet(admin: Admin, applied: Applied, done: Done): void;
  /** The statements that it uses. */
  used: readonly StatementName[];
  /**
   * What recent change sets changed of the things of a section, the newest first; only sets after the one with the id
   * `after`. Ends before a set with too many changes; throws 409 if that came after `after`.
   */
  changesOf(
    admin: Admin & { production_id: number },
    section: PlannedChange["section"],
    after?: number,
  ): Iterable<MadeChange>;
}

/** What the module of the feature that compares drafts exports. */
export interface ScriptFollowing {
  /**
   * Keeps what the newest drafts ask true once scenes have changed; the plan warns of it. Must run in the transaction
   * of the change, after it.
   */
  followUpdate(admin: Admin, planned: { plan: Plan }, written: Written): void;
}

const asksAnything = value<{ production_id: number }, 0 | 1>("find_asking_drafts");
/** What the comparison of drafts knows of a scene. */
const comparedFields = ["episode", "number", "slugline", "status", "elements", "order"];
const concernsDrafts = ({ section, action, fields }: PlannedChange): boolean =>
  section === "scenes" && (action !== "change" || comparedFields.some((name) => name in fields));

/** Loads what follows an update in the scripts of its production; undefined if no draft asks about what it changes. */
export async function loadFollowing(
  store: Store,
  { production_id, changes }: Plan,
): Promise<ScriptFollowing | undefined> {
  const asks = changes.some(concernsDrafts) && asksAnything(store, { production_id }) === 1;
  return asks ? contribution("scriptFollowing")?.() : undefined;
}

/** What recent updates changed of the things of a section; nothing if no feature keeps it. Throws like ChangeSets. */
export async function changesOf(...asked: Parameters<ChangeSets["changesOf"]>): Promise<Iterable<MadeChange>> {
  const changeSets = await contribution("changeSets")?.();
  return changeSets?.changesOf(...asked) ?? [];
}

/** Who changed a field of a thing last, and when; undefined if no recent change set did. */
export async function lastChange(
  admin: Admin & { production_id: number },
  section: PlannedChange["section"],
  id: number,
  field: string | undefined,
): Promise<MadeChange | undefined> {
  for (const made of await changesOf(admin, section))
    if (made.change.id === id && (field === undefined || field in made.change.fields)) return made;
  return undefined;
}
