// Reads what the audit log has of a production.
import type { ProductionId } from "../../core/ids.ts";
import { many, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

const newest = value<{ production_id: ProductionId }, number>("get_newest_action");
const since = many<{ production_id: ProductionId; since: number; action: string }, { detail: string }>(
  "list_actions_since",
);

/** The id of the newest entry of a production; 0 if there is none. */
export const newestAction = (store: Store, production_id: ProductionId): number =>
  newest(store, { production_id }) ?? 0;

/** The details of the actions of one kind that were recorded after an entry. */
export const actionsSince = (
  store: Store,
  production_id: ProductionId,
  id: number,
  action: string,
): Readonly<Record<string, unknown>>[] =>
  since(store, { production_id, since: id, action }).map(({ detail }) => JSON.parse(detail));
