// What the OAuth modules share: the error class and the narrowing of scopes.
import { type Scope, signInScopes } from "../../core/access/callers.ts";
import { HttpError } from "../../core/errors.ts";

/** An error with an OAuth error code (RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2, RFC 8707). */
export class OAuthError extends HttpError {
  readonly error: string;
  constructor(error: string, detail: string, status = 400) {
    super(status, detail);
    this.name = "OAuthError";
    this.error = error;
  }
}

/**
 * Returns the scopes of `available` that a scope parameter requests. Unknown scopes are ignored. If no requested scope
 * is known, all are returned, because clients of other servers request `openid email` or nothing. A sign-in never gets
 * the admin scope.
 */
export function narrowScopes(requested: string | undefined, available: readonly Scope[]): Scope[] {
  const names = (requested ?? "").split(" ");
  const known = signInScopes.filter((scope) => names.includes(scope));
  const wanted = known.length === 0 ? signInScopes : known;
  return available.filter((scope) => wanted.includes(scope));
}
