// Clients that registered themselves for signing in (RFC 7591): all of them public, told apart by where they may be sent.
import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { detailOf, list } from "../inputs.ts";
import { isLoopback } from "../network.ts";
import type { Store } from "../store/database.ts";
import { change, one } from "../store/statements.ts";
import { later, OAuthError } from "./oauth.ts";

export interface Client {
  client_id: string;
  /** What the client calls itself: a claim and no more. */
  name: string;
  redirect_uris: readonly string[];
  /** Whether it has completed a sign-in. Until then anyone may have registered it, with any address. */
  known: boolean;
}

interface ClientRow {
  client_id: string;
  name: string;
  /** A JSON list. */
  redirect_uris: string;
}
const insertClient = change<ClientRow & { now: string }>("create_oauth_client");
const clientOf = one<{ client_id: string; before: string }, ClientRow & { used_at: string | null }>("get_oauth_client");
const sweepUnused = change<{ before: string; max: number }>("sweep_oauth_clients");
const sweepIdle = change<{ before: string }>("sweep_idle_oauth_clients");

const day = 86_400_000;
/** A client that never completed a sign-in is forgotten after this long, in milliseconds. */
const unusedLifetime = day;
/** How many such clients are kept at most; the oldest go first. */
const maxUnused = 1000;
/** A client whose last sign-in is this long ago, and has left no token, is forgotten too; in milliseconds. */
const idleLifetime = 180 * day;

/** Schemes that a browser handles itself: no app can own one of them. */
const noAppScheme =
  /^(?:about|blob|chrome|chrome-extension|data|file|filesystem|ftp|javascript|mailto|moz-extension|sms|tel|vbscript|view-source|ws|wss):/;

/** Whether a redirect address is http on this machine. */
function isLocalAddress(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === "http:" && isLoopback(url.hostname);
}

/** What is wrong with a redirect address; undefined where nothing is. https, http on loopback, or a private-use scheme. */
function problemOf(uri: string): string | undefined {
  const url = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]{1,2000}$/.test(uri) ? URL.parse(uri) : null;
  if (url === null) return "must be an absolute address";
  if (uri.includes("#")) return "must have no fragment";
  if (url.username !== "" || url.password !== "") return "must hold no credentials";
  if (url.protocol === "https:" && /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/.test(url.hostname)) return undefined;
  if (isLocalAddress(uri)) return undefined;
  if (/^https?:$/.test(url.protocol) || noAppScheme.test(url.protocol))
    return "must be https, http on loopback (localhost, 127.0.0.1 or [::1]), or an app's own scheme";
  return undefined;
}

const texts = list(v.string("must be text"), 50);
const registration = v.object(
  {
    redirect_uris: v.pipe(
      list(
        v.pipe(
          v.string("must be text"),
          v.rawCheck(({ dataset, addIssue }) => {
            const message = dataset.typed ? problemOf(dataset.value) : undefined;
            if (message !== undefined) addIssue({ message });
          }),
        ),
        1000,
      ),
      v.minLength(1, "must hold at least one address"),
      v.maxLength(10, "must hold at most 10 addresses"),
    ),
    client_name: v.optional(v.pipe(v.string("must be text"), v.maxLength(200, "must have at most 200 characters"))),
    grant_types: v.optional(texts),
    response_types: v.optional(texts),
    token_endpoint_auth_method: v.optional(v.string("must be text")),
    scope: v.optional(v.string("must be text")),
  },
  "must be an object",
);

/** A claimed name as one line of plain text. */
const cleanName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, 80)
    .toWellFormed();

/** Registers a client. Throws an OAuthError for metadata that is no good (RFC 7591 section 3.2.2). */
export async function registerClient(store: Store, given: unknown, now: string): Promise<Client> {
  const judged = v.safeParse(registration, given);
  if (!judged.success) {
    const redirects = judged.issues.some((issue) => issue.path?.[0]?.key === "redirect_uris");
    const error = redirects ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(error, detailOf(judged.issues));
  }
  const { redirect_uris, client_name = "" } = judged.output;
  const client_id = randomBytes(16).toString("base64url");
  const name = cleanName(client_name) || "An app without a name";
  await store.write(() => {
    insertClient(store, { client_id, name, redirect_uris: JSON.stringify(redirect_uris), now });
    sweepUnused(store, { before: later(now, -unusedLifetime), max: maxUnused });
    sweepIdle(store, { before: later(now, -idleLifetime) });
  });
  return { client_id, name, redirect_uris, known: false };
}

/** The registered client; undefined where there is none, or it expired unused. */
export function findClient(store: Store, client_id: string, now: string): Client | undefined {
  const row = clientOf(store, { client_id, before: later(now, -unusedLifetime) });
  if (row === undefined) return undefined;
  return { client_id, name: row.name, redirect_uris: JSON.parse(row.redirect_uris), known: row.used_at !== null };
}

/** Whether the client may be sent to `uri`: exactly as registered, except that loopback takes any port (RFC 8252 section 7.3). */
export function allowsRedirect({ redirect_uris }: Client, uri: string): boolean {
  if (redirect_uris.includes(uri)) return true;
  const withoutPort = (address: string): string => address.replace(/^(http:\/\/[^/?]*?)(?::\d{1,5})?(?=[/?]|$)/, "$1");
  return (
    isLocalAddress(uri) &&
    problemOf(uri) === undefined &&
    redirect_uris.some((own) => isLocalAddress(own) && withoutPort(own) === withoutPort(uri))
  );
}
