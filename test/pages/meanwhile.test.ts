// What a person sees who was not the first: a step that somebody else decided, a form that was sent twice, a change
// that is decided already; and that refusals are in the words of the pages.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, submitterKey, delivery } = seedDataOf(store);
const editor = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));
const reader = await signIn(server, mint(store, { production_id: feature, scopes: ["read"] }));
const plain = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

const test = suite("somebody who is not the first");

test("to decide a step reads who was, and what they wrote themselves", async () => {
  const { id, person_id, position } = store.database
    .prepare(
      `SELECT a.id, s.person_id, s.position FROM approvals a JOIN approval_steps s ON s.approval_id = a.id
       WHERE a.production_id = ? AND a.status = 'pending' AND s.status = 'pending'
         AND s.position = (SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending')`,
    )
    .get(feature) as { id: number; person_id: number; position: number };
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
  const [first, second] = [
    await signIn(server, mint(store, { production_id: feature, person_id })),
    await signIn(server, mint(store, { production_id: feature, person_id })),
  ];
  const given = { approval_id: `${id}`, position: `${position}`, decided_by: `${person_id}` };
  await first.send("/approvals", { ...given, decision: "approved", note: "" });
  for (const path of ["/approvals", `/approvals/${id}`]) {
    const late = await second.send(path, { ...given, decision: "changes", note: "The hem is long" });
    assert.is(late.status, 422);
    const text = plain(await late.text());
    assert.match(text, new RegExp(`${name} approved this at [^:]+:\\d\\d, before you: nothing was recorded\\.`));
    assert.match(text, "You wrote: “The hem is long”");
  }
});

test("to create an asset of a name is asked first, and may then", async () => {
  const count = () => one(store, "SELECT count(*) FROM nodes WHERE label = 'A twin' COLLATE NOCASE");
  const fields = { label: "A twin", kind: "prop", department: "" };
  assert.is((await editor.send("/assets", fields)).status, 303);
  const asked = await (await editor.send("/assets", { ...fields, label: "a  TWIN" })).text();
  assert.match(asked, /There is the prop A twin already\.[^§]*Create another one of this name/);
  assert.is(count(), 1);
  const of_one_name = /name="of_one_name" value="([^"]+)"/.exec(asked)?.[1] as string;
  assert.is((await editor.send("/assets", { ...fields, label: of_one_name, of_one_name })).status, 303);
  assert.is(one(store, "SELECT count(*) FROM nodes WHERE name_key(label) = name_key('A twin')"), 2);
});

test("a note that is sent twice is one note", async () => {
  const node = one<number>(store, "SELECT min(id) FROM nodes WHERE label = 'A twin'");
  const notes = () => one(store, "SELECT count(*) FROM notes WHERE node_id = ?", node);
  for (const text of ["Once", "Once", "Another", "Once"])
    assert.is((await editor.send(`/assets/${node}`, { action: "note", text })).status, 303);
  assert.is(notes(), 3);
});

test("to decide a script change reads of which scene it is, and no id", async () => {
  const { id, scene_number } = store.database
    .prepare(
      "SELECT id, scene_number FROM script_changes WHERE status = 'pending' AND production_id = ? AND kind = 'changed'",
    )
    .get(feature) as { id: number; scene_number: string };
  const dismiss = { one: `dismissed:${id}` };
  assert.is((await editor.send("/settings/script-changes", dismiss)).status, 303);
  const late = plain(await (await editor.send("/settings/script-changes", dismiss)).text());
  assert.match(late, `The change of scene ${scene_number} is dismissed already; nothing was changed.`);
});

test("who may not change the show is told whom to ask, and no command", async () => {
  for (const path of ["/settings", "/settings/import", "/edit/scenes/1", "/settings/keys"]) {
    const refused = await reader.get(path);
    assert.is(refused.status, 403);
    assert.match(await refused.text(), /admin/);
    assert.not.match(await (await reader.get(path)).text(), /tallylight open/);
  }
});

test("a vendor who has chosen no file is told so, and keeps what was written", async () => {
  const vendor = await signIn(server, mint(store, submitterKey));
  const text = await (await vendor.send(`/turnovers/${delivery}`, { title: "Take two", note: "Brighter" })).text();
  assert.match(text, "Choose at least one file.");
  assert.match(text, /value="Take two"[^§]*Brighter/);
});

test("the moments in sentences of the activity and the history are those of the pages", async () => {
  const id = one<number>(store, "SELECT min(id) FROM deliveries WHERE status = 'ready' AND production_id = ?", feature);
  await editor.send("/deliveries", { mark: `sent:${id}` });
  for (const path of ["/activity", "/settings/history"]) {
    const page = plain(await editor.text(path));
    assert.match(page, /sent at nothing -&gt; \d+ [A-Z][a-z]{2}, \d\d:\d\d/, path);
    assert.not.match(page, /\d\dT\d\d:\d\d:/, path);
  }
});

test.after(() => server.stop());
test.run();
