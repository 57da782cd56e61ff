// The service worker keeps copies of the pages that were open, and shows them while the server cannot be reached. Each page names its
// session by a tag; the copies of any other session are removed.
const file = String.raw`/docs/[0-9a-f]{16}/pages\.(?:css|js)`;
const filesPath = new RegExp(`^${file}$`);
/** Pages of which no copy is kept. */
const unkept = /^\/(?:settings|open|signin|docs)(?:\/|$)/;
const maxPages = 60;
/** In milliseconds. */
const maxAge = 12 * 3600_000;
const patience = 5_000;

const tagOf = ({ headers }) => headers.get("tallylight-session");
const isOwn = (name) => name.startsWith("tallylight ");

/** Removes the copies of every session except one. */
async function removeOthers(tag) {
  for (const name of await caches.keys()) if (isOwn(name) && name !== `tallylight ${tag}`) await caches.delete(name);
}

let requests = 0;
/** The newest request whose answer named a session: the answer to an earlier one says nothing about the present. */
let newest = 0;

/** The copies of the session of an answer; undefined if no copy may be kept. */
async function copiesOf(response, number) {
  const tag = tagOf(response);
  if (tag === null || number < newest) return undefined;
  newest = number;
  await removeOthers(tag);
  return tag === "none" ? undefined : caches.open(`tallylight ${tag}`);
}

async function keep(copies, url, response) {
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  headers.set("tallylight-copied", Date.now());
  const text = await response.text();
  await copies.put(url, new Response(text, { headers }));
  const pages = (await copies.keys()).filter((request) => !filesPath.test(new URL(request.url).pathname));
  for (const oldest of pages.slice(0, Math.max(0, pages.length - maxPages))) await copies.delete(oldest);
  for (const [path] of text.matchAll(new RegExp(file, "g"))) await fileOf(new Request(path));
}

/** The copy of a page, marked as one; undefined if there is none or it is too old. */
async function copyOf(url) {
  const copy = await caches.match(url);
  if (copy === undefined) return undefined;
  if (Math.abs(Date.now() - Number(copy.headers.get("tallylight-copied"))) > maxAge) return undefined;
  const text = (await copy.text()).replace("<html ", "<html data-copy ");
  return new Response(text, { headers: copy.headers });
}

const keepsPage = (url) => url.origin === location.origin && !unkept.test(url.pathname);

/** The page from the server; the copy if the server cannot be reached or a proxy says so. */
async function pageOf(event, url) {
  const number = ++requests;
  const answered = fetch(event.request).then(
    async (response) => {
      if (response.status >= 502 && response.status <= 504 && tagOf(response) === null) return undefined;
      const kept = response.clone();
      const store = async () => {
        const copies = await copiesOf(kept, number);
        if (kept.ok && !kept.redirected && keepsPage(url)) await (copies && keep(copies, url.href, kept));
        else if (kept.type !== "opaqueredirect") await copies?.delete(url.href);
      };
      event.waitUntil(store());
      return response;
    },
    () => undefined,
  );
  const waited = new Promise((resolve) => setTimeout(resolve, patience));
  return (await Promise.race([answered, waited])) ?? (await copyOf(url.href)) ?? (await answered) ?? Response.error();
}

/** A file of the pages. Its address names its content, so a copy is never out of date. */
async function fileOf(request) {
  const copy = await caches.match(request);
  if (copy !== undefined) return copy;
  const response = await fetch(request);
  const [name] = (await caches.keys()).filter(isOwn);
  if (response.ok && name !== undefined) await (await caches.open(name)).put(request, response.clone());
  return response;
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate") {
    if (/^\/(?:signout|signin|open)$/.test(url.pathname)) {
      newest = ++requests; // an answer on its way is of the former session
      event.waitUntil(removeOthers("none"));
    } else if (request.method === "GET" && keepsPage(url)) event.respondWith(pageOf(event, url));
  } else if (request.method === "GET" && url.origin === location.origin && filesPath.test(url.pathname))
    event.respondWith(fileOf(request));
});

/**
 * What the script of a page says: the text that the page has now, which is kept if its session is the present one; without a text,
 * that this is the first page with a worker, which is then fetched.
 */
async function heard({ url, text, headers }) {
  if (!keepsPage(new URL(url))) return;
  const number = ++requests;
  const response = text === undefined ? await fetch(url) : new Response(text, { headers });
  const name = `tallylight ${tagOf(response)}`;
  if (text !== undefined) {
    if (await caches.has(name)) await keep(await caches.open(name), url, response);
    return;
  }
  const copies = await copiesOf(response, number);
  if (copies !== undefined && response.ok && !response.redirected) await keep(copies, url, response);
}

self.addEventListener("message", (event) => event.waitUntil(heard(event.data)));
