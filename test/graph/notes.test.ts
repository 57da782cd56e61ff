// GET /assets/{node_id}/notes and GET /assets/{node_id}/versions: no note hides another, and every version is listed.
import { hash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { signIn } from "../support/pages.ts";

const server = await openTestServer();
const { store } = server;
const production_id = 1;
const key = mint(store, { production_id, label: "set stills", scopes: ["read", "write"] });

const send = async (path: string, body: object | FormData): Promise<any> => {
  const json = !(body instanceof FormData);
  const headers = json ? { "content-type": "application/json" } : {};
  const init = { method: "POST", body: json ? JSON.stringify(body) : body, headers };
  const response = await server.ask(key, `/api/v1${path}`, init);
  assert.is(response.status, 200, await response.clone().text());
  return response.json();
};
const newAsset = async (): Promise<number> => (await send("/assets", { label: "Storm lantern" })).node_id;
const still = jpeg(8, 8);
const land = (node_id: number, note?: string): Promise<any> => {
  const form = new FormData();
  form.append("file", new Blob([still as Uint8Array<ArrayBuffer>]), "A 07.jpg");
  if (note !== undefined) form.append("note", note);
  return send(`/assets/${node_id}/versions`, form);
};
const addNote = (node_id: number, text: string, author?: string): Promise<any> =>
  send(`/assets/${node_id}/notes`, { text, author });
const notesOf = (node_id: number): Promise<any[]> => server.get(key, `/assets/${node_id}/notes`);
const versionsOf = (node_id: number): Promise<any[]> => server.get(key, `/assets/${node_id}/versions`);
const texts = async (node_id: number): Promise<string[]> => (await notesOf(node_id)).map(({ text }) => text);

const notes = suite("notes");

notes("are all listed, newest first, as they were answered: before a version, with one, and on it", async () => {
  const node_id = await newAsset();
  assert.equal(await notesOf(node_id), []);
  const early = await addNote(node_id, "Which lamp oil?");
  const first = await land(node_id, "Before the rain.");
  const second = await addNote(node_id, "Darker at the hem.", "Second unit");
  const third = await addNote(node_id, "Lighter again.");
  const again = await addNote(node_id, "Lighter again.");
  const next = await land(node_id);
  const last = await addNote(node_id, "Good.");
  const listed = await notesOf(node_id);
  const [came] = listed.splice(-2, 1);
  assert.equal(listed, [last, again, third, second, early]);
  assert.equal([came.text, came.version_id, came.author], ["Before the rain.", first.id, "set stills"]);
  const versions = await versionsOf(node_id);
  assert.equal(
    versions.map(({ id, note }) => [id, note]),
    [
      [first.id, "Lighter again."],
      [next.id, "Good."],
    ],
    "the note of a version is its newest",
  );
});

notes("may have a place on the newest version, which the lists show, and only there", async () => {
  const node_id = await newAsset();
  const place = { x: 0.25, y: 1 };
  const early = await server.ask(key, `/api/v1/assets/${node_id}/notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "Where?", place }),
  });
  await assertRefused(early, 422, /place needs a version of the asset/);
  await land(node_id);
  const answer = await send(`/assets/${node_id}/notes`, { text: "This seam.", place });
  assert.equal(answer.place, place);
  assert.equal(await notesOf(node_id), [answer]);
  assert.equal((await versionsOf(node_id)).at(-1).note_place, place);
  for (const wrong of [{ x: 1.01, y: 0 }, { x: -0.1, y: 0 }, { x: 0.5 }, { x: "0.5", y: 0 }])
    await assertRefused(
      await server.ask(key, `/api/v1/assets/${node_id}/notes`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: "Wrong", place: wrong }),
      }),
      422,
      /place/,
    );
  const [, plain] = [await addNote(node_id, "Without."), (await versionsOf(node_id)).at(-1)];
  assert.is(plain.note_place, null, "the newest note has no place");
});

notes("that a version had from a document are kept when a note replaces them", async () => {
  const { id, node_id, note } = store.database
    .prepare(
      `SELECT v.id, v.node_id, v.note FROM versions v WHERE v.production_id = ? AND v.note IS NOT NULL
         AND v.version = (SELECT max(version) FROM versions WHERE node_id = v.node_id)
         AND NOT EXISTS (SELECT 1 FROM notes WHERE node_id = v.node_id) ORDER BY v.id LIMIT 1`,
    )
    .get(production_id) as { id: number; node_id: number; note: string };
  await addNote(node_id, "Seen on the monitor.");
  await addNote(node_id, "Seen again.");
  assert.equal(await texts(node_id), ["Seen again.", "Seen on the monitor.", note]);
  assert.is(one(store, "SELECT note FROM versions WHERE id = ?", id), "Seen again.");
});

notes("are on the page of the asset", async () => {
  const node_id = await newAsset();
  await land(node_id, "Came with it.");
  await addNote(node_id, "The second.");
  const page = await (await signIn(server, key)).text(`/assets/${node_id}`);
  assert.ok(page.indexOf("The second.") < page.indexOf("Came with it.") && page.includes("The second."), page);
});

notes("and versions of a scene, a foreign and an unknown asset are the same 404", async () => {
  const scene = one(store, "SELECT id FROM nodes WHERE production_id = ? AND kind = 'scene'", production_id);
  const foreign = one(store, "SELECT id FROM nodes WHERE production_id <> ? AND kind <> 'scene'", production_id);
  for (const id of [scene, foreign, 999_999_999])
    for (const list of ["notes", "versions"])
      await assertRefused(await server.ask(key, `/api/v1/assets/${id}/${list}`), 404, "not found");
});
notes.run();

const versions = suite("GET /assets/{node_id}/versions");

versions("lists every version with its media, released or not", async () => {
  const node_id = await newAsset();
  const landed = [await land(node_id, "One."), await land(node_id)];
  const admin = mint(store, { production_id, scopes: ["admin"] });
  await server.ask(admin, `/api/v1/admin/versions/${landed[0].id}/release`, { method: "POST" });
  const listed = await versionsOf(node_id);
  const media = one(store, "SELECT id FROM media WHERE version_id = ?", landed[1].id);
  assert.equal(
    listed.map(({ version, released, archived }) => [version, released, archived]),
    [
      [1, true, false],
      [2, false, false],
    ],
  );
  const { media: files, created_by, created_by_person_id, archived, ...rest } = listed[1];
  assert.equal(rest, { ...landed[1], note_place: null });
  assert.equal([created_by, created_by_person_id, archived], ["set stills", null, false]);
  const facts = { sha256: hash("sha256", still), size: still.length, content_type: "image/jpeg" };
  assert.equal(files, [{ id: media, label: "A 07.jpg", ...facts }]);
});

versions("needs the scope write", async () => {
  const reader = mint(store, { production_id, scopes: ["read"] });
  const { node_id } = await land(await newAsset());
  await assertRefused(await server.ask(reader, `/api/v1/assets/${node_id}/versions`), 403, /`write` scope/);
});
versions.after(() => server.stop());
versions.run();
