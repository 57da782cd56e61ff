// The service worker shows copies of pages while the server cannot be reached. Each page names its session by a tag;
// the copies of any other session are removed. A sign-out that the server did not hear is told first.
const files = /\/docs\/[0-9a-f]{16}\/pages\.(?:css|js)/g;
const unkept = /^\/(?:settings|open|signin|docs)(?:\/|$)/;
const maxPages = 60;
const maxAge = 12 * 3600_000; // in milliseconds
const patience = 5_000;

const tagOf = ({ headers }) => headers.get("tallylight-session");
const isOwn = (name) => name.startsWith("tallylight ");

async function removeOthers(tag) {
  for (const name of await caches.keys()) if (isOwn(name) && name !== `tallylight ${tag}`) await caches.delete(name);
}

let requests = 0;
/** The newest request whose answer named a session: earlier ones say nothing about the present. */
let newest = 0;

/** Undefined if no copy may be kept. */
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
  const pages = (await copies.keys()).filter((request) => !new URL(request.url).pathname.match(files));
  for (const oldest of pages.slice(0, -maxPages)) await copies.delete(oldest);
  for (const [path] of text.matchAll(files)) await fileOf(new Request(path));
}

/** Marked as a copy; undefined if there is none or it is too old. */
async function copyOf(url) {
  const copy = await caches.match(url);
  if (copy === undefined || Math.abs(Date.now() - copy.headers.get("tallylight-copied")) > maxAge) return undefined;
  const text = (await copy.text()).replace("<html ", "<html data-copy ");
  return new Response(text, { headers: copy.headers });
}

const keepsPage = (url) => url.origin === location.origin && !unkept.test(url.pathname);

/** Keeps the answer for a page, or removes the copy of what is gone. */
async function store(url, response, number) {
  const copies = await copiesOf(response, number);
  if (response.ok && !response.redirected && keepsPage(url)) await (copies && keep(copies, url.href, response));
  else if (response.type !== "opaqueredirect") await copies?.delete(url.href);
}

/** From the server, or the copy if it cannot be reached or a proxy says so. */
async function pageOf(event, url) {
  const number = ++requests;
  const answered = fetch(event.request).then(
    async (response) => {
      if (response.status >= 502 && response.status <= 504 && tagOf(response) === null) return undefined;
      event.waitUntil(store(url, response.clone(), number));
      return response;
    },
    () => undefined,
  );
  const within = (time) => Promise.race([answered, new Promise((resolve) => setTimeout(resolve, time))]);
  return (await within(patience)) ?? (await copyOf(url.href)) ?? (await within(2 * patience)) ?? notKept();
}

/** A file of the pages. Its address names its content. */
async function fileOf(request) {
  const copy = await caches.match(request);
  if (copy !== undefined) return copy;
  const response = await fetch(request);
  const [name] = (await caches.keys()).filter(isOwn);
  if (response.ok && name !== undefined) await (await caches.open(name)).put(request, response.clone());
  return response;
}

const waitingName = "signing out";
/** Whether a sign-out waits for the server; undefined until it is known, "told" until the next request. */
let isWaiting;
const known = caches.has(waitingName).then((found) => {
  isWaiting ??= found;
});
let telling;

/** The answer of the server; undefined if none waits, or it cannot be told now. */
async function tellSignOut() {
  const form = await caches.match("/signout", { cacheName: waitingName });
  if (form === undefined) {
    isWaiting = false; // the browser has removed its data
    return undefined;
  }
  const asked = { method: "POST", redirect: "manual", body: new URLSearchParams(await form.text()) };
  const answer = await fetch("/signout", { ...asked, signal: AbortSignal.timeout(patience) }).catch(() => undefined);
  if (answer === undefined || answer.status >= 500 || [408, 429].includes(answer.status)) return undefined;
  await caches.delete(waitingName);
  isWaiting = "told";
  return answer;
}
const tellOnce = () => {
  telling ??= tellSignOut().finally(() => {
    telling = undefined;
  });
  return telling;
};

/** Whether no sign-out waits, if need be after it was told. */
async function isFree() {
  await known;
  if (isWaiting === true) await tellOnce();
  return isWaiting !== true;
}

const ownPage = (title, text, refresh = "") =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${refresh}<title>${title}</title><main><h1>${title}</h1><p>The server cannot be reached. ${text}</p></main>`,
    { headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'none'" } },
  );

const signedOut = () =>
  ownPage(
    "Signed out",
    "Your session ends there as soon as it can be, before any page is shown.",
    '<meta http-equiv="refresh" content="5;url=/">',
  );
const notKept = () =>
  ownPage(
    "Offline",
    'This browser has no copy of this page. Pages that you opened before are there: <a href="/">Today</a>, or go back. <a href="">Try again</a>.',
  );
const notSent = () => ownPage("Not sent", "Go back and send it again: what you wrote is still there.");

/** The copies go at once; the server is told as soon as it can be reached. */
async function signOut(request) {
  const form = await request.text();
  const keepForm = async (text) => (await caches.open(waitingName)).put("/signout", new Response(text));
  await removeOthers("none");
  await keepForm(form);
  isWaiting = true;
  const answer = await tellOnce();
  if (answer !== undefined) return answer;
  await keepForm(`${form}&sure=1`); // nobody is there to be asked any more
  await self.registration.sync?.register(waitingName).catch(() => {}); // not every browser has it
  return signedOut();
}

// The browser tries it again while the promise rejects.
self.addEventListener("sync", (event) => event.waitUntil(isFree().then((free) => free || Promise.reject())));

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** Undefined if the browser sends the request itself. */
function answerTo(event, url) {
  const { request } = event;
  if (request.mode === "navigate") {
    if (request.method === "GET") return keepsPage(url) ? pageOf(event, url) : fetch(request).catch(notKept);
    // back to a form's answer: the browser sends no form again
    if (request.cache === "only-if-cached") return Response.redirect(url);
    return fetch(request).catch(notSent);
  }
  return request.method === "GET" && url.pathname.match(files) ? fileOf(request) : undefined;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  const isNavigation = request.mode === "navigate";
  if (isNavigation && /^\/(?:signout|signin|open)$/.test(url.pathname)) {
    newest = ++requests; // an answer on its way is of the former session
    if (url.pathname === "/signout" && request.method === "POST") return event.respondWith(signOut(request));
    event.waitUntil(removeOthers("none"));
  }
  if (isWaiting === false) {
    const answer = answerTo(event, url);
    if (answer !== undefined) event.respondWith(answer);
    return;
  }
  const afterwards = async () => {
    await known;
    const waited = isWaiting;
    await isFree();
    if (isWaiting === true) return isNavigation ? signedOut() : Response.error();
    isWaiting = false;
    // The browser may have sent this before the sign-out, while the worker started: it sends it again.
    if (waited && request.method === "GET") return Response.redirect(url);
    return (await answerTo(event, url)) ?? fetch(request);
  };
  event.respondWith(afterwards());
});

/** Keeps what a page of the present session has now. The first one with a worker sends none. */
async function heard({ url, text, headers }) {
  if (!keepsPage(new URL(url)) || !(await isFree())) return;
  const number = ++requests;
  if (text === undefined) return store(new URL(url), await fetch(url), number);
  const response = new Response(text, { headers });
  const name = `tallylight ${tagOf(response)}`;
  if (await caches.has(name)) await keep(await caches.open(name), url, response);
}

self.addEventListener("message", (event) => event.waitUntil(heard(event.data)));
