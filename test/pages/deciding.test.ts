// Deciding on the pages without JavaScript, and taking it back: what is signed, the note that a return needs, the places of notes, and
// who sees them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, production, submitter, submitterKey, submittedDelivery, submitted } = seedDataOf(store);
const writerKey = mint(store, { production_id: feature });
const writer = await signIn(server, writerKey);
const editor = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));

/** A pending approval of an asset, with the person whose step is next and the step. */
const { id, node_id, person_id, position } = store.database
  .prepare(
    `SELECT a.id, a.node_id, s.person_id, s.position FROM approvals a JOIN approval_steps s ON s.approval_id = a.id
     WHERE a.production_id = ? AND a.status = 'pending' AND s.status = 'pending' AND a.version_id IS NULL
       AND a.node_id IN (SELECT id FROM nodes WHERE kind <> 'scene')
       AND s.position = (SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending') ORDER BY a.id`,
  )
  .get(feature) as Record<"id" | "node_id" | "person_id" | "position", number>;
const signer = await signIn(server, mint(store, { production_id: feature, person_id, label: "Signer" }));
const stepStatus = () =>
  one<string>(store, "SELECT status FROM approval_steps WHERE approval_id = ? AND position = ?", id, position);

async function land(key: string, node: number): Promise<number> {
  const form = new FormData();
  form.append("file", new Blob([jpeg(64, 32)], { type: "image/jpeg" }), "still.jpg");
  const answer = await server.ask(key, `/api/v1/assets/${node}/versions`, { method: "POST", body: form });
  return ((await answer.json()) as { id: number }).id;
}
await land(writerKey, node_id);
await land(writerKey, node_id);
const hiddenIn = (page: string, name: string) =>
  new RegExp(`id="approval-${id}"[\\s\\S]*?name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? "";
const decision = async (path: string, more: Record<string, string>) => {
  const page = await signer.text(path);
  const fields = Object.fromEntries(["position", "version_id"].map((name) => [name, hiddenIn(page, name)]));
  return { approval_id: `${id}`, decided_by: `${person_id}`, ...fields, ...more };
};

const deciding = suite("a decision on the pages");

for (const [path, back] of [
  ["/approvals", `/approvals?decided=${id}#approval-${id}`],
  [`/approvals/${id}`, `/approvals/${id}`],
] as const)
  deciding(`at ${path} says what is signed, and is taken back there by its person, and by no other`, async () => {
    const before = await signer.text(path);
    assert.match(before, /Signs v\d+ On-Set of /);
    assert.ok(before.indexOf("/thumbnails/") < before.indexOf('value="approved"'), "the picture is before the button");
    const sent = await signer.send(path, await decision(path, { decision: "approved", note: "" }));
    assert.is(sent.headers.get("location"), back);
    assert.is(stepStatus(), "approved");
    const page = await signer.text(back.split("#")[0] as string);
    assert.match(page, /value="take_back"/);
    assert.not.match(await writer.text(`/approvals/${id}`), /value="take_back"/);
    const foreign = await writer.send(path, { decision: "take_back", approval_id: `${id}` });
    assert.is(foreign.status, 422);
    assert.match(await foreign.text(), /may take this decision back; nothing was changed/);
    assert.is(stepStatus(), "approved");
    assert.is((await signer.send(path, { decision: "take_back", approval_id: `${id}` })).headers.get("location"), back);
    assert.is(stepStatus(), "pending");
    assert.match(await signer.text(`/approvals/${id}`), /former round/);
    const again = await signer.send(path, { decision: "take_back", approval_id: `${id}` });
    assert.is(again.status, 422, "there is nothing left to take back");
  });

deciding("for changes needs a note, and keeps what was typed", async () => {
  const empty = await signer.send("/approvals", await decision("/approvals", { decision: "changes", note: " " }));
  assert.is(empty.status, 422);
  assert.match(await empty.text(), /Write in the note what should change/);
  assert.is(stepStatus(), "pending");
  const other = await writer.send(`/approvals/${id}`, {
    ...(await decision("/approvals", { decision: "changes", note: "Typed already" })),
    decided_by: "",
  });
  assert.match(await other.text(), /Choose the name[\s\S]*Typed already/);
});

deciding("is refused if another version came since the page was shown, or another step is next", async () => {
  const given = await decision("/approvals", { decision: "approved", note: "Fine" });
  await land(writerKey, node_id);
  const refused = await signer.send("/approvals", given);
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /V\d+ came since this page was shown: look at it, and decide again[\s\S]*Fine/);
  const step = { ...(await decision("/approvals", { decision: "approved" })), position: `${position + 1}` };
  assert.match(await (await signer.send("/approvals", step)).text(), /nothing was recorded/);
  assert.is(stepStatus(), "pending");
});

deciding("is in the history with its undo, for who may edit, and stays there once taken back", async () => {
  await signer.send("/approvals", await decision("/approvals", { decision: "changes", note: "Longer sleeves" }));
  const page = await editor.text("/settings/history");
  assert.match(
    page,
    new RegExp(`href="/approvals/${id}">Asked for changes[\\s\\S]*?Longer sleeves[\\s\\S]*?value="take_back"`),
  );
  const form = { decision: "take_back", approval_id: `${id}` };
  assert.is((await editor.send(`/approvals/${id}`, form, "/settings/history")).status, 303);
  assert.is(stepStatus(), "pending");
  assert.match(
    await editor.text("/settings/history"),
    /Asked for changes[^§]*?taken back or reopened[^§]*?Longer sleeves/,
  );
});

const work = suite("submitted work");
const studio = await signIn(
  server,
  mint(store, { production_id: one(store, "SELECT production_id FROM deliveries WHERE id = ?", submittedDelivery) }),
);

work("shows its stills and plays its clips, to the production and to its vendor", async () => {
  const clip = new Uint8Array(Buffer.from("0000001866747970697366f6d0000020069736f6d69736f32", "hex").subarray(0, 24));
  const mp4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypisom"), Buffer.from(clip.subarray(0, 12))]);
  const form = new FormData();
  form.append("files", new Blob([jpeg(64, 32)]), "plate.jpg");
  form.append("files", new Blob([mp4]), "take.mp4");
  form.append("files", new Blob(["notes"]), "notes.txt");
  const key = mint(store, submitterKey);
  const delivery = seedDataOf(store).delivery;
  const path = `/api/v1/turnovers/${delivery}/submissions`;
  assert.is((await server.ask(key, path, { method: "POST", body: form })).status, 200);
  const id = (name: string) => one(store, "SELECT max(id) FROM media WHERE label = ?", name);
  const own = await signIn(server, mint(store, { production_id: production }));
  const vendor = await signIn(server, key);
  for (const page of [await own.text(`/deliveries/${delivery}`), await vendor.text(`/turnovers/${delivery}`)]) {
    assert.match(page, new RegExp(`<img src="/thumbnails/${id("plate.jpg")}"`));
    assert.match(page, new RegExp(`<video src="/files/${id("take.mp4")}"`));
    assert.match(page, new RegExp(`href="/files/${id("notes.txt")}">notes.txt<`));
  }
  const part = await vendor.get(`/files/${id("take.mp4")}`, { range: "bytes=4-7" });
  assert.equal([part.status, await part.text()], [206, "ftyp"]);
});

work("is returned only with a note, and keeps what was typed", async () => {
  const submission = one(store, "SELECT max(id) FROM submissions WHERE delivery_id = ?", submittedDelivery);
  const path = `/deliveries/${submittedDelivery}`;
  const status = () => one<string>(store, "SELECT status FROM submissions WHERE id = ?", submission);
  const before = status();
  const refused = await studio.send(path, { submission_id: `${submission}`, decision: "returned", note: "" });
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /Write in the note why it is returned/);
  assert.is(status(), before);
  const fields = { submission_id: `${submission}`, decision: "returned", note: "Edges." };
  assert.is((await studio.send(path, fields)).status, 303);
  assert.is(status(), "returned");
  assert.ok(submitted > 0);
});

const places = suite("a note at a place");

places("is a number on the picture, on the pages of the asset, the comparison and the approval", async () => {
  const page = await writer.text(`/assets/${node_id}`);
  const on_version = /name="on_version" value="(\d+)"/.exec(page)?.[1] as string;
  const fields = { action: "note", text: "This seam", left: "25", top: "40.5", on_version };
  assert.is((await writer.send(`/assets/${node_id}`, fields)).status, 303);
  const back = await writer.send(`/assets/${node_id}`, { ...fields, text: "That one", approval: `${id}` });
  assert.is(back.headers.get("location"), `/approvals/${id}`);
  for (const path of [`/assets/${node_id}`, `/assets/${node_id}/compare`, `/approvals/${id}`]) {
    const text = await writer.text(path);
    assert.match(text, /<svg x="25%" y="40.5%"[^§]*?>1<\/text>[^§]*?>2<\/text>/, path);
    assert.match(
      text,
      /<span class="chip bad">2<\/span> That one[^§]*<span class="chip bad">1<\/span> This seam/,
      path,
    );
  }
  const [newest] = await server.get(writerKey, `/assets/${node_id}/notes`);
  assert.equal(newest.place, { x: 0.25, y: 0.405 });
});

places("stands on the card of an approval beside the note of the version, each with who wrote it", async () => {
  const maker = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
  const key = mint(store, { production_id: feature, person_id, label: "A key of the maker" });
  const form = new FormData();
  form.append("file", new Blob([jpeg(64, 32)]), "still.jpg");
  form.append("note", "Came with it");
  await server.ask(key, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
  const card = async () =>
    (await writer.text("/approvals")).split(`id="approval-${id}"`)[1]?.split("</li>\n<li")[0] ?? "";
  assert.match(await card(), new RegExp(`Came with it</q></p><p class="under">${maker} · with this version`));
  const on_version = /name="on_version" value="(\d+)"/.exec(await writer.text(`/assets/${node_id}`))?.[1] as string;
  await writer.send(`/assets/${node_id}`, { action: "note", text: "Pinned later", left: "5", top: "5", on_version });
  const both = await card();
  assert.match(both, new RegExp(`Came with it</q></p><p class="under">${maker} · with this version`));
  assert.match(both, /Pinned later<\/q><\/p><p class="under">test key · the newest note/);
  const notes: { text: string; author: string }[] = await server.get(writerKey, `/assets/${node_id}/notes`);
  assert.is(notes.find(({ text }) => text === "Came with it")?.author, maker, "not the label of the key");
});

places(
  "is refused for a version that is not the newest any more, half a place and a place outside, with its text",
  async () => {
    const page = await writer.text(`/assets/${node_id}`);
    const on_version = /name="on_version" value="(\d+)"/.exec(page)?.[1] as string;
    await land(writerKey, node_id);
    const fields = { action: "note", text: "Kept text", left: "25", top: "40", on_version };
    const current = /name="on_version" value="(\d+)"/.exec(await writer.text(`/assets/${node_id}`))?.[1] as string;
    for (const [given, why] of [
      [fields, /came since this page was shown/],
      [{ ...fields, top: "", on_version: current }, /needs both/],
      [{ ...fields, top: "101", on_version: current }, /must be|Invalid value/],
    ] as const) {
      const text = await (await writer.send(`/assets/${node_id}`, given)).text();
      assert.match(text, why);
      assert.match(text, /Kept text/);
    }
  },
);

places("of a released version is on the vendor's page and in its bundle, and no other note is", async () => {
  const node = one<number | undefined>(
    store,
    `SELECT g.node_id FROM grants g WHERE g.engagement_id = ? AND g.verb = 'read' AND g.revoked_at IS NULL
       AND g.node_id IN (SELECT node_id FROM versions WHERE released = 1) AND (SELECT kind FROM nodes WHERE id = g.node_id) <> 'scene'`,
    submitter,
  );
  const key = mint(store, { production_id: production, scopes: ["read", "write", "admin"] });
  const target: number =
    node ??
    one<number>(store, "SELECT min(node_id) FROM versions WHERE released = 1 AND production_id = ?", production);
  const headers = { "content-type": "application/json" };
  const post = (path: string, body: object) =>
    server.ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (node === undefined) await post("/admin/grants", { engagement_id: submitter, verb: "read", node_id: target });
  const version = await land(key, target);
  await post(`/admin/versions/${version}/release`, {});
  await post(`/assets/${target}/notes`, { text: "Former", place: { x: 0.1, y: 0.1 } });
  await post(`/assets/${target}/notes`, { text: "Shown", place: { x: 0.5, y: 0.75 } });
  const hidden = await land(key, target);
  await post(`/assets/${target}/notes`, { text: "Secret", place: { x: 0.9, y: 0.9 } });
  const vendorKey = mint(store, submitterKey);
  const { released_versions } = await server.get(vendorKey, `/bundles/asset/${target}`);
  assert.equal(released_versions.at(-1).note_place, { x: 0.5, y: 0.75 });
  assert.not.ok(JSON.stringify(released_versions).includes("Secret"));
  const vendor = await signIn(server, vendorKey);
  for (const path of [`/assets/${target}`, `/assets/${target}/compare`, `/assets/${target}/compare?left=${hidden}`]) {
    const text = await vendor.text(path);
    assert.match(text, /<svg x="50%" y="75%"/, path);
    assert.not.match(text, /Secret|x="90%"|name="on_version"/, path);
  }
  assert.is((await vendor.get("/assets/999999/compare")).status, 404);
});

for (const each of [deciding, work]) each.run();
places.after(() => server.stop());
places.run();
