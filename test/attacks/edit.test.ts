// What a key of the edit scope can change over REST, MCP and the pages, and what it cannot.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { features } from "../../src/core/features.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { openAsAdmin, signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Json = any; // documents and answers are taken apart field by field

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const { production } = seedData;
const editor = mint(store, { production_id: production, scopes: ["read", "edit"], label: "Script coordinator" });
const admin = mint(store, { production_id: production, scopes: ["read", "admin"], label: "Vendor desk" });

const send = (token: string, path: string, body: object = {}) =>
  server.ask(token, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const load = (document: object, query = "", token = editor) => send(token, `/admin/import${query}`, document);
const ok = async (response: Response): Promise<Json> => {
  assert.is(response.status, 200, await response.clone().text());
  return response.json();
};
const text = (query: string) => one<string>(store, query, production);
const listed: Json[] = (await server.get(admin, "/scenes")).filter(({ status }: Json) => status !== "omitted");
const { number, episode_code } = listed[0];
const scene = { number, ...(episode_code && { episode: episode_code }) };
const person = text("SELECT name FROM people WHERE production_id = ? AND is_admin ORDER BY id LIMIT 1");
const approval = text("SELECT title FROM approvals WHERE production_id = ? AND status = 'pending' ORDER BY id LIMIT 1");
const documents = () => one(store, "SELECT count(*) FROM change_sets");

const edit = suite("a key of the edit scope");

edit("opens the rows of its scope, and none of the admin's", async () => {
  const cases = casesOf(store, seedData);
  for (const { name, method, scope } of table) {
    if (scope !== "admin") continue;
    await assertRefused(await sendCase(server, caseOf(cases, name), method, editor), 403, /`admin` scope$/);
  }
  assert.equal(table.flatMap(({ scope, path }) => (scope === "edit" ? [path] : [])).sort(), [
    ...["/admin/approvals/:id/reopen", "/admin/files", "/admin/history", "/admin/history/:id"],
    ...["/admin/history/:id/undo", "/admin/import", "/admin/remove", "/admin/versions/:id/archive"],
    ...["/admin/versions/:id/release", "/script-changes/:id/decide", "/script-changes/decide"],
  ]);
});

edit("imports the show's own sections, and is the actor of the change set", async () => {
  const { changes } = await ok(await load({ scenes: [{ ...scene, synopsis: "Edited." }] }));
  assert.is(changes.length, 1);
  const [set] = await server.get(editor, "/admin/history?limit=1");
  assert.is(set.actor, "Script coordinator");
});

edit("is refused every other section by name, in a preview too, and an empty list of it", async () => {
  const before = documents();
  for (const section of Object.keys(others))
    for (const query of ["", "?dry_run=1"])
      await assertRefused(
        await load({ [section]: others[section] }, query),
        403,
        new RegExp(`section ${section} needs`),
      );
  assert.is(documents(), before);
});
const others: Record<string, unknown> = {
  production: { status: "wrapped" },
  ingredients: [],
  vendors: ["Another vendor"],
  engagements: [],
  notes: [],
  purchase_orders: [],
  cost_reports: [],
  script_changes: [],
  jobs: [],
  activity: [],
  storage: [],
};

edit("records nothing in the name of others", async () => {
  const refused: [Json, RegExp][] = [
    [{ people: [{ name: person, is_admin: false }] }, /people\[0\]\.is_admin needs/],
    [{ people: [{ name: "New Person", is_admin: true }] }, /people\[0\]\.is_admin needs/],
    [{ assets: [{ label: "A new prop", kind: "prop", versions: [] }] }, /assets\[0\]\.versions needs/],
    [{ deliveries: [{ title: "A new delivery", submissions: [] }] }, /deliveries\[0\]\.submissions needs/],
    [{ approvals: [{ title: approval, steps: [{ person, status: "approved" }] }] }, /approvals\[0\]\.steps\[0\] needs/],
    [{ approvals: [{ title: approval, steps: [{ person, note: "Fine." }] }] }, /approvals\[0\]\.steps\[0\] needs/],
    [{ approvals: [{ title: approval, status: "approved" }] }, /approvals\[0\]\.status needs/],
    [{ approvals: [{ title: approval, rounds: [] }] }, /approvals\[0\]\.rounds needs/],
    // Reopening the approval would set it as the status of the version.
    [{ approvals: [{ title: approval, version_status: "approved" }] }, /approvals\[0\]\.version_status needs/],
  ];
  const before = documents();
  for (const [document, sentence] of refused) await assertRefused(await load(document), 403, sentence);
  assert.is(documents(), before);
});

edit("does not approve by leaving out the step that is pending", async () => {
  const [one, other] = (await server.get(admin, "/people")).map(({ name }: Json) => name);
  const steps = [{ person: one, status: "approved", decided_at: "2026-11-20T10:00:00Z" }, { person: other }];
  await ok(await load({ approvals: [{ title: "Two to decide", mode: "chain", steps }] }, "", admin));
  const statusOf = () => text("SELECT status FROM approvals WHERE production_id = ? AND title = 'Two to decide'");
  const shorter = { approvals: [{ title: "Two to decide", steps: [{ person: one }] }] };
  await assertRefused(await load(shorter), 403, /^the status approved of the approval "Two to decide" without/);
  assert.is(statusOf(), "pending");
  await ok(await load({ approvals: [{ title: "Two to decide", steps: [{ person: one }, { person: one }] }] }));
  await ok(await load(shorter, "", admin));
  assert.is(statusOf(), "approved");
});

edit("does not take is_admin away by a complete list that does not say it", async () => {
  const people: Json[] = await server.get(editor, "/people");
  const crew = people.map(({ name, role }) => ({ name, role }));
  const answer = await load({ people: crew }, "?exact=1&dry_run=1");
  await assertRefused(answer, 403, /^is_admin of the person "/);
});

edit("sees only the summary and the counts of other change sets, and cannot undo them", async () => {
  await ok(await load({ vendors: ["Vendor of the admin"], scenes: [{ ...scene, synopsis: "Both." }] }, "", admin));
  const [own, mine] = await server.get(editor, "/admin/history?limit=2");
  const [shown, whole] = [
    await server.get(editor, `/admin/history/${own.id}`),
    await server.get(admin, `/admin/history/${own.id}`),
  ];
  assert.equal(shown, own);
  assert.is(whole.changes.length, 2);
  assert.is((await server.get(editor, `/admin/history/${mine.id}`)).changes.length, 1);
  await assertRefused(await send(editor, `/admin/history/${own.id}/undo`), 403, /section vendors; its undo needs/);
});

edit("undoes a change set of the show's own content, also an admin's, but not of who is an admin", async () => {
  await ok(await load({ scenes: [{ ...scene, synopsis: "Of the admin." }] }, "", admin));
  const [set] = await server.get(editor, "/admin/history?limit=1");
  await ok(await send(editor, `/admin/history/${set.id}/undo`));
  await ok(await load({ people: [{ name: person, is_admin: false }] }, "", admin));
  const [crew] = await server.get(editor, "/admin/history?limit=1");
  await assertRefused(await send(editor, `/admin/history/${crew.id}/undo`), 403, /^is_admin of the person "/);
  await ok(await send(admin, `/admin/history/${crew.id}/undo`));
});

edit("does not bring is_admin or an unsigned approval back by undoing an admin's undo", async () => {
  const newest = async () => (await server.get(admin, "/admin/history?limit=1"))[0].id as number;
  const undo = async (token: string) => send(token, `/admin/history/${await newest()}/undo`);
  await ok(await load({ people: [{ name: "Second Admin", role: "Producer", is_admin: true }] }, "", admin));
  await ok(await undo(admin));
  await assertRefused(await undo(editor), 403, /^is_admin of the person "Second Admin"/);
  const [one, other] = (await server.get(admin, "/people")).map(({ name }: Json) => name);
  const steps = [{ person: one, status: "approved", decided_at: "2026-11-20T10:00:00Z" }, { person: other }];
  await ok(await load({ approvals: [{ title: "Undone", mode: "chain", steps }] }, "", admin));
  await ok(await load({ approvals: [{ title: "Undone", steps: [{ person: one }] }] }, "", admin));
  await ok(await undo(admin));
  await assertRefused(await undo(editor), 403, /^the status approved of the approval "Undone" without/);
});

edit("gives nobody a name that another person has or had", async () => {
  const [{ name: signer }, { name: second }] = await server.get(admin, "/people");
  await ok(await load({ people: [{ name: "Signer Renamed", was: signer }] }));
  const variants = [signer, ` ${signer} `, signer.toUpperCase(), signer.replace(" ", "  "), signer.normalize("NFD")];
  for (const name of variants) {
    const answer = await load({ people: [{ name, was: second }] });
    assert.ok([403, 422].includes(answer.status), `${name}: ${answer.status}`);
  }
  await assertRefused(await load({ people: [{ name: signer, was: second }] }), 403, /another person has or had/);
  await assertRefused(await load({ people: [{ name: signer, role: "Extra" }] }), 403, /another person has or had/);
  const both = [
    { name: "Signer Again", was: "Signer Renamed" },
    { name: "Signer Renamed", was: second },
  ];
  await assertRefused(await load({ people: both }), 403, /another person has or had/);
  await ok(await load({ people: [{ name: signer, was: "Signer Renamed" }] }));
});

edit("imports a draft and decides its changes as the key's person", async () => {
  const person_id = one(
    store,
    "SELECT id FROM people WHERE production_id = ? AND active ORDER BY id LIMIT 1",
    production,
  );
  const coordinator = mint(store, {
    production_id: production,
    scopes: ["read", "edit"],
    person_id,
    label: "Coordinator",
  });
  const draft = async (body: string) => {
    const form = new FormData();
    form.append("files", new Blob([body]), "draft.fountain");
    return ok(
      await server.ask(coordinator, `/api/v1/admin/import?pages=1${episode_code ? `&episode=${episode_code}` : ""}`, {
        method: "POST",
        body: form,
      }),
    );
  };
  const kept = listed.filter((one) => one.episode_code === episode_code).slice(0, 3);
  const script = (more: string) =>
    kept
      .map(({ number, slugline }, at) => `.${slugline} #${number}#\n\nRain falls.${at === 0 ? more : ""}`)
      .join("\n\n");
  await draft(script(""));
  await draft(script(" It stops."));
  const [pending] = await server.get(coordinator, "/script-changes?status=pending");
  const other = one<string>(
    store,
    "SELECT name FROM people WHERE production_id = ? AND id <> ? AND active LIMIT 1",
    production,
    person_id,
  );
  const decide = (body: object) =>
    send(coordinator, `/script-changes/${pending.id}/decide`, { decision: "approved", ...body });
  await assertRefused(await decide({ decided_by: other }), 403);
  assert.is((await ok(await decide({}))).decided_by, one(store, "SELECT name FROM people WHERE id = ?", person_id));
});

edit("is no tool over MCP", async () => {
  const call = async (method: string, params: object = {}): Promise<Json> => {
    const response = await server.ask(editor, "/mcp?tools=all", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return response.json();
  };
  const { result } = await call("tools/list");
  const names = result.tools.map(({ name }: Json) => name);
  for (const { name } of table.filter(({ scope }) => scope === "edit")) {
    assert.not.ok(names.includes(name), name);
    assert.ok((await call("tools/call", { name, arguments: {} })).error, name);
  }
});

/** The names of the settings' pages, in their order. */
const settings = features()
  .flatMap(({ pages = [] }) => pages)
  .filter(({ setting }) => setting !== undefined)
  .sort((one, other) => (one.setting?.place ?? 0) - (other.setting?.place ?? 0))
  .map(({ path }) => path.slice("/settings/".length));

edit("sees its pages of the settings and no other, and links to no other", async () => {
  const session = await signIn(server, editor);
  const open = ["import", "episodes", "time-zone", "script-changes", "history", "releases", "sessions"];
  const links = [...(await session.text("/settings")).matchAll(/href="\/settings\/([\w-]+)"/g)].map(([, name]) => name);
  assert.equal(
    [...new Set(links)], // the rail and the overview
    settings.filter((name) => open.includes(name)),
  );
  for (const name of settings)
    assert.is((await session.get(`/settings/${name}`)).status, open.includes(name) ? 200 : 403, name);
  const reader = await signIn(server, mint(store, { production_id: production, scopes: ["read", "write"] }));
  for (const path of ["/settings", ...open.map((name) => `/settings/${name}`)])
    assert.is((await reader.get(path)).status, 403, path);
  const vendor = await signIn(
    server,
    mint(store, { production_id: production, engagement_id: seedData.submitter, scopes: ["read", "edit"] }),
  );
  for (const path of ["/settings", ...open.map((name) => `/settings/${name}`)])
    assert.is((await vendor.get(path)).status, 404, path);
});

edit("is minted by an admin key and on the pages, never for an engagement and never by a key of its own", async () => {
  const mintOf = (token: string, body: object) => send(token, "/admin/keys", { label: "Second", ...body });
  assert.equal((await ok(await mintOf(admin, { scopes: ["edit", "read"] }))).scopes, ["read", "edit"]);
  const bound = { scopes: ["edit", "read"], engagement_id: seedData.submitter };
  await assertRefused(await mintOf(admin, bound), 422, /edit scope is production-wide/);
  await assertRefused(await mintOf(editor, { scopes: ["edit"] }), 403, /`admin` scope$/);
  const pages = await openAsAdmin(server, production);
  assert.match(await pages.text("/settings/keys"), /name="scopes" value="edit"/);
  assert.not.match(await pages.text("/settings/keys"), /name="scopes" value="admin"/);
});

edit.after(() => server.close());
edit.run();
