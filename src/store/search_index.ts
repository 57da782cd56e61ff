// Writes the search index of what a transaction changed, before it commits. Triggers of the schema list what changed.
import type { Store } from "./database.ts";
import { change, one } from "./statements.ts";

const hasChanges = one<object, { changed: 0 | 1 }>("has_search_changes");
const steps = [
  change<object>("remove_searched"),
  change<object>("add_searched"),
  change<object>("settle_search_changes"),
];

/** Must be the last work of a write transaction. */
export function indexChanges(store: Store): void {
  if (hasChanges(store, {})?.changed === 1) for (const step of steps) step(store, {});
}
