// POST /assets, /assets/{node_id}/notes and /assets/{node_id}/versions.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { isThorough } from "../support/proportion.ts";

const server = await openTestServer({ environment: { TALLYLIGHT_UPLOAD_LIMIT: String(1 << 20) } });
const { store } = server;
const production_id = 1;
const person_id = one(store, "SELECT min(id) FROM people WHERE production_id = ?", production_id);
const key = mint(store, { production_id, person_id, label: "set stills" });
const scene = one(store, "SELECT node_id FROM scenes WHERE production_id = ? LIMIT 1", production_id);
const foreign = one(store, "SELECT id FROM nodes WHERE production_id <> ? AND kind <> 'scene' LIMIT 1", production_id);

const post = (path: string, body: object): Promise<Response> =>
  server.ask(key, `/api/v1${path}`, {
    method: "POST",
    ...(body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
const posted = async (path: string, body: object): Promise<any> => {
  const response = await post(path, body);
  const text = await response.text();
  assert.is(response.status, 200, text);
  return JSON.parse(text);
};
function form(parts: Record<string, string | Uint8Array>, name = "A 07.jpg"): FormData {
  const body = new FormData();
  for (const [field, value] of Object.entries(parts))
    if (typeof value === "string") body.append(field, value);
    else body.append(field, new Blob([value as Uint8Array<ArrayBuffer>]), name);
  return body;
}
const still = jpeg(32, 24);
const newAsset = async (): Promise<number> => (await posted("/assets", { label: "Storm lantern" })).node_id;
const newest = async () => (await server.get(key, "/activity?limit=1"))[0];
/** Row counts that a refused write must not change. */
const rows = () =>
  one<string>(
    store,
    `SELECT (SELECT count(*) FROM nodes) || ' ' || (SELECT count(*) FROM versions) || ' ' || (SELECT count(*) FROM notes)
       || ' ' || (SELECT count(*) FROM media) || ' ' || (SELECT count(*) FROM activity)`,
  );
const files = () => readdirSync(join(server.folder, "media"), { recursive: true }).length;

const create = suite("POST /assets");

create("creates a planned asset without a department from a label", async () => {
  const row = await posted("/assets", { label: "Storm lantern" });
  assert.equal(
    { ...row, node_id: 0, updated_at: "" },
    {
      node_id: 0,
      label: "Storm lantern",
      kind: "asset",
      status: "planned",
      department: null,
      versions: 0,
      updated_at: "",
    },
  );
  assert.equal((await server.get(key, "/assets")).at(-1), row);
  const entry = await newest();
  assert.equal(
    [entry.verb, entry.summary, entry.actor, entry.actor_person_id, entry.node_id],
    ["asset.created", "Created the asset Storm lantern", "set stills", person_id, row.node_id],
  );
});

create("names the other assets of its label", async () => {
  const first = await posted("/assets", { label: "Signal mirror" });
  assert.not.ok("same_label" in first);
  const second = await posted("/assets", { label: "  signal  MIRROR " });
  assert.equal(second.same_label, [first.node_id]);
  const third = await posted("/assets", { label: "Signal mirror", kind: "prop" });
  assert.equal(third.same_label, [first.node_id, second.node_id]);
  assert.equal((await server.get(key, `/assets/${third.node_id}`)).same_label, undefined);
});

create("GET answers an empty list for a kind or a department that nothing has", async () => {
  for (const query of ["kind=props", "kind=no such kind", "department=nobody", "kind=props&department=nobody"])
    assert.equal(await server.get(key, `/assets?${query}`), [], query);
  await assertRefused(await server.ask(key, "/api/v1/assets?status=props"), 422, /^status must be one of /);
});

create("accepts kind, department and status", async () => {
  const department = one<string>(store, "SELECT slug FROM departments WHERE production_id = ? LIMIT 1", production_id);
  const row = await posted("/assets", { label: "Quay", kind: "location", department, status: "blocked" });
  assert.equal([row.kind, row.department, row.status], ["location", department, "blocked"]);
});

create("returns 422, names the invalid field and stores nothing", async () => {
  const before = rows();
  const slug = one<string>(
    store,
    "SELECT slug FROM departments WHERE production_id <> ? AND slug NOT IN (SELECT slug FROM departments WHERE production_id = ?) LIMIT 1",
    production_id,
    production_id,
  );
  for (const [body, detail] of [
    [{}, /label is required/],
    [{ label: "  " }, /label must not be empty/],
    [{ label: 7 }, /label must be text/],
    [{ label: "a".repeat(301) }, /label must have at most 300/],
    [{ label: "\ud800" }, /label must be well-formed/],
    [{ label: "x", kind: "scene" }, /kind must not be scene/],
    [{ label: "x", kind: "Big Prop" }, /kind must be a slug/],
    [{ label: "x", status: "omitted" }, /status must be one of planned, active, blocked, done/],
    [{ label: "x", department: "no-such" }, /department must be the slug of a department/],
    [{ label: "x", department: slug }, /department must be the slug of a department/],
  ] as const)
    await assertRefused(await post("/assets", body), 422, detail);
  assert.is(rows(), before);
});
create.run();

const notes = suite("POST /assets/{node_id}/notes");

notes("stores a note on an asset without versions as an activity entry with its text", async () => {
  const node_id = await newAsset();
  const note = await posted(`/assets/${node_id}/notes`, { text: "Darker glass." });
  assert.equal([note.node_id, note.version_id, note.text, note.author], [node_id, null, "Darker glass.", "set stills"]);
  const entry = await newest();
  assert.equal([entry.verb, entry.node_id], ["note.added", node_id]);
  assert.match(entry.summary, /Darker glass\./);
  assert.is(one(store, "SELECT text FROM notes WHERE id = ?", note.id), "Darker glass.");
});

notes("stores a note on the newest version, which shows it, and adds an activity entry", async () => {
  const node_id = await newAsset();
  await posted(`/assets/${node_id}/versions`, form({ file: still, note: "first" }));
  const second = await posted(`/assets/${node_id}/versions`, form({ file: still }));
  const note = await posted(`/assets/${node_id}/notes`, { text: "Too clean.", author: "Props floor" });
  assert.equal([note.version_id, note.author], [second.id, "Props floor"]);
  assert.equal(
    store.database.prepare("SELECT note FROM versions WHERE node_id = ? ORDER BY version").pluck().all(node_id),
    ["first", "Too clean."],
  );
  assert.is((await newest()).summary, "Note on Storm lantern v2 by Props floor: Too clean.");
});

notes("shows the note of a released version in its summary and updates the asset's updated_at", async () => {
  const node_id = one(
    store,
    "SELECT node_id FROM versions v WHERE production_id = ? AND released = 1 AND version = (SELECT max(version) FROM versions WHERE node_id = v.node_id) LIMIT 1",
    production_id,
  );
  const { created_at } = await posted(`/assets/${node_id}/notes`, { text: "Hold this one." });
  const asset = await server.get(key, `/assets/${node_id}`);
  assert.is(asset.versions.at(-1).note, "Hold this one.");
  assert.is(asset.updated_at, created_at);
});

notes("returns 422 if the text is missing or invalid", async () => {
  const node_id = await newAsset();
  for (const [body, detail] of [
    [{}, /text is required/],
    [{ text: "\n" }, /text must not be empty/],
    [{ text: "x", author: "" }, /author must not be empty/],
    [{ text: "x".repeat(9_001) }, /text must have at most 9,000/],
  ] as const)
    await assertRefused(await post(`/assets/${node_id}/notes`, body), 422, detail);
});

notes("returns the same 404 for a scene, a foreign asset and an unknown asset", async () => {
  const before = rows();
  for (const id of [scene, foreign, 999_999_999])
    await assertRefused(await post(`/assets/${id}/notes`, { text: "?" }), 404, "not found");
  await assertRefused(await post("/assets/0/notes", { text: "x" }), 422, /node_id/);
  assert.is(rows(), before);
});
notes.run();

const versions = suite("POST /assets/{node_id}/versions");

versions("stores a still as the next version, with status wip and its bytes", async () => {
  const node_id = await newAsset();
  const { id, created_at, ...rest } = await posted(`/assets/${node_id}/versions`, form({ file: still }));
  assert.equal(rest, { node_id, version: 1, variant: "On-Set", status: "wip", note: null, released: false });
  const media = one(store, "SELECT id FROM media WHERE version_id = ?", id);
  const detail = await server.get(key, `/media/${media}`);
  assert.equal([detail.kind, detail.label, detail.node_id], ["still", "A 07.jpg", node_id]);
  assert.equal([detail.created_by, detail.created_at], ["set stills", created_at]);
  const bytes = await (await server.ask(key, `/api/v1/media/${media}/content`)).arrayBuffer();
  assert.equal(new Uint8Array(bytes), still);
  const [locked] = (await server.get(key, `/assets/${node_id}`)).versions;
  assert.equal(locked, { id, version: 1, variant: "On-Set", status: "wip", released: false, locked: true });
  assert.is(one(store, "SELECT created_by_person_id FROM versions WHERE id = ?", id), person_id);
  assert.is((await newest()).summary, "Landed Storm lantern v1 (On-Set)");
});

versions("accepts variant and note, and only one file", async () => {
  const body = form({ variant: "Screen test", note: "Rain rig." });
  body.append("file", new Blob([still as Uint8Array<ArrayBuffer>]), "../../etc/second.jpg");
  const two = form({ file: jpeg(8, 8, 1) });
  two.append("file", new Blob([still as Uint8Array<ArrayBuffer>]), "second.jpg");
  await assertRefused(await post(`/assets/${await newAsset()}/versions`, two), 422, /^file must be one file, not 2/);
  const version = await posted(`/assets/${await newAsset()}/versions`, body);
  assert.equal([version.variant, version.note], ["Screen test", "Rain rig."]);
  assert.is(one(store, "SELECT label FROM media WHERE version_id = ?", version.id), "etc/second.jpg");
});

versions("gives twenty simultaneous versions consecutive numbers", async () => {
  const node_id = await newAsset();
  const landed = await Promise.all(
    Array.from({ length: 20 }, (_, at) => posted(`/assets/${node_id}/versions`, form({ file: jpeg(8 + at, 8) }))),
  );
  const numbers = landed.map(({ version }) => version).sort((a, b) => a - b);
  assert.equal(
    numbers,
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
});

versions("stores neither row nor file if the request is refused", async () => {
  const node_id = await newAsset();
  const [before, filesBefore] = [rows(), files()];
  const at = `/assets/${node_id}/versions`;
  await assertRefused(await post(at, form({ note: "no file" })), 422, /file is required/);
  await assertRefused(await post(at, form({ file: "not a file" })), 422, /file must be a file/);
  await assertRefused(
    await post(at, form({ file: new Uint8Array(0) })),
    422,
    /is empty: a file of 0 bytes is not stored/,
  );
  await assertRefused(await post(at, form({ file: jpeg(9, 9), variant: " " })), 422, /variant must not be empty/);
  await assertRefused(await post(at, { file: "x" }), 422, /multipart/);
  await assertRefused(await post(at, form({ file: new Uint8Array((1 << 20) + 1) })), 413, /1,048,576 bytes/);
  for (const id of [scene, foreign, 999_999_999])
    await assertRefused(await post(`/assets/${id}/versions`, form({ file: jpeg(9, 9) })), 404, "not found");
  assert.equal([rows(), files()], [before, filesBefore]);
});
versions.run();

const full = suite("POST /assets, at last");

/** To store and index 30,000 assets takes a second. */
const largest = isThorough ? full : full.skip;
largest("is refused where the production has as many assets as an import may give it", async () => {
  const stored = one<number>(
    store,
    "SELECT count(*) FROM nodes WHERE production_id = ? AND kind <> 'scene'",
    production_id,
  );
  const { database } = store;
  const most = database.prepare(
    `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO nodes (production_id, kind, label, status, created_at, updated_at)
     SELECT ?, 'extra', 'Extra ' || i, 'planned', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM n`,
  );
  database.transaction(() => most.run(30_000 - 1 - stored, production_id))();
  const { node_id } = await posted("/assets", { label: "The last one" });
  const refused = await server.ask(key, "/api/v1/assets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ label: "One more" }),
  });
  await assertRefused(refused, 422, "the asset must not be added: a production has at most 30,000 assets");
  assert.is(one(store, "SELECT max(id) FROM nodes"), node_id);
});
full.after(() => server.stop());
full.run();
