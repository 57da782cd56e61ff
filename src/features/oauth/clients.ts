// OAuth clients, which register themselves (RFC 7591). All are public clients: a client has no secret, only redirect
// addresses.
import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { App } from "../../core/context.ts";
import { isLoopback } from "../../core/http/request_head.ts";
import * as input from "../../core/inputs.ts";
import { detailOf } from "../../core/inputs.ts";
import { change, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day, later, timestampAt } from "../../core/times.ts";
import { settledClockOf } from "../clock/settled_clock.ts";
import { OAuthError } from "./settings.ts";

export interface OAuthClient {
  client_id: string;
  /** The name that the client gave itself. It is not verified. */
  name: string;
  redirect_uris: readonly string[];
  /** Whether a sign-in with this client has been completed. Until then it may be an attacker's registration. */
  known: boolean;
}

interface ClientRow {
  client_id: string;
  name: string;
  /** A JSON list. */
  redirect_uris: string;
}
const insertClient = change("create_oauth_client");
const clientOf = one<{ client_id: string; before: string }, ClientRow & { used_at: string | null }>("get_oauth_client");
const sweepUnused = change("sweep_oauth_clients");
const sweepIdle = change("sweep_idle_oauth_clients");

/** A client without a completed sign-in is deleted after this time, in milliseconds. */
const unusedLifetime = day;
/** The maximum number of clients without a completed sign-in; the oldest are deleted first. */
const maxUnused = 1000;
/** A client without tokens is deleted this long after its last sign-in, in milliseconds. */
const idleLifetime = 180 * day;

/**
 * An app's own scheme has the reversed name of a domain (RFC 8252, section 7.1), so with a dot. Every scheme without
 * one is the browser's or the system's, as `intent:`, `ms-msdt:` and `jar:`, and hands what it gets to other programs.
 */
const appScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/** The schemes without a dot that MCP clients are known to have. */
const knownSchemes: readonly string[] = ["cursor", "vscode", "vscode-insiders", "windsurf", "claude", "zed"];

/** Whether a redirect address is an http address on loopback. */
function isLocalAddress(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === "http:" && isLoopback(url.hostname);
}

/**
 * What is wrong with a redirect address, or undefined. Valid are https, http on loopback, and schemes of apps:
 * `further` are those of the settings.
 */
function problemOf(uri: string, further: readonly string[] = []): string | undefined {
  const url = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]{1,2000}$/.test(uri) ? URL.parse(uri) : null;
  // URL.parse also reads https:/host and https:///host, which browsers take for a path of the page that they are on
  const isWhole = url !== null && (!/^https?:$/.test(url.protocol) || /^https?:\/\/[^/?]/i.test(uri));
  if (!isWhole) return "must be an absolute address";
  if (uri.includes("#")) return "must not have a fragment";
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?]*@/.test(uri))
    return "must not contain credentials";
  if (url.protocol === "https:" && /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/.test(url.hostname)) return undefined;
  if (isLocalAddress(uri)) return undefined;
  const scheme = url.protocol.slice(0, -1);
  if (appScheme.test(url.protocol) || knownSchemes.includes(scheme) || further.includes(scheme)) return undefined;
  return "must be https, http on loopback (localhost, 127.0.0.1 or [::1]), or an app's own scheme with a dot, such as com.example.app:, or one that the setting oauth_redirect_schemes names";
}

/** The most addresses, and grant or response types, of a registration. */
const maxAddresses = 10;
const maxTypes = 50;
/** The most characters of a client's name. */
const maxName = 200;

const texts = input.list(v.string("must be text"), maxTypes);
const registration = v.object(
  {
    redirect_uris: v.pipe(
      input.list(v.string("must be text"), maxAddresses),
      v.minLength(1, "must have at least one address"),
    ),
    client_name: v.nullish(
      v.pipe(v.string("must be text"), v.maxLength(maxName, `must have at most ${maxName} characters`)),
    ),
    grant_types: v.nullish(texts),
    response_types: v.nullish(texts),
    token_endpoint_auth_method: v.nullish(v.string("must be text")),
    scope: v.nullish(v.string("must be text")),
  },
  "must be an object",
);

/** The redirect addresses that are allowed. Throws an OAuthError that says of each what is wrong, if none is. */
function allowedOf(redirect_uris: readonly string[], schemes: readonly string[]): string[] {
  const allowed = redirect_uris.filter((uri) => problemOf(uri, schemes) === undefined);
  if (allowed.length > 0) return allowed;
  const problems = redirect_uris.map((uri, at) => `redirect_uris[${at}] ${problemOf(uri, schemes)}`);
  throw new OAuthError("invalid_redirect_uri", problems.join("; "));
}

/** The client's name as one line of plain text of at most 80 characters. */
const cleanName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, 80)
    .toWellFormed();

/**
 * Registers a client with those of its redirect addresses that are allowed. Deletes old clients, by the settled clock.
 * Throws an OAuthError if the metadata is invalid (RFC 7591 section 3.2.2).
 */
export async function registerClient(app: App, given: unknown, now: string): Promise<OAuthClient> {
  const { store, config } = app;
  const result = v.safeParse(registration, given);
  if (!result.success) {
    const redirects = result.issues.some((issue) => issue.path?.[0]?.key === "redirect_uris");
    const error = redirects ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(error, detailOf(result.issues));
  }
  const redirect_uris = allowedOf(result.output.redirect_uris, config.oauth_redirect_schemes);
  const client_id = randomBytes(16).toString("base64url");
  const name = cleanName(result.output.client_name ?? "") || "An app without a name";
  const settled = timestampAt(settledClockOf(app).now());
  await store.write(() => {
    insertClient(store, { client_id, name, redirect_uris: JSON.stringify(redirect_uris), now });
    sweepUnused(store, { before: later(settled, -unusedLifetime), max: maxUnused });
    sweepIdle(store, { before: later(settled, -idleLifetime) });
  });
  return { client_id, name, redirect_uris, known: false };
}

/** The registered client; undefined if it does not exist or has expired unused. `schemes` are those of the settings. */
export function findClient(
  store: Store,
  client_id: string,
  now: string,
  schemes: readonly string[],
): OAuthClient | undefined {
  const row = clientOf(store, { client_id, before: later(now, -unusedLifetime) });
  if (row === undefined) return undefined;
  const registered = JSON.parse(row.redirect_uris) as string[]; // registerClient stored it
  // other schemes may have been allowed then
  const redirect_uris = registered.filter((uri) => problemOf(uri, schemes) === undefined);
  return { client_id, name: row.name, redirect_uris, known: row.used_at !== null };
}

/**
 * Whether the client registered `uri`. The match is exact, except that loopback allows any port (RFC 8252 section 7.3).
 */
export function allowsRedirect({ redirect_uris }: OAuthClient, uri: string): boolean {
  if (redirect_uris.includes(uri)) return true;
  const withoutPort = (address: string): string => address.replace(/^(http:\/\/[^/?]*?):\d{1,5}([/?]|$)/, "$1$2");
  return (
    isLocalAddress(uri) &&
    problemOf(uri) === undefined &&
    redirect_uris.some((own) => isLocalAddress(own) && withoutPort(own) === withoutPort(uri))
  );
}
