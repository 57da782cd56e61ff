// What an update changes, as its plan prints it.
import type { AnySection } from "./sections/sections.ts";

/** A change as the plan prints it. */
export interface PlannedChange {
  section: AnySection;
  key: string;
  /** Null if the thing was never stored. */
  id: number | null;
  action: "add" | "change" | "remove";
  fields: Record<string, { from: unknown; to: unknown }>;
}

/** What was done to a thing, by the action. */
export const verbs = { add: "added", change: "changed", remove: "removed" } as const;

export interface Plan {
  production_id: number;
  dry_run: boolean;
  /** Stands for the changes, with the values that they were made from. */
  revision: string;
  counts: { added: number; changed: number; removed: number; unchanged: number };
  changes: PlannedChange[];
  warnings: string[];
  /** Set once the plan is applied: the change set that takes it back. */
  change_set?: number;
}
