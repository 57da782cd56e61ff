// No form of any page is done without the proof of the session that sends it: every form that a page shows, and an
// empty one to every page that takes forms, with no proof, a wrong one, that of another session, and held over a
// sign-in.
// Thorough: only --all runs it.
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tokenHash } from "../../src/core/access/callers.ts";
import { fieldsFrom } from "../../src/features/pages/form.ts";
import type { WebPage } from "../../src/features/pages/page.ts";
import { openPages } from "../../src/features/pages/pages.ts";
import type { Visit } from "../../src/features/pages/visit.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { linkFor, type Visitor, visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

let minutes = 0;
/** A minute passes with each request, because wrong proofs are counted by the minute. */
const server = await openTestServer({ clock: () => Date.now() + minutes * 60_000 });
const { store } = server;
const { production, feature, submitterKey } = seedDataOf(store);
const pages = openPages().filter(({ submit }) => submit !== undefined);
const patternOf = (path: string) => new RegExp(`^${path.replace(/:\w+/g, "\\d+")}$`);

/** Tables of what the use of a session writes. */
const ofUse = new Set(["sessions", "sign_in_links", "engagement_use", "last_ids"]);

/** A digest of everything that is stored, by table, but for what the use of a session writes. */
function stored(): Record<string, string> {
  const tables = store.database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .pluck()
    .all() as string[]; // a name is text
  const digestOf = (table: string) =>
    createHash("sha256")
      .update(
        JSON.stringify(store.database.prepare(`SELECT * FROM "${table}"`).all(), (name, value) =>
          name === "last_used_at" ? undefined : value,
        ),
      )
      .digest("hex");
  return Object.fromEntries(
    tables.filter((table) => !ofUse.has(table)).map((table): [string, string] => [table, digestOf(table)]),
  );
}

interface Form {
  to: string;
  isMultipart: boolean;
  fields: Record<string, string>;
}

const attributeOf = (tag: string, name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];

/** The fields of a form as a browser would send them, without its proof and its buttons. */
function fieldsOf(body: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of body.matchAll(/<(?:input|select|textarea)[^>]*>/g)) {
    const name = attributeOf(tag, "name");
    const type = attributeOf(tag, "type") ?? "text";
    if (name !== undefined && name !== "proof" && type !== "file") fields[name] = attributeOf(tag, "value") || "x1";
  }
  return fields;
}

/** The forms of a page, one for each of their buttons. */
function formsOf(path: string, page: string): Form[] {
  const forms = page.matchAll(/<form method="post"([^>]*)>([\s\S]*?)<\/form>/g);
  return [...forms].flatMap(([, head = "", body = ""]) => {
    const form = {
      to: new URL(attributeOf(` ${head}`, "action") ?? path, server.url + path).pathname,
      isMultipart: head.includes("multipart"),
      fields: fieldsOf(body),
    };
    const buttons = [...body.matchAll(/<button[^>]* name="([^"]+)" value="([^"]*)"/g)];
    const sent = buttons.map(([, name = "", value = ""]) => ({ ...form, fields: { ...form.fields, [name]: value } }));
    return [form, ...sent].map((each) => ({ ...each, fields: { ...each.fields, sure: "1" } }));
  });
}

const series = one(store, "SELECT id FROM productions WHERE format = 'episodic'");

/** The addresses of pages that no link of a page of the demo leads to. */
const unlinked = (): string[] => [
  `/edit/episodes/${one(store, "SELECT min(id) FROM episodes WHERE production_id = ?", series)}`,
  `/edit/department_notes/${one(store, "SELECT min(id) FROM department_notes WHERE production_id = ?", feature)}`,
  `/settings/history/${one(store, "SELECT max(id) FROM change_sets WHERE production_id = ?", feature)}`,
];

/** Somebody who sees forms, and how he signs in on a browser. */
interface Sender {
  browser: Visitor;
  signIn(browser: Visitor): Promise<Response>;
}

async function senderOf(signIn: Sender["signIn"]): Promise<Sender> {
  const browser = visitor(server);
  assert.is((await signIn(browser)).status, 303);
  return { browser, signIn };
}

/** Ends the session of a browser as time does. */
function expire(browser: Visitor): void {
  const token = /_session_\d+=([^;]+)/.exec(browser.cookies())?.[1] as string;
  store.writeSync(() =>
    store.database
      .prepare("UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z' WHERE token_sha256 = ?")
      .run(tokenHash(token)),
  );
}

const adminOf = (production_id: number) =>
  senderOf((browser) => browser.get(linkFor(server, production_id, (minutes + 10) * 60_000)));

interface Found {
  sender: Sender;
  form: Form;
}

/** The forms of the pages that somebody sees, found by following links. Pages that are found are no longer wanted. */
async function findForms(sender: Sender, wanted: Map<string, RegExp>): Promise<Found[]> {
  const { browser } = sender;
  const found: Form[] = [];
  const open = [
    "/",
    "/settings",
    ...pages.map(({ path }) => path).filter((path) => !path.includes(":")),
    ...unlinked(),
  ];
  const seen = new Set(open);
  for (let at = 0; at < open.length && at < 400 && wanted.size > 0; at++) {
    const path = open[at] as string; // it is below the length
    const response = await browser.get(path);
    const page = await response.text();
    const name = response.status === 404 ? undefined : [...wanted.keys()].find((one) => wanted.get(one)?.test(path));
    if (name !== undefined) {
      found.push({ to: path, isMultipart: false, fields: {} }, ...formsOf(path, page));
      wanted.delete(name);
    }
    for (const [, link = ""] of page.matchAll(/href="(\/[^"?#]*)/g))
      if (!seen.has(link) && !link.startsWith("/static/")) {
        seen.add(link);
        open.push(link);
      }
  }
  return found.filter(({ to }) => to !== "/signout").map((form) => ({ sender, form }));
}

function send(browser: Visitor, { to, isMultipart, fields }: Form, proof?: string): Promise<Response> {
  minutes += 1;
  const all: Record<string, string> = { ...(proof !== undefined && { proof }), ...fields };
  if (!isMultipart) return browser.post(to, all);
  const body = new FormData();
  for (const [name, text] of Object.entries(all)) body.append(name, text);
  body.append("files", new Blob(["x"]), "x.txt");
  const headers = { cookie: browser.cookies(), accept: "text/html", origin: server.url };
  return fetch(server.url + to, { method: "POST", body, headers, redirect: "manual" });
}

const proofOf = async (browser: Visitor) =>
  /name="proof" value="([^"]+)"/.exec(await browser.text("/assets"))?.[1] as string;

const proofs = suite("the proof of a form");
const changed = await fetch(`${server.url}/api/v1/admin/import`, {
  method: "POST",
  headers: {
    authorization: `Bearer ${mint(store, { production_id: feature, scopes: ["read", "write", "edit"] })}`,
    "content-type": "application/json",
  },
  body: JSON.stringify({ people: [{ name: "Somebody New", role: "Grip" }] }),
}); // it can be undone on the page of its history
assert.is(changed.status, 200);
const vendorKey = mint(store, submitterKey);
const senders = [
  await adminOf(feature),
  await adminOf(series),
  await senderOf((browser) => browser.send("/signin", { key: vendorKey })),
];
const other = (await adminOf(production)).browser;
const wanted = new Map(pages.map(({ path }) => [path, patternOf(path)]));
const forms: Found[] = [];
for (const sender of senders) forms.push(...(await findForms(sender, wanted)));

proofs("every page that takes forms is tried", () => {
  assert.equal([...wanted.keys()], [], "nothing leads to these pages");
  assert.ok(forms.length > 2 * pages.length, `only ${forms.length} forms`);
});

for (const [kind, proof] of [
  ["no", undefined],
  ["a wrong", "A".repeat(43)],
  ["another session's", await proofOf(other)],
] as const)
  proofs(`a form with ${kind} proof is 403 and changes nothing`, async () => {
    const before = stored();
    for (const { sender, form } of forms) {
      const response = await send(sender.browser, form, proof);
      const text = await response.text();
      assert.is(response.status, 403, `${form.to} ${JSON.stringify(form.fields)}: ${text.slice(0, 2000)}`);
    }
    assert.equal(stored(), before);
  });

proofs("a form that was held until its sender has signed in is shown with 403, and changes nothing", async () => {
  const before = stored();
  for (const { sender, form } of forms) {
    const page = pages.find(({ path }) => patternOf(path).test(form.to.replace(/\?.*/, "")));
    const { browser } = await senderOf(sender.signIn);
    expire(browser);
    const kept = await send(browser, form, await proofOf(other));
    assert.is(kept.status, 303, form.to);
    const [cookie] = kept.headers.getSetCookie().filter((line) => /_visitor_\d+=\S/.test(line));
    const back = visitor(server, cookie?.split(";")[0]);
    const opened = await sender.signIn(back);
    assert.is(opened.status, 303);
    if (page?.show === undefined) continue; // it has nothing to show, so its forms are not held
    assert.is(opened.headers.get("location"), form.to, JSON.stringify(form));
    assert.is((await back.get(form.to)).status, 403, `${form.to} ${JSON.stringify(form.fields)}`);
  }
  assert.equal(stored(), before);
});

proofs("the key that is offered before signing out is not made without one", async () => {
  const keys = () => one(store, "SELECT count(*) FROM api_keys");
  const admin = await adminOf(feature);
  const before = keys();
  for (const proof of [undefined, "A".repeat(43), await proofOf(other)])
    assert.is((await send(admin.browser, { to: "/leaving", isMultipart: false, fields: {} }, proof)).status, 403);
  assert.is(keys(), before);
  assert.is((await admin.browser.send("/leaving", {}, "/assets")).status, 200);
  assert.is(keys(), before + 1);
});

proofs("the compiler refuses fields whose proof was not checked", () => {
  const run = (submit: NonNullable<WebPage["submit"]>, visit: Visit) =>
    // @ts-expect-error: only form.ts makes a SubmittedForm
    submit(visit, fieldsFrom([]));
  assert.type(run, "function");
});

proofs.after(() => server.stop());
proofs.run();
