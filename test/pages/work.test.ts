// What people do on the pages without JavaScript: decide approvals and submissions, edit things, and mark deliveries.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { editFields, proofIn, signIn, type Visitor } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, feature, delivery, submitterKey } = seedDataOf(store);
const editorOf = (production_id: number) =>
  signIn(server, mint(store, { production_id, scopes: ["read", "write", "edit"], label: "Coordinator" }));
const editor = await editorOf(feature);

const approvals = suite("the card of an approval");
const pending = store.database
  .prepare(
    `SELECT a.id, a.title, s.person_id, p.name FROM approvals a JOIN approval_steps s ON s.approval_id = a.id JOIN people p ON p.id = s.person_id
     WHERE a.production_id = ? AND a.status = 'pending' AND s.status = 'pending' AND s.position = (
       SELECT min(position) FROM approval_steps WHERE approval_id = a.id AND status = 'pending') ORDER BY a.id`,
  )
  .all(feature) as { id: number; title: string; person_id: number; name: string }[];
const [first] = pending as [(typeof pending)[number]];
const cardOf = (text: string, id: number) => text.split(`id="approval-${id}"`)[1]?.split('<li class="panel"')[0] ?? "";

approvals("of a person's key comes first and is signed with one tap, without choosing a name", async () => {
  const { id, person_id, name } = first;
  const browser = await signIn(server, mint(store, { production_id: feature, person_id }));
  const text = await browser.text("/approvals");
  assert.match(text, /Waits for you/);
  assert.ok(text.indexOf("Waits for you") < text.indexOf(`id="approval-${id}"`));
  assert.ok(text.indexOf(`id="approval-${id}"`) < text.indexOf("Waits for others"));
  assert.not.match(text, /name="decision"/, "the list has no form of an approval");
  const card = cardOf(await browser.text(`/approvals/${id}`), id);
  assert.match(card, new RegExp(`Signed as <b>${name}</b>, `));
  assert.not.match(card, /<select/);
  assert.match(card, new RegExp(`name="decided_by" value="${person_id}"`));
  const other = pending.find((one) => one.person_id !== person_id);
  assert.not.match(await browser.text(`/approvals/${other?.id}`), /value="approved"/);
  const admin = await editor.text(`/approvals/${id}`);
  assert.match(
    admin,
    new RegExp(`name="decided_by" value="${person_id}"><p class="under">In the name of <b>${name}</b>`),
  );
  const sent = await browser.send("/approvals", {
    approval_id: `${id}`,
    decision: "changes",
    decided_by: `${person_id}`,
    note: "Another hem.",
  });
  assert.is(sent.headers.get("location"), `/approvals?decided=${id}#approval-${id}`);
  const decided = one<string>(
    store,
    "SELECT p.name FROM approval_steps s JOIN people p ON p.id = s.decided_by_person_id WHERE s.approval_id = ? AND s.status <> 'pending' ORDER BY s.decided_at DESC",
    id,
  );
  assert.is(decided, name);
});

approvals("that somebody else has just decided says so to the next one, with its card", async () => {
  const { id, person_id } = first;
  const browser = await signIn(server, mint(store, { production_id: feature }));
  const given = { approval_id: `${id}`, decision: "approved", decided_by: `${person_id}` };
  const late = await browser.send("/approvals", given);
  assert.is(late.status, 422);
  assert.match(cardOf(await late.text(), id), /role="alert">The approval is changes asked already/);
});

approvals("for which changes were requested is reopened by who may, and by nobody else", async () => {
  const { id } = first;
  const writer = await signIn(server, mint(store, { production_id: feature }));
  assert.not.match(await writer.text(`/approvals/${id}`), />Reopen</);
  const reopen = { approval_id: `${id}`, decision: "reopen" };
  assert.is((await writer.send("/approvals?status=all", reopen, "/approvals")).status, 422);
  assert.match(cardOf(await editor.text(`/approvals/${id}`), id), />Reopen</);
  assert.is((await editor.send("/approvals", reopen)).status, 303);
  assert.is(one<string>(store, "SELECT status FROM approvals WHERE id = ?", id), "pending");
});

approvals("shows the still of an unreleased version to keys with write, and not to readers", async () => {
  const { id, node_id, medium } = store.database
    .prepare(
      `SELECT a.id, a.node_id, (SELECT max(m.id) FROM versions v JOIN media m ON m.version_id = v.id WHERE v.node_id = a.node_id AND v.released = 0) AS medium
       FROM approvals a WHERE a.status = 'pending' AND a.production_id = ? AND a.node_id IN (SELECT id FROM nodes WHERE kind <> 'scene') ORDER BY medium DESC, a.id`,
    )
    .get(feature) as { id: number; node_id: number; medium: number | null };
  if (medium === null) {
    const form = new FormData();
    form.append("file", new Blob([jpeg(16, 16)], { type: "image/jpeg" }), "new.jpg");
    const authorization = `Bearer ${mint(store, { production_id: feature })}`;
    const init = { method: "POST", headers: { authorization }, body: form };
    assert.is((await fetch(`${server.url}/api/v1/assets/${node_id}/versions`, init)).status, 200);
  }
  const newest = one(
    store,
    "SELECT max(m.id) FROM versions v JOIN media m ON m.version_id = v.id WHERE v.node_id = ?",
    node_id,
  );
  const thumbnail = `/thumbnails/${newest}`;
  assert.ok(cardOf(await editor.text("/approvals"), id).includes(thumbnail));
  const reader = await signIn(server, mint(store, { production_id: feature, scopes: ["read"] }));
  const text = await reader.text("/approvals");
  assert.not.ok(text.includes(thumbnail));
  assert.not.match(await reader.text(`/approvals/${id}`), /value="approved"/);
});

const edits = suite("an edit form");
const scene = one(store, "SELECT min(node_id) FROM scenes WHERE production_id = ?", feature);

edits("changes what was changed in it, says what it did, and is undone", async () => {
  const path = `/edit/scenes/${scene}`;
  const fields = await editFields(editor, path);
  assert.ok(fields["elements.cast"] !== undefined);
  const before = await server.get(mint(store, { production_id: feature }), `/scenes/${scene}`);
  const response = await editor.post(path, { ...fields, synopsis: "He waits for the train." });
  assert.is(response.status, 303, await response.text());
  const location = response.headers.get("location") as string;
  assert.match(location, new RegExp(`^/scenes/${scene}\\?saved=\\d+$`));
  const page = await editor.text(location);
  assert.match(page, /Saved[\s\S]*synopsis[\s\S]*He waits for the train/);
  const after = await server.get(mint(store, { production_id: feature }), `/scenes/${scene}`);
  assert.equal(after, { ...before, synopsis: "He waits for the train." });
  const undo = /href="(\/settings\/history\/(\d+))\?undo=1"/.exec(page) as RegExpExecArray;
  const revision = /name="revision" value="([^"]+)"/.exec(await editor.text(`${undo[1]}?undo=1`))?.[1] as string;
  assert.is((await editor.send(undo[1] as string, { revision }, `${undo[1]}?undo=1`)).status, 200);
  assert.equal(await server.get(mint(store, { production_id: feature }), `/scenes/${scene}`), before);
});

edits("that nobody changed anything in writes nothing", async () => {
  const sets = () => one(store, "SELECT count(*) FROM change_sets");
  const before = sets();
  for (const path of [
    `/edit/scenes/${scene}`,
    `/edit/schedule/${one(store, "SELECT min(id) FROM shoot_days WHERE production_id = ?", feature)}`,
    `/edit/people/${one(store, "SELECT min(id) FROM people WHERE production_id = ?", feature)}`,
    `/edit/departments/${one(store, "SELECT min(id) FROM departments WHERE production_id = ?", feature)}`,
    `/edit/deliveries/${one(store, "SELECT min(id) FROM deliveries WHERE production_id = ?", feature)}`,
    `/edit/approvals/${first.id}`,
    `/edit/assets/${one(store, "SELECT min(id) FROM nodes WHERE kind = 'character' AND production_id = ?", feature)}`,
  ]) {
    const response = await editor.post(path, await editFields(editor, path));
    assert.is(response.status, 303, path);
    assert.not.match(response.headers.get("location") ?? "", /saved/, path);
  }
  assert.is(sets(), before);
});

edits("renames and renumbers, and what refers to the thing follows", async () => {
  const person = one(
    store,
    "SELECT min(person_id) FROM approval_steps WHERE production_id = ? AND status = 'pending'",
    feature,
  );
  const path = `/edit/people/${person}`;
  const response = await editor.post(path, {
    ...(await editFields(editor, path)),
    name: "Renamed On A Form",
    role: "Line producer",
  });
  assert.is(response.status, 303, await response.text());
  assert.is(one<string>(store, "SELECT name FROM people WHERE id = ?", person), "Renamed On A Form");
  const day = one(store, "SELECT max(id) FROM shoot_days WHERE production_id = ?", feature);
  const form = await editFields(editor, `/edit/schedule/${day}`);
  assert.is(
    (await editor.post(`/edit/schedule/${day}`, { ...form, day_number: "97", general_call: "05:11" })).status,
    303,
  );
  assert.is(one(store, "SELECT day_number FROM shoot_days WHERE id = ?", day), 97);
});

edits("names the field that was refused, in the words of the form, and stays filled", async () => {
  const path = `/edit/scenes/${scene}`;
  const fields = await editFields(editor, path);
  const response = await editor.post(path, { ...fields, slugline: "", synopsis: "Typed for long." });
  const text = await response.text();
  assert.is(response.status, 422);
  assert.match(text, /role="alert">Slugline must not be empty/);
  assert.match(text, /Typed for long\./);
});

edits("says who changed the same field meanwhile, keeps what was typed, and saves it when asked again", async () => {
  const path = `/edit/scenes/${scene}`;
  const [mine, theirs] = [await editFields(editor, path), await editFields(editor, path)];
  const other = await signIn(
    server,
    mint(store, { production_id: feature, scopes: ["read", "edit"], label: "Second AD" }),
  );
  const proof = (await editFields(other, path)).proof as string;
  assert.is((await other.post(path, { ...theirs, proof, synopsis: "Theirs." })).status, 303);
  const further = await editor.post(path, { ...mine, revision_color: "blue" });
  assert.is(further.status, 303, "another field is no conflict");
  const response = await editor.post(path, { ...mine, synopsis: "Mine." });
  const text = await response.text();
  assert.is(response.status, 409);
  assert.match(text, /Synopsis was changed meanwhile by Second AD at /);
  assert.match(text, /<textarea id="synopsis" name="synopsis" aria-invalid="true"/);
  assert.match(text, /Mine\./);
  assert.is(one<string>(store, "SELECT synopsis FROM scenes WHERE node_id = ?", scene), "Theirs.");
  const mark = /name="was:synopsis" value="([^"]+)"/.exec(text)?.[1] as string;
  assert.is(
    (
      await editor.post(path, {
        ...mine,
        "was:synopsis": mark,
        revision_color: "blue",
        "was:revision_color": /name="was:revision_color" value="([^"]+)"/.exec(text)?.[1] as string,
        synopsis: "Mine.",
      })
    ).status,
    303,
  );
  assert.is(one<string>(store, "SELECT synopsis FROM scenes WHERE node_id = ?", scene), "Mine.");
});

edits("adds a person, an asset and a delivery", async () => {
  for (const [path, fields] of [
    ["/edit/people", { name: "New Person", role: "Runner" }],
    ["/edit/assets", { label: "A new lamp", kind: "prop" }],
    ["/edit/deliveries", { title: "New turnover" }],
  ] as const) {
    const response = await editor.post(path, { ...(await editFields(editor, path)), ...fields });
    assert.is(response.status, 303, `${path}: ${await response.text()}`);
  }
  assert.is(one(store, "SELECT active FROM people WHERE name = 'New Person'"), 1);
});

edits("a form of a new thing changes no thing that is there, and says what is", async () => {
  const day = one(store, "SELECT max(day_number) FROM shoot_days WHERE production_id = ?", feature);
  const before = () =>
    store.database
      .prepare("SELECT (SELECT json_group_array(role) FROM people), (SELECT json_group_array(date) FROM shoot_days)")
      .raw()
      .get();
  const stored = before();
  for (const [path, fields, said] of [
    ["/edit/people", { name: "new  person", role: "Gaffer" }, /Person new {2}person is there already. Nothing was/],
    ["/edit/people", { name: "New Person" }, /Person New Person is there already/],
    ["/edit/deliveries", { title: "New turnover" }, /Delivery New turnover is there already/],
    ["/edit/schedule", { day_number: String(day), date: "2031-01-01" }, /Day \d+ is there already/],
  ] as const) {
    const response = await editor.post(path, { ...(await editFields(editor, path)), ...fields });
    const text = await response.text();
    assert.is(response.status, 409, text);
    assert.match(text, said);
    for (const typed of Object.values(fields)) assert.ok(text.includes(`value="${typed}"`), `${path} lost ${typed}`);
  }
  assert.equal(before(), stored);
});

edits("is 403 without the scope edit, 404 for a vendor, and changes nothing without its proof", async () => {
  const path = `/edit/scenes/${scene}`;
  const writer = await signIn(server, mint(store, { production_id: feature }));
  const vendor = await signIn(server, mint(store, submitterKey));
  assert.equal([(await writer.get(path)).status, (await vendor.get(path)).status], [403, 404]);
  const { proof, ...fields } = await editFields(editor, path);
  assert.ok(proof);
  assert.is((await editor.post(path, { ...fields, synopsis: "Forged." })).status, 403);
  assert.not.match(one<string>(store, "SELECT synopsis FROM scenes WHERE node_id = ?", scene), /Forged/);
  const foreign = one(store, "SELECT min(node_id) FROM scenes WHERE production_id = ?", production);
  assert.is((await editor.get(`/edit/scenes/${foreign}`)).status, 404);
});

const assets = suite("the page of an asset");

assets("signs a note with the name of the key's person, and a version and an asset are added", async () => {
  const person_id = first.person_id;
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
  const browser = await signIn(server, mint(store, { production_id: feature, person_id }));
  const created = await browser.send("/assets", { label: "Grey coat, torn", kind: "costume" });
  const path = created.headers.get("location") as string;
  assert.match(path, /^\/assets\/\d+$/);
  const form = new FormData();
  const proof = /name="proof" value="([^"]+)"/.exec(await browser.text(path))?.[1] as string;
  form.append("proof", proof);
  form.append("action", "version");
  form.append("variant", "Fitting");
  form.append("note", "Left sleeve.");
  form.append("file", new Blob([jpeg(16, 16)], { type: "image/jpeg" }), "coat.jpg");
  const headers = { cookie: browser.cookies(), origin: server.url, accept: "text/html" };
  const sent = await fetch(server.url + path, { method: "POST", body: form, headers, redirect: "manual" });
  assert.is(sent.status, 303, await sent.text());
  assert.is((await browser.send(path, { action: "note", text: "Too long by a hand." })).status, 303);
  const text = await browser.text(path);
  assert.match(text, /v1 Fitting[\s\S]*\/thumbnails\/|\/thumbnails\/[\s\S]*v1 Fitting/);
  assert.match(text, new RegExp(`Too long by a hand\\.[\\s\\S]*${name}[\\s\\S]*Left sleeve`));
});

const deliveries = suite("deliveries and submissions");

const waiting = suite("the page of an approval of an asset");

waiting("says which scenes wait for the asset and when it is shot next, as its usage does", async () => {
  const token = mint(store, { production_id: feature });
  const approvals = await server.get(token, "/approvals?status=pending");
  const browser = await signIn(server, token);
  let named = 0;
  for (const { id, node_id } of approvals) {
    const usage = node_id === null ? undefined : await server.ask(token, `/api/v1/assets/${node_id}/usage`);
    if (usage?.status !== 200) continue;
    const { scenes } = (await usage.json()) as { scenes: { number: string; status: string }[] };
    const left = scenes.filter(({ status }) => status !== "done" && status !== "omitted");
    const [, numbers = ""] = /Scenes? <b>([^<]*)<\/b>/.exec(await browser.text(`/approvals/${id}`)) ?? [];
    assert.is(
      numbers,
      left
        .slice(0, 8)
        .map(({ number }) => number)
        .join(", "),
    );
    if (left.length > 0) named++;
  }
  assert.ok(named > 0);
});

waiting.run();

/** Sends files on the delivery as a vendor's browser does without a script. Returns the answer. */
async function submitAs(vendor: Visitor, title: string, bytes: string | Uint8Array): Promise<Response> {
  const form = new FormData();
  form.append("proof", proofIn(await vendor.text(`/turnovers/${delivery}`)));
  form.append("title", title);
  form.append("files", new Blob([new Uint8Array(Buffer.from(bytes))]), "nine.jpg");
  const headers = { cookie: vendor.cookies(), origin: server.url, accept: "text/html" };
  return fetch(`${server.url}/turnovers/${delivery}`, { method: "POST", body: form, headers, redirect: "manual" });
}

deliveries("the same work that is sent again is there already, also of a second click, and says so", async () => {
  const vendor = await signIn(server, mint(store, submitterKey));
  const count = () => one(store, "SELECT count(*) FROM submissions WHERE delivery_id = ?", delivery);
  const before = count();
  const clicks = await Promise.all([1, 2].map(() => submitAs(vendor, "Dropped twice", "the same")));
  const again = await submitAs(vendor, "Dropped twice", "the same");
  assert.is(count(), before + 1);
  for (const click of clicks)
    if (click.status !== 303) assert.match(await click.text(), /The same work is being submitted already/);
  const page = await vendor.text(again.headers.get("location") ?? "");
  assert.match(page, /It is there already: <strong>Dropped twice<\/strong>, 1 file/);
  assert.not.match(page, /Your work arrived/);
  for (const [title, bytes] of [
    ["Dropped twice", "another"],
    ["With another title", "the same"],
  ] as const)
    assert.match((await submitAs(vendor, title, bytes)).headers.get("location") ?? "", /arrived=\d+$/);
  assert.is(count(), before + 3);
});

deliveries("work that came back is looked through from the list, one after the other", async () => {
  const supervisor = await signIn(server, mint(store, { production_id: production }));
  const decideAt = async (address: string) => {
    const [path = "", submission_id = ""] = address.split("#submission-");
    const answer = await supervisor.send(path, { submission_id, decision: "accepted", note: "" });
    return supervisor.text(answer.headers.get("location") ?? "");
  };
  const list = await supervisor.text("/deliveries");
  const [, first = "", waiting] = /<a class="button" href="([^"]+)">Look through (\d+)</.exec(list) ?? [];
  let page = await decideAt(first);
  for (let left = Number(waiting) - 1; left > 0; left--) {
    const [, next = "", count] =
      /Next: <a class="button" href="([^"]+)">[^<]*<\/a> <span class="under">(\d+) to look/.exec(page) ?? [];
    assert.is(Number(count), left);
    page = await decideAt(next);
  }
  assert.match(page, /Nothing else is to look at\./);
  assert.not.match(await supervisor.text("/deliveries"), /Look through/);
});

deliveries("a submission is returned with a note, which its vendor sees, and then accepted", async () => {
  const vendor = await signIn(server, mint(store, submitterKey));
  await submitAs(vendor, "Round nine", jpeg(16, 16));
  const id = one(store, "SELECT id FROM submissions WHERE title = 'Round nine'");
  const supervisor = await signIn(server, mint(store, { production_id: production }));
  const decide = (decision: string, note: string) =>
    supervisor.send(`/deliveries/${delivery}`, { submission_id: `${id}`, decision, note });
  assert.is((await decide("returned", "The edge flickers.")).status, 303);
  assert.match(await vendor.text(`/turnovers/${delivery}`), /Round nine[\s\S]*returned[\s\S]*The edge flickers\./);
  const again = () => submitAs(vendor, "Round nine", jpeg(16, 16));
  assert.match((await again()).headers.get("location") ?? "", /arrived=\d+$/);
  assert.match((await again()).headers.get("location") ?? "", /&again=1$/);
  assert.is((await decide("accepted", "")).status, 303);
  assert.not.match(await vendor.text(`/turnovers/${delivery}`), /The edge flickers\./);
  const reader = await signIn(server, mint(store, { production_id: production, scopes: ["read"] }));
  assert.not.match(await reader.text(`/deliveries/${delivery}`), /name="decision"/);
  assert.not.match(await vendor.text(`/turnovers/${delivery}`), /name="decision"/);
});

deliveries("a delivery is marked as sent and as accepted by who may edit, with an undo", async () => {
  const id = one(
    store,
    "SELECT min(id) FROM deliveries WHERE production_id = ? AND status IN ('draft', 'ready')",
    feature,
  );
  const sent = await editor.send("/deliveries", { mark: `sent:${id}` });
  assert.match(sent.headers.get("location") ?? "", /^\/deliveries\?saved=\d+$/);
  assert.match(await editor.text(sent.headers.get("location") as string), /\?undo=1/);
  assert.is((await editor.send(`/deliveries/${id}`, { mark: `accepted:${id}` })).status, 303);
  assert.is(one<string>(store, "SELECT status FROM deliveries WHERE id = ?", id), "accepted");
  for (const [status, path] of [
    ["sent", "/deliveries"],
    ["accepted", `/deliveries/${id}`],
  ]) {
    const again = await editor.send(path as string, { mark: `${status}:${id}` });
    assert.is(again.status, 422);
    assert.match(await again.text(), /is accepted already\. Nothing was changed\./);
  }
  const writer = await signIn(server, mint(store, { production_id: feature }));
  assert.not.match(await writer.text("/deliveries"), /name="mark"/);
  assert.is((await writer.send("/deliveries", { mark: `sent:${id}` }, "/approvals")).status, 403);
  assert.is(one<string>(store, "SELECT status FROM deliveries WHERE id = ?", id), "accepted");
});

deliveries(
  "are late once their date has passed, as drafts too: not once sent, nor while work on them waits to be looked at",
  async () => {
    const due = "2020-01-06";
    const person = one<string>(store, "SELECT name FROM people WHERE id = ?", first.person_id); // it was renamed above
    const titles = ["Past, draft", "Past, awaited", "Past, ready", "Past, sent", "Past, looked at"] as const;
    const statuses = ["draft", "draft", "ready", "sent", "ready"];
    const body = JSON.stringify({
      deliveries: titles.map((title, at) => ({ title, due, status: statuses[at] })),
      approvals: [{ title: "Sign the draft", delivery: "Past, awaited", steps: [{ person }] }],
    });
    const headers = { "content-type": "application/json" };
    const key = mint(store, { production_id: feature, scopes: ["read", "edit"] });
    const answer = await server.ask(key, "/api/v1/admin/import", { method: "POST", headers, body });
    assert.is(answer.status, 200, await answer.text());
    const looked = one(store, "SELECT id FROM deliveries WHERE title = ?", titles[4]);
    store.database
      .prepare(
        "UPDATE submissions SET delivery_id = ? WHERE id = (SELECT max(id) FROM submissions WHERE status = 'submitted' AND production_id = ?)",
      )
      .run(looked, feature);
    const text = await editor.text("/deliveries");
    const rowOf = (title: string) => text.split("<li>").find((row) => row.includes(`>${title}</a>`)) ?? "";
    assert.equal(
      titles.map((title) => /class="tone bad">\d+ days? late/.test(rowOf(title))),
      [true, true, true, false, false],
    );
    assert.match(rowOf("Past, draft"), /not started/);
    assert.match(rowOf("Past, looked at"), /1 to look at/);
    const late = (await server.get(key, "/progress")).late as { kind: string; title: string }[];
    assert.equal(
      titles.filter((title) => late.some((one) => one.title === title)),
      titles.slice(0, 3),
    );
    for (const [at, title] of titles.entries()) {
      const id = one(store, "SELECT id FROM deliveries WHERE title = ?", title);
      const isRed = /class="tone bad">due/.test(await editor.text(`/deliveries/${id}`));
      assert.is(isRed, at < 3, title);
    }
  },
);

const words = suite("the lists of the pages");

words(
  "have the work that came back above the deliveries and on the first page, and an order's number and currency",
  async () => {
    const waiting = store.database
      .prepare("SELECT title FROM submissions WHERE production_id = ? AND status = 'submitted'")
      .pluck()
      .all(feature) as string[];
    assert.ok(waiting.length > 0);
    for (const path of ["/deliveries", "/"]) {
      const page = await editor.text(path);
      assert.match(page, new RegExp(`Came back, to look at <span class="count">${waiting.length}<`));
      assert.ok(page.includes(`${waiting[0]?.replace(/&/g, "&amp;").replace(/'/g, "&#39;")}</a>`), path);
    }
    // more than a list of submissions has, so that neither the number nor the order come from one
    const copies = store.database.prepare(
      `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 600)
       INSERT INTO submissions (production_id, delivery_id, engagement_id, title, status, created_at)
       SELECT production_id, delivery_id, engagement_id, 'Copy ' || n, status, '2027-01-01T00:00:00.000Z'
       FROM submissions, numbers WHERE submissions.id = (SELECT max(id) FROM submissions WHERE status = 'submitted' AND production_id = ?)`,
    );
    store.writeSync(() => copies.run(feature));
    const total = waiting.length + 600;
    const list = await editor.text("/deliveries");
    assert.match(
      list,
      new RegExp(
        `look at <span class="count">${total}<[\\s\\S]*the oldest 50 of ${total}\\.[\\s\\S]*through ${total}<`,
      ),
    );
    assert.ok(list.indexOf(waiting[0] ?? "") < list.indexOf(">Copy 1<"));
    assert.not.match(list, />Copy 50</);
    assert.match(await editor.text("/"), new RegExp(`<a href="/deliveries">All ${total}</a>`));
    store.writeSync(() => store.database.exec("DELETE FROM submissions WHERE title GLOB 'Copy *'"));
    const key = mint(store, { production_id: feature, scopes: ["read", "read:money", "admin"] });
    const order = {
      account: "1",
      vendor: "Corrie & Skerry VFX",
      description: "Rope",
      amount: 12.5,
      date: "2026-11-02",
    };
    const purchase_orders = [{ ...order, number: "PO-7", currency: "NOK" }];
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ purchase_orders });
    assert.is((await server.ask(key, "/api/v1/admin/import", { method: "POST", headers, body })).status, 200);
    const rows = ((await server.get(key, "/orders")) as any).purchase_orders;
    const stored = rows.find(({ number }: { number: string | null }) => number === "PO-7");
    assert.equal([stored.currency, rows[0].currency], ["NOK", null]);
    const page = await (await signIn(server, key)).text("/orders");
    assert.match(page, /<td>PO-7<\/td>[\s\S]*12\.50<\/td><td>NOK<\/td>/);
    assert.match(page, /12\.50 NOK not closed/);
  },
);

words("say dates, empty notes and columns of words as people read them", async () => {
  const found = await editor.text("/search?q=coats");
  assert.match(found, /class="under">[^<]* · [A-Z][a-z]{2} \d+ [A-Z][a-z]{2}\b/);
  assert.not.match(found, /class="under">[^<]*\d{4}-\d\d-\d\d/);
  const asset = one(store, "SELECT min(id) FROM nodes WHERE kind = 'costume' AND production_id = ?", feature);
  const empty = await editor.send(`/assets/${asset}`, { action: "note", text: " " });
  assert.match(await empty.text(), /role="alert">Write the note first\./);
  const scopes = ["read", "read:money"] as const;
  const orders = await (await signIn(server, mint(store, { production_id: feature, scopes }))).text("/orders");
  assert.match(orders, /<th scope="col" class="amount">committed<\/th>[\s\S]*<th scope="col">remark<\/th>/);
});

words("name the person of a key as the maker of a version, not the key", async () => {
  const asset = one(store, "SELECT min(id) FROM nodes WHERE kind = 'costume' AND production_id = ?", feature);
  const person_id = one(store, "SELECT max(id) FROM people WHERE production_id = ?", feature);
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
  const form = new FormData();
  form.set("file", new Blob([jpeg(16, 16)], { type: "image/jpeg" }), "fitting.jpg");
  const key = mint(store, { production_id: feature, person_id, label: "Tablet of the truck" });
  const sent = await server.ask(key, `/api/v1/assets/${asset}/versions`, { method: "POST", body: form });
  assert.is(sent.status, 200, await sent.text());
  const page = await editor.text(`/assets/${asset}`);
  assert.match(page, new RegExp(`in work</span> <span>${name},`));
  assert.not.match(page, /Tablet of the truck/);
});

words("tell a vendor whose key lacks a scope what the key does, and offer nothing that it refuses", async () => {
  const { engagement_id } = submitterKey;
  const reader = await signIn(server, mint(store, { production_id: production, engagement_id, scopes: ["read"] }));
  const desk = await reader.text("/turnovers");
  assert.not.match(desk, /Submit files|\/orders/);
  assert.match(desk, /to read only/);
  const turnover = await reader.text(`/turnovers/${delivery}`);
  assert.match(turnover, /Your key sends in no work; the production&#39;s admin can make one that does\./);
  assert.not.match(turnover, /type="file"|scope/);
  const orders = await reader.get("/orders");
  assert.is(orders.status, 403);
  assert.match(await orders.text(), /Your key does not show purchase orders; the production&#39;s admin can make one/);
});

words("are filtered by what the address asks for, in forms that Back does not fill otherwise", async () => {
  const costumes = await editor.text("/assets?kind=costume&status=planned");
  assert.match(costumes, /<form class="filters"[^>]*autocomplete="off">[\s\S]*<option value="costume" selected>/);
  assert.not.match(costumes, /class="under">(?!costume)\w+ <span class="chip/);
  assert.match(
    await editor.text("/scenes?omitted=only"),
    /aria-current="true">Omitted <span class="count">\d+<\/span>[\s\S]*<s>/,
  );
  assert.not.match(await editor.text("/scenes?omitted=without&cast=a"), /<s>/);
});

words.after(() => server.stop());
approvals.run();
edits.run();
assets.run();
deliveries.run();
words.run();
