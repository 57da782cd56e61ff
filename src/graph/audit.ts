// The record of what admins did: who, when, what, to which production. Never a token.
import type { KeyId, ProductionId } from "../core/ids.ts";
import { change } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

interface Action {
  /** What was done, as `noun.verb`, such as `key.minted`. */
  readonly action: string;
  readonly production_id: ProductionId | null;
  /** What the action changed. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const insertAction = change("record_admin_action");

/** Writes an audit row. Must run in the transaction of the action, so that both are stored or neither. */
export function recordAction(
  { store, now, actor, key_id }: { store: Store; now: string; actor: string; key_id: KeyId | null },
  { action, production_id, detail }: Action,
): void {
  const whole = key_id === null ? detail : { ...detail, acting_key_id: key_id }; // two keys may have the same label
  insertAction(store, { now, actor, action, production_id, detail: JSON.stringify(whole) });
}
