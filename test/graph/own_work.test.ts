// A vendor's own submitted work once its grant on the delivery was revoked: the work and its list stay, and nothing
// else of the delivery, by REST, MCP, the manifest and the pages, until the engagement ends.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { callTool, resultOf } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, submitter, reader, submitterKey, delivery } = seedDataOf(store);
const key = mint(store, { ...submitterKey, scopes: ["read", "submit:turnover"] });
const another = mint(store, { ...submitterKey, engagement_id: reader, scopes: ["read"] });
const crew = mint(store, { production_id: production, scopes: ["read", "write"] });
const list = `/turnovers/${delivery}/submissions`;
const ask = (path: string, token = key) => server.ask(token, `/api/v1${path}`);
const title = one<string>(store, "SELECT title FROM deliveries WHERE id = ?", delivery);

async function submit(): Promise<any> {
  const form = new FormData();
  form.append("title", "Own comp");
  form.append("files", new Blob(["bytes"]), "comp.mov");
  return server.ask(key, `/api/v1${list}`, { method: "POST", body: form });
}

const work = suite("own work without a grant");

work("is listed with its answer, its file opens, and the delivery is not reached", async () => {
  const { id, media } = await (await submit()).json();
  const decide = { method: "POST", headers: { "content-type": "application/json" } };
  const body = JSON.stringify({ decision: "returned", note: "Darker, please." });
  assert.is((await server.ask(crew, `/api/v1/submissions/${id}/decide`, { ...decide, body })).status, 200);
  const before = await (await ask(list)).text();
  const stored = await server.get(key, "/me/manifest");
  store.database
    .prepare("UPDATE grants SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE engagement_id = ? AND delivery_id = ?")
    .run(submitter, delivery);

  assert.is(await (await ask(list)).text(), before);
  assert.match(before, /"status":"returned"[^}]*"decision_note":"Darker, please\."/);
  const tool = await callTool(server, key, "list_submissions", { delivery_id: delivery }, "/mcp?tools=all");
  assert.is((await resultOf(tool)).content[0].text, before);
  assert.is(await (await ask(`/media/${media[0].id}/content`)).text(), "bytes");
  assert.not.ok((await server.get(key, "/turnovers")).some((one: { id: number }) => one.id === delivery));
  const { reach } = await server.get(key, "/me");
  assert.equal(
    [reach.submitted_on.includes(delivery), reach.deliveries.some((one: any) => one.id === delivery)],
    [true, false],
  );
  const { documents } = await server.get(key, "/me/manifest");
  const tagOf = (manifest: { documents: any[] }) => manifest.documents.find(({ path }: any) => path === list);
  assert.ok(tagOf(stored));
  assert.equal(tagOf({ documents }), tagOf(stored));
  assert.is((await submit()).status, 404);

  const browser = await signIn(server, key);
  assert.match(await browser.text("/turnovers"), new RegExp(`/turnovers/${delivery}">Own comp`));
  const page = await browser.text(`/turnovers/${delivery}`);
  assert.match(page, /Own comp[\s\S]*Darker, please\.[\s\S]*comp\.mov/);
  // A form of a page that was open when the grant ended.
  const form = new FormData();
  form.append("proof", /name="proof" value="([^"]+)"/.exec(page)?.[1] as string);
  form.append("note", "All day's work");
  form.append("files", new Blob(["later"]), "later.mov");
  const headers = { cookie: browser.cookies(), origin: server.url, accept: "text/html" };
  const sendTo = (id: number) =>
    fetch(`${server.url}/turnovers/${id}`, { method: "POST", body: form, headers, redirect: "manual" });
  const refused = await sendTo(delivery);
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /Nothing was submitted: [\s\S]*You wrote: “All day&#39;s work”[\s\S]*Own comp/);
  assert.is(one(store, "SELECT count(*) FROM media WHERE label = 'later.mov'"), 0);
  const unreached = one(
    store,
    "SELECT id FROM deliveries WHERE production_id = ? AND id NOT IN (SELECT delivery_id FROM grants WHERE delivery_id IS NOT NULL)",
    production,
  );
  assert.equal([(await sendTo(unreached)).status, (await sendTo(9_999_999)).status], [404, 404]);
  assert.not.ok(page.includes(title));
  assert.is((await (await signIn(server, another)).get("/turnovers/999999")).status, 404);
});

work("of others stays unseen, and everything ends with the engagement", async () => {
  const others = await ask(list, another);
  assert.ok(others.status === 404 || !(await others.text()).includes("Own comp"));
  store.database.prepare("UPDATE engagements SET ended_at = '2026-01-01T00:00:00.000Z' WHERE id = ?").run(submitter);
  const unknown = await (await ask("/turnovers/999999/submissions")).text();
  const answer = await ask(list);
  assert.equal([answer.status, await answer.text()], [404, unknown]);
  assert.is((await (await signIn(server, key)).get(`/turnovers/${delivery}`)).status, 404);
});

work.after(() => server.stop());
work.run();
