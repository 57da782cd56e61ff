// The pages of the history, as forms without a script: what a change set changed, the plan of its undo, and the undo.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { jobsOf } from "../../src/features/documents/jobs/import_job.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { importOnPage, openAsAdmin, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";
import type { Json } from "../support/update.ts";

const test = suite("the history on the pages");
const server = await openTestServer();
const { store } = server;
const { feature, production, submitter } = seedDataOf(store);
const admin = await openAsAdmin(server, feature);
const key = mint(store, { production_id: feature, scopes: ["read", "admin"] });
const [scene]: Json[] = await server.get(key, "/scenes");
const synopsis = async (): Promise<string> => (await server.get(key, `/scenes/${scene.node_id}`)).synopsis;

const applyOnPage = (document: object): Promise<string> => importOnPage(server, admin, [document]);
const undoLinkOf = (page: string): string => /href="(\/settings\/history\/\d+\?undo=1)"/.exec(page)?.[1] as string;
const revisionOf = (page: string): string => /name="revision" value="([^"]*)"/.exec(page)?.[1] as string;

test("the message after an import leads to the plan of its undo, and the button undoes it", async () => {
  const before = await synopsis();
  const link = undoLinkOf(await applyOnPage({ scenes: [{ number: scene.number, synopsis: "On the page." }] }));
  const plan = await admin.text(link);
  assert.match(plan, /What the undo would change/);
  assert.match(plan, /<del>On the page\.<\/del>/);
  assert.is(await synopsis(), "On the page.", "a look changes nothing");
  const path = link.replace("?undo=1", "");
  const done = await (await admin.send(path, { revision: revisionOf(plan) }, link)).text();
  assert.match(done, /Undone/);
  assert.is(await synopsis(), before);
  assert.match(await admin.text(path), /undone by/);
  assert.not.match(await admin.text(path), /Undo…/);
  assert.match(await admin.text("/settings/history"), /undone/);
  assert.match(undoLinkOf(done), /undo=1/, "the undo can be undone");
});

test("names the file of an import, and none for a form or a document without one", async () => {
  const body = JSON.stringify({ people: [{ name: "Nora Unnamed", role: "Runner" }] });
  await server.ask(key, "/api/v1/admin/import", { method: "POST", body });
  const text = await admin.text("/settings/history");
  const [, id] = /href="\/settings\/history\/(\d+)">[^<]*Nora Unnamed/.exec(text) ?? [];
  for (const page of [text, await admin.text(`/settings/history/${id}`)]) {
    assert.match(page, /1 added/);
    assert.not.match(page, /the document/);
  }
  assert.match(text, /1 changed, [^<]*\.json/, "the import before has its file");
});

test("more changes than a page shows are counted, and the job answers only those that it shows", async () => {
  const jobs = jobsOf(server.app);
  const answered: number[] = [];
  const run = jobs.run.bind(jobs);
  jobs.run = async (task): Promise<Json> => {
    const result: Json = await run(task);
    const { changes } = JSON.parse(result.answer);
    if (changes !== undefined) answered.push(changes.length); // what the files are read as is a job, too
    return result;
  };
  const people = Array.from({ length: 600 }, (_, at) => ({ name: `Extra ${at}`, role: "Extra" }));
  const applied = await applyOnPage({ people });
  const link = undoLinkOf(applied);
  const path = link.replace("?undo=1", "");
  const [set, undo] = [await admin.text(path), await admin.text(link)];
  const more = ["Next", "Last"].map((name) => ({ name, role: "Extra" }));
  const document = JSON.stringify({ people: [...people, ...more] });
  const planOf = async (query: string): Promise<Json> =>
    (await server.ask(key, `/api/v1/admin/import?dry_run=1${query}`, { method: "POST", body: document })).json();
  assert.is((await planOf("&limit=1")).counts.added, 2);
  jobs.run = run;
  assert.equal(
    answered,
    [500, 500, 500, 1],
    "the preview, the import, the plan of the undo and the request with a limit",
  );
  assert.match(applied, /adds 600 things/);
  assert.match(set, /600 added/);
  assert.match(undo, /removes 600 things/);
  for (const page of [applied, set, undo]) assert.match(page, /and 100 more/);
  const ofApi = (query: string): Promise<Json> => server.get(key, `/admin${path.replace("/settings", "")}${query}`);
  const [whole, part] = [await ofApi(""), await ofApi("?limit=3")];
  assert.is(whole.changes.length, 600);
  assert.equal(part, { ...whole, changes: whole.changes.slice(0, 3) });
  assert.match(await (await admin.send(path, { revision: revisionOf(undo) }, link)).text(), /Undone/);
});

test("what stands against an undo is shown, and a plan that is stale is refused", async () => {
  const first = undoLinkOf(await applyOnPage({ scenes: [{ number: scene.number, synopsis: "One." }] }));
  const plan = await admin.text(first);
  await applyOnPage({ scenes: [{ number: scene.number, synopsis: "Two." }] });
  assert.match(await admin.text(first), /synopsis was changed since by change set \d+/);
  const path = first.replace("?undo=1", "");
  const refused = await admin.send(path, { revision: revisionOf(plan) }, first);
  assert.is(refused.status, 409);
  assert.is(await synopsis(), "Two.");
});

test("a decision on a script change leads to its undo", async () => {
  const id = one(
    store,
    "SELECT id FROM script_changes WHERE production_id = ? AND status = 'pending' LIMIT 1",
    feature,
  );
  const decided = await admin.send("/settings/script-changes", { ids: String(id), decision: "dismissed" });
  const location = decided.headers.get("location") as string;
  assert.match(location, /\?saved=\d+$/, location);
  const link = undoLinkOf(await admin.text(location));
  const path = link.replace("?undo=1", "");
  await admin.send(path, { revision: revisionOf(await admin.text(link)) }, link);
  assert.is(one<string>(store, "SELECT status FROM script_changes WHERE id = ?", id), "pending");
});

test("a change set of another production is no page, and a form without its proof changes nothing", async () => {
  const other = await openAsAdmin(server, production);
  const id = one(store, "SELECT max(id) FROM change_sets WHERE production_id = ?", feature);
  assert.is((await other.get(`/settings/history/${id}`)).status, 404);
  const vendor = await signIn(
    server,
    mint(store, { production_id: production, engagement_id: submitter, scopes: ["read"] }),
  );
  assert.is((await vendor.get(`/settings/history/${id}`)).status, 404);
  const headers = { cookie: admin.cookies(), accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
  const sent = await fetch(`${server.url}/settings/history/${id}`, { method: "POST", body: "revision=", headers });
  assert.is(sent.status, 403);
});

test.after(() => server.close());
test.run();
