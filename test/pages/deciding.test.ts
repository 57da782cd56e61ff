// Deciding on the pages without JavaScript, and taking it back: what is signed, the note that a return needs, the
// places of notes, and who sees them.
// Thorough: only --all runs it.
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

for (const [path, back] of [[`/approvals/${id}`, `/approvals/${id}`]] as const)
  deciding(`at ${path} says what is signed, and is taken back there by its person, and by no other`, async () => {
    const before = await signer.text(path);
    assert.match(before, /Signs v\d+ On-Set of /);
    assert.ok(before.indexOf("/thumbnails/") < before.indexOf('value="approved"'), "the picture is before the button");
    const sent = await signer.send(path, await decision(path, { decision: "approved", note: "" }));
    assert.is(sent.headers.get("location"), `${back}?decided=1`);
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
  const empty = await signer.send("/approvals", await decision(`/approvals/${id}`, { decision: "changes", note: " " }));
  assert.is(empty.status, 422);
  assert.match(await empty.text(), /Write in the note what should change/);
  assert.is(stepStatus(), "pending");
  const other = await writer.send(`/approvals/${id}`, {
    ...(await decision(`/approvals/${id}`, { decision: "changes", note: "Typed already" })),
    decided_by: "",
  });
  assert.match(await other.text(), /Choose the name[\s\S]*Typed already/);
});

deciding("is refused if another version came since the page was shown, or another step is next", async () => {
  const given = await decision(`/approvals/${id}`, { decision: "approved", note: "Fine" });
  await land(writerKey, node_id);
  const refused = await signer.send("/approvals", given);
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /V\d+ came since this page was shown: look at it, and decide again[\s\S]*Fine/);
  const step = { ...(await decision(`/approvals/${id}`, { decision: "approved" })), position: `${position + 1}` };
  assert.match(await (await signer.send("/approvals", step)).text(), /nothing was recorded/);
  assert.is(stepStatus(), "pending");
});

deciding("is in the history with its undo, for who may edit, and stays there once taken back", async () => {
  await signer.send("/approvals", await decision(`/approvals/${id}`, { decision: "changes", note: "Longer sleeves" }));
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

/** Numbers the assets, so that none has the name of another. */
let capes = 0;
const older = suite("a newer version than what an approval is about");

/** An approval about v1 of a new asset that has v2, both of one variant, and the browsers of its two people. */
async function outdated() {
  const { node_id } = (await (
    await server.ask(writerKey, "/api/v1/assets", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ label: `Cape ${++capes}` }),
    })
  ).json()) as { node_id: number };
  const [v1, v2] = [await land(writerKey, node_id), await land(writerKey, node_id)];
  const { database } = store;
  const people = database
    .prepare("SELECT id, name FROM people WHERE production_id = ? AND active = 1 ORDER BY id LIMIT 2")
    .all(feature) as { id: number; name: string }[];
  const approval_id = store.writeSync(() => {
    const made = database
      .prepare(
        "INSERT INTO approvals (production_id, title, status, mode, node_id, version_id) VALUES (?, ?, 'pending', 'chain', ?, ?)",
      )
      .run(feature, `The cape ${node_id}`, node_id, v1);
    for (const [at, { id }] of people.entries())
      database
        .prepare(
          "INSERT INTO approval_steps (production_id, approval_id, position, person_id, status) VALUES (?, ?, ?, ?, 'pending')",
        )
        .run(feature, made.lastInsertRowid, at + 1, id);
    return Number(made.lastInsertRowid);
  });
  const [first, second] = await Promise.all(
    people.map(({ id }) => signIn(server, mint(store, { production_id: feature, person_id: id }))),
  );
  if (first === undefined || second === undefined) throw new Error("the demo has people");
  const path = `/approvals/${approval_id}`;
  const hidden = (page: string, decision: "ask_again" | "approved"): Record<string, string> => {
    const form = page.split("<form").find((part) => part.includes(`value="${decision}"`)) ?? "";
    return Object.fromEntries(
      [...form.matchAll(/type="hidden" name="(?!proof)(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
  };
  const row = (): Promise<any> => server.get(writerKey, path);
  return { node_id, v1: `${v1}`, v2: `${v2}`, path, approval_id, people, first, second, hidden, row };
}

older("is asked about first, and signed by nobody before", async () => {
  const { v1, v2, path, people, first, second, hidden, row } = await outdated();
  await first.send(path, {
    ...hidden(await first.text(path), "approved"),
    older: "yes",
    decision: "approved",
    note: "It is the same cloth",
  });
  const page = await second.text(path);
  const [ask, all] = [page.indexOf(">Ask about v2<"), page.indexOf("Decide v1 all the same")];
  assert.ok(ask > 0 && all > ask, "the newer version comes first");
  assert.match(
    page,
    new RegExp(`v2 is newer than v1, which this is about\\. If it is asked about, ${people[0]?.name} decides again`),
  );
  assert.match(page, /<b>v1 [\s\S]*<b>v2 /, "both pictures");
  const card = await second.text("/approvals");
  assert.not.match(card, new RegExp(`name="chosen" value="${path.split("/").at(-1)}:`), "it is decided by itself");
  const asked = hidden(page, "ask_again");
  assert.is(asked.version_id, v2);
  assert.match(page, /approved v1/, "the step says what it signed");
  assert.is((await second.send(path, { ...asked, decision: "ask_again" })).status, 303);
  assert.match(await second.text(path), /former round[^§]*approved v1/);
  const { status, version_id, rounds } = await row();
  assert.equal([status, version_id, rounds[0][0].version_id], ["pending", Number(v2), Number(v1)]);
  assert.not.match(await first.text(path), /all the same|Ask about/);
});

older("needs a tick and a note of who signs the older one, and is seen by it", async () => {
  const { v1, v2, path, first, hidden, row, node_id } = await outdated();
  const form: Record<string, string> = { ...hidden(await first.text(path), "approved"), decision: "approved" };
  assert.equal([form.version_id, form.seen], [v1, v2]);
  const before = await row();
  for (const wrong of [{}, { older: "yes" }, { note: "It is the same cloth" }]) {
    const refused = await first.send(path, { ...form, ...wrong });
    assert.is(refused.status, 422);
    assert.match(
      await refused.text(),
      /v2 is newer than v1: tick that you have seen it[\s\S]*<details open><summary>Decide v1 all the same/i,
    );
  }
  await land(writerKey, node_id);
  const late = await first.send(path, { ...form, older: "yes", note: "It is the same cloth" });
  assert.match(await late.text(), /V3 came since this page was shown: look at it[\s\S]*It is the same cloth/);
  assert.equal(await row(), before);
  const again = hidden(await first.text(path), "approved");
  await first.send(path, { ...again, decision: "approved", older: "yes", note: "It is the same cloth" });
  assert.is((await row()).steps[0].version_id, Number(v1));
});

older("is offered to who has a step, and to who may edit, and to nobody else", async () => {
  const { path, approval_id, v2, second, row } = await outdated();
  assert.match(await second.text(path), />Ask about v2</);
  assert.match(await editor.text(path), />Ask about v2</);
  const reader = await signIn(server, mint(store, { production_id: feature, scopes: ["read"] }));
  const stranger = await signIn(server, writerKey);
  const before = await row();
  for (const browser of [reader, stranger]) {
    assert.not.match(await browser.text(path), /value="ask_again"/);
    const sent = await browser.send(path, { approval_id: `${approval_id}`, version_id: v2, decision: "ask_again" });
    assert.ok([403, 422].includes(sent.status));
  }
  assert.equal(await row(), before);
});

older("answers changes that were asked for, and what was refused is not signed by deciding again", async () => {
  const { v2, path, first, hidden, row, node_id } = await outdated();
  store.writeSync(() => store.database.exec(`UPDATE versions SET archived = 1 WHERE id = ${v2}`));
  const form = hidden(await first.text(path), "approved");
  await first.send(path, { ...form, decision: "changes", note: "Shorter" });
  assert.match(await first.text(path), /A new version <a/);
  const v3 = await land(writerKey, node_id);
  const page = await first.text(path);
  assert.match(page, />Ask about v3</);
  assert.not.match(page, /Decide again/);
  await first.send(path, { ...hidden(page, "ask_again"), decision: "ask_again" });
  await first.send(path, { ...hidden(await first.text(path), "approved"), decision: "approved", note: "" });
  const { steps, version_id } = await row();
  assert.equal([steps[0].status, steps[0].version_id, version_id], ["approved", v3, v3]);
});

older("is not signed unseen where the page showed none", async () => {
  const { node_id, path, first, hidden, row } = await outdated();
  store.writeSync(() => {
    store.database.exec(`UPDATE approvals SET version_id = NULL WHERE node_id = ${node_id}`);
    store.database.exec(`UPDATE versions SET archived = 1 WHERE node_id = ${node_id}`);
  });
  const form = hidden(await first.text(path), "approved");
  assert.equal([form.version_id, form.seen], ["", ""]);
  await land(writerKey, node_id);
  const late = await first.send(path, { ...form, decision: "approved", note: "" });
  assert.match(await late.text(), /V3 came since this page was shown/);
  assert.is((await row()).steps[0].status, "pending");
});

older("is compared with the last released one of its variant", async () => {
  const { node_id, v1, v2, path, first } = await outdated();
  const still = async (variant: string) => {
    const form = new FormData();
    form.append("file", new Blob([jpeg(64, 32)], { type: "image/jpeg" }), "still.jpg");
    form.append("variant", variant);
    await server.ask(writerKey, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
  };
  await still("Siege");
  store.writeSync(() => {
    store.database.exec(`UPDATE versions SET released = 1 WHERE id = ${v1} OR variant = 'Siege'`);
    store.database.exec(`UPDATE approvals SET version_id = ${v2} WHERE node_id = ${node_id}`);
  });
  assert.equal(
    [...(await first.text(path)).matchAll(/<figcaption[^>]*><b>(v\d) /g)].map(([, name]) => name),
    ["v1", "v2"],
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
  const card = async () => (await writer.text(`/approvals/${id}`)).split(`id="approval-${id}"`)[1] ?? "";
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

for (const each of [deciding, older, work]) each.run();
places.after(() => server.stop());
places.run();
