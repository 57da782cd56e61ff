// What the holder of a key is told about the key itself, whatever its shape and scopes.
import { callerOfToken } from "../access/callers.ts";
import type { App } from "../context.ts";

export interface KeyInfo {
  /** The production's title. */
  production: string;
  /** The key's own label. */
  label: string;
  /** Whether the key is bound to an engagement. */
  bound: boolean;
  scopes: readonly string[];
}

/** What a token opens; undefined where it is unknown, revoked or expired. */
export function keyInfoOf(app: App, token: string): KeyInfo | undefined {
  const caller = callerOfToken(app.store, token, new Date(app.clock()).toISOString());
  if (caller === undefined) return undefined;
  const { production_id: id, label, engagement_id, scopes } = caller;
  const production = app.store.get<{ title: string }>("get_title", { id });
  return production && { production: production.title, label, bound: engagement_id !== null, scopes };
}
