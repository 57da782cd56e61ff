// Who may sign in with a token.
import { callerOfToken, type KeyCaller } from "../../core/access/callers.ts";
import type { Store } from "../../core/store/store.ts";

/**
 * The caller of a token that a person signs in with; undefined if it is none. An access token and the former token of a rotated key are
 * none, because what a sign-in opens outlives them.
 */
export function callerWhoSignsIn(store: Store, token: string, now: string): KeyCaller | undefined {
  const caller = callerOfToken(store, token, now);
  return caller?.former || caller?.access_token_sha256 !== undefined ? undefined : caller;
}
