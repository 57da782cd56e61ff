// Describes a key to its owner, whatever its scopes are.
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

/** Describes the key of a token; undefined if the token is unknown, revoked or expired. */
export function keyInfoOf(app: App, token: string): KeyInfo | undefined {
  const caller = callerOfToken(app.store, token, new Date(app.clock()).toISOString());
  if (caller === undefined) return undefined;
  const { production_id: id, label, engagement_id, scopes } = caller;
  const production = titleOf(app.store, { id });
  return production && { production: production.title, label, bound: engagement_id !== null, scopes };
}
