// Writes the search index of what a transaction changed, before it commits. Triggers of the schema list what changed.
import type { Store } from "./database.ts";
import { change, one } from "./statements.ts";

const hasChanges = one<object, { changed: 0 | 1 }>("has_search_changes");
const steps = [
  change<object>("remove_searched"),
  change<object>("add_searched"),
  change<object>("settle_search_changes"),
];

/** Whether something changed that is not in the index yet. */
export const hasUnindexed = (store: Store): boolean => hasChanges(store, {})?.changed === 1;

/** Must be the last work of a write transaction. */
export function indexChanges(store: Store): void {
  if (hasUnindexed(store)) for (const step of steps) step(store, {});
}
