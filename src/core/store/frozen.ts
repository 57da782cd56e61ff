// Productions that can be read and not changed.
import { frozen } from "../errors.ts";
import type { ProductionId } from "../ids.ts";
import type { Store } from "./database.ts";
import { change, value } from "./statements.ts";

/** Since when a production is frozen; undefined if it can be changed. */
export const frozenSince = value<{ production_id: ProductionId }, string>("get_frozen");
export const freeze = change("freeze_production");
export const thaw = change("thaw_production");

/**
 * Throws 409 if the production is frozen. Triggers refuse what no check has refused before, but for asset_files and storage_events:
 * everything that writes these calls it in its transaction.
 */
export function refuseFrozen(store: Store, production_id: ProductionId): void {
  if (frozenSince(store, { production_id }) !== undefined) throw frozen();
}
