// A server that has no production yet, and the one-time links with which somebody of its machine begins the first.
import { dirname } from "node:path";
import { tokenHash } from "../../core/access/callers.ts";
import type { App } from "../../core/context.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import type { ProductionId } from "../../core/ids.ts";
import { typedCommand } from "../../core/program.ts";
import { change, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day, later, timestampOf } from "../../core/times.ts";
import { listProductions } from "../../graph/find_production.ts";
import { isFilled } from "./page_places.ts";
import { newSecret } from "./secrets.ts";

/** The path of the form that begins the first production. */
export const firstFormPath = "/begin";
/** In milliseconds. The first production uses a link up earlier. */
export const beginLinkLifetime = day;

const insertLink = change("create_begin_link");
const linkOf = one<{ token_sha256: string; now: string }, { expires_at: string }>("get_begin_link");
const sweepLinks = change("sweep_begin_links");

/** Whether the server has no production yet. */
export const isFresh = ({ store }: { store: Store }): boolean => listProductions(store).length === 0;

/** The secret of a link, in the query of a request. */
export const linkSecretOf = ({ query }: RequestContext): string => new URLSearchParams(query).get("link") ?? "";

/** The address of the form on a server, with the secret of a link. */
export const firstFormAt = (url: string, link: string): string => `${url}${firstFormPath}?link=${link}`;

/** Makes a link to the form on the server at `url`. Within a write transaction. */
export function addBeginLink(store: Store, url: string, now: string): string {
  const secret = newSecret("");
  sweepLinks(store, { now });
  insertLink(store, { token_sha256: tokenHash(secret), expires_at: later(now, beginLinkLifetime) });
  return firstFormAt(url, secret);
}

/** Whether a link may begin the first production. */
export const isBeginLink = (app: App, link: string): boolean =>
  isFresh(app) && linkOf(app.store, { token_sha256: tokenHash(link), now: timestampOf(app) }) !== undefined;

/**
 * The command that prints a link to a production, as it is typed where this program runs: of one, if there are several.
 */
export function openCommand(store: Store, production_id?: ProductionId): string {
  const [first, ...others] = listProductions(store);
  const named = others.length === 0 ? "" : ` --production ${production_id ?? first?.id}`;
  return typedCommand(`open${named}`, dirname(store.file));
}

/**
 * What the person who starts a server is told: the link that begins the first production, or how to open the one that
 * is there. Undefined if no page begins one.
 */
export async function beginning(app: App): Promise<{ link?: string; note: string } | undefined> {
  const { store, addresses } = app;
  const [there] = listProductions(store);
  if (there !== undefined)
    return {
      note: `there is a production already, ${there.title}; \`${openCommand(store, there.id)}\` prints a link that opens it`,
    };
  if (!isFilled("first_form")) return undefined;
  return {
    link: await store.write(() => addBeginLink(store, addresses.base_url, timestampOf(app))),
    note: "open the second address in a browser to begin the first production; its path works at the first address, too",
  };
}
