// What the holder of a key is told about the key, whatever its shape and scopes.
import { callerOfToken } from "../access/callers.ts";
import type { App } from "../context.ts";
import { one } from "../store/statements.ts";

export interface KeyInfo {
  /** The production's title. */
  production: string;
  label: string;
  /** Whether the key is bound to an engagement. */
  bound: boolean;
  scopes: readonly string[];
}

const titleOf = one<{ id: number }, { title: string }>("get_title");

/** What a token opens; undefined if it is unknown, revoked or expired. */
export function keyInfoOf(app: App, token: string): KeyInfo | undefined {
  const caller = callerOfToken(app.store, token, new Date(app.clock()).toISOString());
  if (caller === undefined) return undefined;
  const { production_id: id, label, engagement_id, scopes } = caller;
  const production = titleOf(app.store, { id });
  return production && { production: production.title, label, bound: engagement_id !== null, scopes };
}
