// Visits the pages as a browser without JavaScript does: keeps cookies, follows no redirect, and finds the proof of
// forms.
import { tokenHash } from "../../src/core/access/callers.ts";
import { addBeginLink } from "../../src/features/pages/first_visit.ts";
import type { TestServer } from "./app.ts";

export interface Visitor {
  /** The cookies, as a Cookie header. */
  cookies(): string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The text of a page. */
  text(path: string): Promise<string>;
  /** Sends a form with the proof that a page has, `path` itself by default. */
  send(path: string, fields: Record<string, string | string[]>, from?: string): Promise<Response>;
  /** Sends a form as it is. */
  post(path: string, fields: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Response>;
}

/** A text of a page without the entities that the pages write. */
export const unescaped = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "",
  );

/** The proof that a form of a page has: it was shown to this visitor. */
export const proofIn = (page: string): string => /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? "";

const encoded = (fields: Record<string, string | string[]>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((text): [string, string] => [name, text])),
  ).toString();

/** A browser without cookies, or with those of another one. */
export function visitor(server: Pick<TestServer, "url">, known = ""): Visitor {
  const jar = new Map<string, string>(
    known.split("; ").flatMap((pair) => (pair ? [pair.split("=") as [string, string]] : [])),
  );
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const ask = async (path: string, init: RequestInit, headers: Record<string, string>): Promise<Response> => {
    const sent = {
      accept: "text/html",
      "accept-encoding": "identity", // as in openTestServer
      cookie: cookies(),
      "sec-fetch-site": "same-origin",
      ...headers,
    };
    const response = await fetch(server.url + path, { ...init, headers: sent, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const get: Visitor["get"] = (path, headers = {}) => ask(path, {}, headers);
  const text: Visitor["text"] = async (path) => (await get(path)).text();
  const post: Visitor["post"] = (path, fields, headers = {}) =>
    ask(
      path,
      { method: "POST", body: encoded(fields) },
      { origin: server.url, "content-type": "application/x-www-form-urlencoded", ...headers },
    );
  const send: Visitor["send"] = async (path, fields, from = path) =>
    post(path, { proof: proofIn(await text(from)), ...fields });
  return { cookies, get, text, send, post };
}

/** A browser that has signed in with a key. */
export async function signIn(server: TestServer, key: string): Promise<Visitor> {
  const browser = visitor(server);
  await browser.send("/signin", { key });
  return browser;
}

/** The address of a new one-time link for a production's admin, without the host. */
export function linkFor(server: TestServer, production_id: number, lifetime = 600_000): string {
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  server.store.writeSync(() =>
    server.store.database
      .prepare("INSERT INTO sign_in_links (token_sha256, production_id, expires_at) VALUES (?, ?, ?)")
      .run(tokenHash(secret), production_id, new Date(Date.now() + lifetime).toISOString()),
  );
  return `/open?link=${secret}`;
}

/** The address of the form that begins the first production, with a new link, without the host. */
export const beginPathFor = ({ store }: TestServer): string =>
  store.writeSync(() => addBeginLink(store, "", new Date().toISOString()));

/** A browser that has opened a one-time link. */
export async function openAsAdmin(server: TestServer, production_id: number): Promise<Visitor> {
  const browser = visitor(server);
  await browser.get(linkFor(server, production_id));
  return browser;
}

/** Sends documents with the form of the import page, and then the form of its preview. Returns the last page. */
export async function importOnPage(
  server: TestServer,
  browser: Visitor,
  documents: readonly object[],
): Promise<string> {
  const body = new FormData();
  body.append("proof", proofIn(await browser.text("/settings/import")));
  body.append("action", "preview");
  for (const [at, document] of documents.entries())
    body.append("files", new Blob([JSON.stringify(document)]), `given${at}.json`);
  const headers = { cookie: browser.cookies(), accept: "text/html", origin: server.url };
  const page = await (await fetch(`${server.url}/settings/import`, { method: "POST", body, headers })).text();
  const form = page.slice(page.indexOf("What would change"));
  const fields = new Map<string, string[]>();
  for (const [, name = "", value = ""] of form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g))
    fields.set(name, [...(fields.get(name) ?? []), value]);
  if (!fields.has("revision")) return page; // it was refused, or changes nothing
  return (await browser.post("/settings/import", { action: "apply", ...Object.fromEntries(fields) })).text();
}

/** The fields of the edit form that a page has, as a browser would send them. */
export async function editFields(browser: Visitor, path: string): Promise<Record<string, string>> {
  const form = /<form method="post" class="grid half panel[\s\S]*?<\/form>/.exec(await browser.text(path))?.[0] ?? "";
  const fields: Record<string, string> = {};
  for (const [tag, name = ""] of form.matchAll(/<input[^>]* name="([^"]+)"[^>]*>/g))
    fields[name] = unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? "");
  for (const [, name = "", text = ""] of form.matchAll(/<textarea[^>]* name="([^"]+)"[^>]*>\n?([\s\S]*?)<\/textarea>/g))
    fields[name] = unescaped(text);
  for (const [, name = "", options = ""] of form.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g))
    fields[name] = unescaped(
      (/<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)">/.exec(options))?.[1] ?? "",
    );
  return fields;
}

interface Visited {
  path: string;
  response: Response;
  text: string;
}

/** Visits every page that the links of the pages lead to, at most 20 of each kind. */
export async function crawl(browser: Visitor, start: readonly string[]): Promise<Visited[]> {
  const queue = [...start];
  const seen = new Set(queue);
  const kinds = new Map<string, number>();
  const visited: Visited[] = [];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const response = await browser.get(path);
    const text = await response.text();
    visited.push({ path, response, text });
    for (const [, address = ""] of text.matchAll(/href="(\/[^"#]*)/g)) {
      const kind = address.replace(/\d+/g, "*").replace(/\?.*/, "");
      if (seen.has(address) || /^\/(docs|files|thumbnails|stills|api|healthz|(?:cast|schedule)\.csv)/.test(address))
        continue;
      const count = (kinds.get(kind) ?? 0) + 1;
      if (count > 20) continue;
      kinds.set(kind, count);
      seen.add(address);
      queue.push(address.replaceAll("&amp;", "&"));
    }
  }
  return visited;
}
