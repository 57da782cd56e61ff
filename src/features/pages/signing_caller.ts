// Who may sign in with a token, and what the page says to who may not.
import { callerOfToken, type KeyCaller } from "../../core/access/callers.ts";
import { HttpError } from "../../core/errors.ts";
import type { Store } from "../../core/store/store.ts";
import { sentence } from "./send.ts";

/**
 * The caller of a token that a person signs in with; undefined if it is none. An access token and the former token of a
 * rotated key are none, because what a sign-in opens outlives them. Throws 401 if the person of the key has left.
 */
export function callerWhoSignsIn(store: Store, token: string, now: string): KeyCaller | undefined {
  const caller = callerOfToken(store, token, now);
  return caller?.former || caller?.access_token_sha256 !== undefined ? undefined : caller;
}

/** The caller whom `find` returns, or why there is none, as a sentence for the page. */
export function signingIn(find: () => KeyCaller | undefined): { caller: KeyCaller } | { problem: string } {
  try {
    const caller = find();
    const problem = "This API key is unknown, ended or expired. If it was rotated, paste its new token.";
    return caller === undefined ? { problem } : { caller };
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 401) throw error;
    return { problem: sentence(error.message) };
  }
}
