// Removing things by the forms of the pages, and the specification and the files of a delivery: asked first, and
// undone.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { editFields, signIn, type Visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, submitterKey } = seedDataOf(store);
const editorKey = mint(store, { production_id: feature, scopes: ["read", "write", "edit"], label: "Coordinator" });
const editor = await signIn(server, editorKey);
const reader = mint(store, { production_id: feature });
const idOf = (sql: string) => one(store, sql, feature);

/** Takes the change set of a message back, by its link. */
async function undo(browser: Visitor, location: string): Promise<void> {
  const page = await browser.text(location);
  const link = /href="(\/settings\/history\/\d+)\?undo=1"/.exec(page)?.[1] as string;
  const revision = /name="revision" value="([^"]+)"/.exec(await browser.text(`${link}?undo=1`))?.[1] as string;
  assert.is((await browser.send(link, { revision }, `${link}?undo=1`)).status, 200);
}

const removing = suite("removing by a form");
/** A list of the API, without the time of the last change, which for what comes back is that of the undo. */
const listOf = async (section: string) =>
  ((await server.get(reader, `/${section}`)) as object[]).map((row) => ({ ...row, updated_at: undefined }));

const cases: readonly [section: string, add: Record<string, unknown>, sql: string, goes: RegExp][] = [
  [
    "schedule",
    { day_number: 88, date: "2027-05-03", scenes: ["1"], calls: [{ who: "Stunts", time: "06:00" }] },
    "SELECT id FROM shoot_days WHERE day_number = 88 AND production_id = ?",
    /With it goes, so that the scenes are without a day[\s\S]*Scenes: 1[\s\S]*Calls: [\s\S]*Stunts/,
  ],
  [
    "people",
    { name: "Nobody Needed", role: "Runner" },
    "SELECT id FROM people WHERE name = 'Nobody Needed' AND production_id = ?",
    /Nothing else goes/,
  ],
  [
    "deliveries",
    { title: "Not needed", spec: [{ item: "Plates" }] },
    "SELECT id FROM deliveries WHERE title = 'Not needed' AND production_id = ?",
    /Item: [\s\S]*Plates/,
  ],
  [
    "assets",
    { label: "A lamp too many", kind: "prop" },
    "SELECT id FROM nodes WHERE label = 'A lamp too many' AND production_id = ?",
    /Nothing else goes/,
  ],
];

for (const [section, thing, sql, goes] of cases)
  removing(`of ${section} asks first, says what goes with it, is undone, and done again`, async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ [section]: [thing] });
    assert.is((await server.ask(editorKey, "/api/v1/admin/import", { method: "POST", headers, body })).status, 200);
    const id = idOf(sql);
    const path = `/edit/${section}/${id}`;
    const before = await listOf(section);
    for (let time = 1; time <= 2; time++) {
      const asked = await editor.send(path, { action: "remove" });
      assert.is(asked.status, 200);
      assert.match(await asked.text(), goes);
      assert.equal(await listOf(section), before, "a question removes nothing");
      const done = await editor.send(path, { action: "remove", sure: "1" });
      assert.is(done.status, 303, await done.text());
      assert.is(idOf(sql), undefined);
      assert.is((await editor.send(path, { action: "remove", sure: "1" }, "/people")).status, 404, "the same again");
      await undo(editor, done.headers.get("location") as string);
      assert.equal(await listOf(section), before, "with its id");
    }
  });

removing("of what something refers to is refused with the reason, and what to do instead", async () => {
  const person = idOf(
    "SELECT min(s.person_id) FROM approval_steps s JOIN people p ON p.id = s.person_id WHERE p.is_admin = 0 AND s.production_id = ?",
  );
  const response = await editor.send(`/edit/people/${person}`, { action: "remove" });
  const text = await response.text();
  assert.is(response.status, 409, text.slice(text.indexOf("<main"), text.indexOf("</main")));
  assert.match(text, /It cannot be removed<\/h2><p>It is named by [\s\S]*the person has left/);
  const asset = idOf("SELECT min(node_id) FROM versions WHERE production_id = ?");
  assert.match(await (await editor.send(`/edit/assets/${asset}`, { action: "remove" })).text(), /It has versions/);
});

removing("of a scene omits it, with its number and its links, and is undone", async () => {
  const scene = idOf("SELECT min(node_id) FROM strips WHERE production_id = ?");
  const before = await server.get(reader, `/scenes/${scene}`);
  const path = `/edit/scenes/${scene}`;
  assert.match(await (await editor.send(path, { action: "remove" })).text(), /keeps its number[\s\S]*on day \d+/);
  const done = await editor.send(path, { action: "remove", sure: "1" });
  assert.equal(await server.get(reader, `/scenes/${scene}`), { ...before, status: "omitted" });
  assert.not.match(await editor.text(path), /value="remove"/);
  await undo(editor, done.headers.get("location") as string);
  assert.equal(await server.get(reader, `/scenes/${scene}`), before);
});

removing("is not for those who may not edit, and an edit key does not remove who is an admin", async () => {
  const scene = idOf("SELECT min(node_id) FROM strips WHERE production_id = ?");
  const writer = await signIn(server, reader);
  const vendor = await signIn(server, mint(store, submitterKey));
  const ask = (browser: Visitor, from: string) =>
    browser.send(`/edit/scenes/${scene}`, { action: "remove", sure: "1" }, from);
  assert.is((await ask(writer, "/approvals")).status, 403);
  assert.is((await ask(vendor, "/turnovers")).status, 404);
  store.writeSync(() =>
    store.database
      .prepare(
        "INSERT INTO people (production_id, name, role, is_hod, is_admin, active) VALUES (?, 'The Owner', 'Owner', 0, 1, 1)",
      )
      .run(feature),
  );
  const owner = idOf("SELECT id FROM people WHERE name = 'The Owner' AND production_id = ?");
  const refused = await editor.send(`/edit/people/${owner}`, { action: "remove", sure: "1" });
  assert.is(refused.status, 409);
  assert.match(await refused.text(), /admin/);
  assert.is(idOf("SELECT id FROM people WHERE name = 'The Owner' AND production_id = ?"), owner);
});

const spec = suite("the specification of a delivery");
const delivery = idOf("SELECT min(id) FROM deliveries WHERE title = 'Torran reef turnover' AND production_id = ?");
const specOf = async () => (await server.get(reader, `/deliveries/${delivery}`)).spec;
const path = `/edit/deliveries/${delivery}`;

spec("is edited in fields that keep their types, and gets further fields and items", async () => {
  const before = await specOf();
  const fields = await editFields(editor, path);
  assert.not.ok(
    Object.values(fields).some((text) => /^[[{]/.test(text)),
    "no JSON",
  );
  const [first] = before as [Record<string, unknown>];
  assert.is(fields["spec.0.handles"], String(first.handles));
  const response = await editor.post(path, {
    ...fields,
    "spec.0.handles": "16",
    "spec.0.+": "Frame rate: 24\nNote: with slates",
    [`spec.${before.length}.item`]: "Grey card",
  });
  assert.is(response.status, 303, await response.text());
  assert.equal(await specOf(), [
    { ...first, handles: 16, frame_rate: 24, note: "with slates" },
    ...before.slice(1),
    { item: "Grey card" },
  ]);
  await undo(editor, response.headers.get("location") as string);
  assert.equal(await specOf(), before);
});

spec("loses an item whose fields are emptied, and refuses a line without a name", async () => {
  const before = await specOf();
  const fields = await editFields(editor, path);
  const bad = await editor.post(path, { ...fields, "spec.0.+": "ProRes", "spec.0.handles": "16" });
  const text = await bad.text();
  assert.is(bad.status, 422);
  assert.match(text, /Write &quot;ProRes&quot; with its name first/);
  assert.match(text, />\s*ProRes</);
  assert.equal(await specOf(), before);
  const emptied = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name.startsWith("spec.1.") ? "" : value]),
  );
  const response = await editor.post(path, emptied);
  assert.is(response.status, 303, await response.text());
  assert.equal(await specOf(), before.toSpliced(1, 1));
  await undo(editor, response.headers.get("location") as string);
});

const files = suite("the files of a delivery");
const mediaOf = async () =>
  (await server.get(reader, `/deliveries/${delivery}`)).media as { id: number; label: string }[];

async function addFile(browser: Visitor, name: string, bytes: ReturnType<typeof jpeg>): Promise<Response> {
  const form = new FormData();
  form.append("proof", /name="proof" value="([^"]+)"/.exec(await browser.text(path))?.[1] as string);
  form.append("action", "add-files");
  form.append("files", new Blob([bytes]), name);
  const headers = { cookie: browser.cookies(), origin: server.url, accept: "text/html" };
  return fetch(server.url + path, { method: "POST", body: form, headers, redirect: "manual" });
}

files("are added beside the others, removed once it is confirmed, and come back with their bytes", async () => {
  const before = await mediaOf();
  const bytes = jpeg(32, 32);
  const added = await addFile(editor, "slate.jpg", bytes);
  assert.is(added.status, 303, await added.text());
  const now = await mediaOf();
  assert.equal(now.slice(0, -1), before, "the others keep their ids");
  assert.is(now.at(-1)?.label, "slate.jpg");
  const drop = { action: "drop-files", media_id: `${now.at(-1)?.id}` };
  assert.match(await (await editor.send(path, drop)).text(), /Remove slate\.jpg\?/);
  assert.is((await mediaOf()).length, now.length, "a question removes nothing");
  const done = await editor.send(path, { ...drop, sure: "1" });
  assert.is(done.status, 303, await done.text());
  assert.equal(await mediaOf(), before);
  assert.match(await (await editor.send(path, { ...drop, sure: "1" })).text(), /not there any more/);
  await undo(editor, done.headers.get("location") as string);
  const back = (await mediaOf()).at(-1) as { id: number };
  const content = await server.ask(reader, `/api/v1/media/${back.id}/content`);
  assert.equal(new Uint8Array(await content.arrayBuffer()), new Uint8Array(bytes));
});

files("are not for those who may not edit", async () => {
  const before = await mediaOf();
  const writer = await signIn(server, reader);
  const form = new FormData();
  form.append("proof", /name="proof" value="([^"]+)"/.exec(await writer.text("/approvals"))?.[1] as string);
  form.append("action", "add-files");
  form.append("files", new Blob(["x"]), "x.txt");
  const headers = { cookie: writer.cookies(), origin: server.url, accept: "text/html" };
  assert.is((await fetch(server.url + path, { method: "POST", body: form, headers, redirect: "manual" })).status, 403);
  assert.equal(await mediaOf(), before);
});

files.after(() => server.stop());
removing.run();
spec.run();
files.run();
