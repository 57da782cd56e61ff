// The record of what admins did: who, when, what, to which production. Never a token.
import type { KeyId, ProductionId } from "../core/ids.ts";
import { change, many, value } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

/** What an action changed. */
type Details = Readonly<Record<string, unknown>>;

interface Action {
  /** What was done, as `noun.verb`, such as `key.minted`. */
  readonly action: string;
  readonly production_id: ProductionId | null;
  /** What the action changed. */
  readonly detail: Details;
}

const newest = value<{ production_id: ProductionId }, number>("get_newest_action");
const since = many<{ production_id: ProductionId; since: number; action: string }, { detail: string }>(
  "list_actions_since",
);

const insertAction = change("record_admin_action");

/** Writes an audit row. Must run in the transaction of the action, so that both are stored or neither. */
export function recordAction(
  { store, now, actor, key_id }: { store: Store; now: string; actor: string; key_id: KeyId | null },
  { action, production_id, detail }: Action,
): void {
  const whole = key_id === null ? detail : { ...detail, acting_key_id: key_id }; // two keys may have the same label
  insertAction(store, { now, actor, action, production_id, detail: JSON.stringify(whole) });
}

/** The id of the newest entry of a production; 0 if there is none. */
export const newestAction = (store: Store, production_id: ProductionId): number =>
  newest(store, { production_id }) ?? 0;

/** The details of the actions of one kind that were recorded after an entry. */
export const actionsSince = (store: Store, production_id: ProductionId, id: number, action: string): Details[] =>
  since(store, { production_id, since: id, action }).map(({ detail }) => JSON.parse(detail));
