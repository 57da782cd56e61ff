// The revision of a production: it moves with every commit that an export of the production would show.
import type { Store } from "./database.ts";
import { change, exportedParts, many, value } from "./statements.ts";

const rowsOf = many<{ production_id: number }, { part: string; revision: number }>("list_revisions");
const epochOf = value<object, string>("get_epoch");
/** Starts another life of the database: positions and revisions of the former one are not valid any more. */
export const startEpoch = change<{ now: string }>("start_epoch");
change<{ production_id: number; part: string }>("bump_revision"); // the store runs it before each commit

/** How often each part (a table) of a production changed. */
export const revisionsOf = (store: Store, production_id: number): ReadonlyMap<string, number> =>
  new Map(rowsOf(store, { production_id }).map(({ part, revision }) => [part, revision]));

/** The epoch of the database: restoring a backup and promoting a replica change it. */
export const epoch = (store: Store): string => epochOf(store, {}) as string; // every migrated database has one

/** The production's revision: an opaque text. It has how often each part changed, so that two revisions can be compared. */
export function revisionOf(store: Store, production_id: number): string {
  const revisions = revisionsOf(store, production_id);
  const counts = exportedParts.map((part) => (revisions.get(part) ?? 0).toString(36));
  return `${epoch(store)}-${counts.join(".").replace(/(?:\.0)+$/, "")}`;
}

/** The parts that differ between two revisions; undefined if the former is of another life of the database, or no revision. */
export function changedParts(former: string, now: string): string[] | undefined {
  const parsed = (revision: string) => /^([0-9a-f]+)-([0-9a-z]+(?:\.[0-9a-z]+)*)$/.exec(revision) ?? [];
  const [, ownEpoch, own = ""] = parsed(former);
  const [, epoch, counts = ""] = parsed(now);
  if (ownEpoch === undefined || ownEpoch !== epoch) return undefined;
  const [before, after] = [own.split("."), counts.split(".")];
  return exportedParts.filter((_, at) => (before[at] ?? "0") !== (after[at] ?? "0"));
}
