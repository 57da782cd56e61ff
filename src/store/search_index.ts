// Writes the search index of what a transaction changed, before it commits. Triggers of the schema list what changed.
import type { Store } from "./database.ts";
import { change, one } from "./statements.ts";

/** The names of the statements that index what changed, in order. */
export const indexingSteps = ["remove_searched", "add_searched", "settle_search_changes"] as const;

const hasChanges = one<object, { changed: 0 | 1 }>("has_search_changes");
const steps = indexingSteps.map((name) => change<object>(name));

/** Must be the last work of a write transaction. */
export function indexChanges(store: Store): void {
  if (hasChanges(store, {})?.changed === 1) for (const step of steps) step(store, {});
}
