// What the OAuth parts share: the one refusal with its error code, what a scope parameter comes to, and how secrets are made.
import { randomBytes } from "node:crypto";
import { HttpError } from "../errors.ts";
import { type Scope, scopes } from "../inputs.ts";

/** A refusal that a client tells apart by its code (RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2, RFC 8707). */
export class OAuthError extends HttpError {
  readonly error: string;
  constructor(error: string, detail: string, status = 400) {
    super(status, detail);
    this.name = "OAuthRefusal";
    this.error = error;
  }
}

/** A secret of 256 bits behind a prefix that says what it is. */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`;

/**
 * The scopes of `held` that a scope parameter asks for. What is not known here is passed over, and whoever asks for nothing
 * that is known asks for all: clients of other servers ask for `openid email`, or for nothing.
 */
export function narrowScopes(asked: string | undefined, held: readonly Scope[]): Scope[] {
  const named = (asked ?? "").split(" ");
  const known = scopes.filter((scope) => named.includes(scope));
  return held.filter((scope) => known.length === 0 || known.includes(scope));
}

/** The moment that lies `milliseconds` after `now`, as stored. */
export const later = (now: string, milliseconds: number): string =>
  new Date(Date.parse(now) + milliseconds).toISOString();
