// The revision of a production: it moves with every commit that an export of the production would show. And whether it may move.

import { frozen } from "../errors.ts";
import type { ProductionId } from "../ids.ts";
import type { Store } from "./database.ts";
import { change, many, value } from "./statements.ts";

const rowsOf = many<{ production_id: ProductionId }, { part: string; revision: number }>("list_revisions");
const epochOf = value<object, string>("get_epoch");
/** Starts another life of the database: positions and revisions of the former one are not valid any more. */
export const startEpoch = change("start_epoch");
/** Records that the present epoch continues another one. Only a promotion does it. */
export const recordSuccession = change("record_succession");
/** Counts a change of a production's asset_files, which have no trigger. Everything that writes them calls it once. */
export const countAssetFiles = change("count_asset_files");

/** Since when a production is frozen; undefined if it can be changed. */
export const frozenSince = value<{ production_id: ProductionId }, string>("get_frozen");
export const freeze = change("freeze_production");
export const thaw = change("thaw_production");

/** Throws 409 if the production is frozen. Triggers refuse what no check has refused before. */
export function refuseFrozen(store: Store, production_id: ProductionId): void {
  if (frozenSince(store, { production_id }) !== undefined) throw frozen();
}

/** The tables whose rows an export of a production shows: a commit that changes one of them moves the production's revision. */
const exportedParts: readonly string[] = [
  ...["productions", "episodes", "departments", "people", "vendors"],
  ...["nodes", "scenes", "node_links", "versions", "ingredients", "version_ingredients", "media"],
  ...["shoot_days", "strips", "deliveries", "delivery_nodes", "submissions", "engagements", "grants"],
  ...["approvals", "approval_steps", "former_steps", "department_notes", "notes", "purchase_orders"],
  ...["cost_reports", "cost_report_lines", "script_changes", "jobs", "activity"],
  ...["storage_installs", "asset_files", "storage_tasks", "day_calls", "day_banners"],
];

/** How often each part (a table) of a production changed: the parts that an export shows, in a fixed order. */
export function revisionsOf(store: Store, production_id: ProductionId): ReadonlyMap<string, number> {
  const counted = new Map(rowsOf(store, { production_id }).map(({ part, revision }) => [part, revision]));
  return new Map(exportedParts.map((part) => [part, counted.get(part) ?? 0]));
}

/** The epoch of the database: restoring a backup and promoting a replica change it. */
export const epoch = (store: Store): string => epochOf(store, {}) as string; // every migrated database has one

/** The production's revision: an opaque text. It has how often each part changed, so that two revisions can be compared. */
export function revisionOf(
  store: Store,
  production_id: ProductionId,
  revisions = revisionsOf(store, production_id),
): string {
  const counts = [...revisions.values()].map((revision) => revision.toString(36));
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
