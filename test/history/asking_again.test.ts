// What a decision signs: the versions of POST /approvals/{approval_id}/decide, and POST
// /approvals/{approval_id}/ask-again.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { postingTo } from "../support/posting.ts";
import { joined } from "../support/small_document.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store, app } = server;
const { database } = store;
const production_id = 1;
const people = database
  .prepare("SELECT id, name FROM people WHERE production_id = ? ORDER BY id LIMIT 3")
  .all(production_id) as { id: number; name: string }[];
const [anna, ben, other] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
const keyOf = (person_id: number | null, ...scopes: ("read" | "write" | "edit")[]) =>
  mint(store, { production_id, person_id, scopes: scopes.length === 0 ? ["read", "write"] : scopes });
const [annas, bens, others] = [anna, ben, other].map(({ id }) => keyOf(id)) as [string, string, string];
const machine = keyOf(null);
const editor = keyOf(null, "read", "write", "edit");
const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", production_id);
const vendors = mint(store, { production_id, engagement_id, scopes: ["read", "write"] });

const { send, sent } = postingTo(server);
/** Numbers what is made, so that nothing has the name of another. */
let made = 0;
const decide = (token: string, id: number, body: object = {}) =>
  sent(token, `/approvals/${id}/decide`, { decision: "approved", ...body });
const changes = (token: string, id: number, body: object = {}) =>
  decide(token, id, { decision: "changes", note: "Darker", ...body });
const ask = (token: string, id: number, body: object = {}) => sent(token, `/approvals/${id}/ask-again`, body);
const approvalOf = (id: number): Promise<Row> => server.get(machine, `/approvals/${id}`);
const statusOf = (version_id: number) => one<string>(store, "SELECT status FROM versions WHERE id = ?", version_id);

async function refused(path: string, id: number, token: string, body: object, status: number, detail: RegExp) {
  const state = async () => [await approvalOf(id), one(store, "SELECT count(*) FROM activity")];
  const before = await state();
  await assertRefused(await send(token, `/approvals/${id}/${path}`, body), status, detail);
  assert.equal(await state(), before, "nothing is recorded");
}

const asset = async (): Promise<number> => (await sent(machine, "/assets", { label: `Coat ${++made}` })).node_id;
async function land(node_id: number, variant = "Hero"): Promise<number> {
  const form = new FormData();
  form.append("file", new Blob([`${node_id} ${++made}`]), "still.txt");
  form.append("variant", variant);
  const response = await server.ask(machine, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
  const row = (await response.json()) as Row;
  assert.is(response.status, 200, JSON.stringify(row));
  return row.id;
}
const archive = (id: number) =>
  store.writeSync(() => database.exec(`UPDATE versions SET archived = 1 WHERE id = ${id}`));

/** Creates a pending chain of Anna's and Ben's steps. Returns its id. */
const chain = (about: { version_id?: number; node_id?: number; delivery_id?: number } = {}): number =>
  store.writeSync(() => {
    const insert =
      "INSERT INTO approvals (production_id, title, status, mode, version_id, node_id, delivery_id) VALUES (?, ?, 'pending', 'chain', ?, ?, ?)";
    const { version_id, node_id, delivery_id } = about;
    const title = `Look ${++made}`;
    const id = Number(
      database.prepare(insert).run(production_id, title, version_id, node_id, delivery_id).lastInsertRowid,
    );
    for (const [at, person] of [anna, ben].entries())
      database
        .prepare(
          "INSERT INTO approval_steps (production_id, approval_id, position, person_id, status) VALUES (?, ?, ?, ?, 'pending')",
        )
        .run(production_id, id, at + 1, person.id);
    return id;
  });

/** An asset with v1 Hero and v2 Hero, and a chain about the first. */
async function about1() {
  const node_id = await asset();
  const [v1, v2] = [await land(node_id), await land(node_id)];
  return { node_id, v1, v2, id: chain({ node_id, version_id: v1 }) };
}
const foreign = one(store, "SELECT min(id) FROM versions WHERE production_id <> ?", production_id);

const deciding = suite("the versions of a decision");

deciding("are what the step keeps: the version that is named, or else the newest that is not archived", async () => {
  const { node_id, v1, v2, id } = await about1();
  const { steps } = await decide(annas, id, { version_id: v1 });
  assert.equal(
    steps.map((step: Row) => step.version_id),
    [v1, null],
  );
  const unnamed = chain({ node_id });
  assert.is((await decide(annas, unnamed)).steps[0].version_id, v2);
  const v3 = await land(node_id);
  archive(v3);
  const decided = await decide(bens, unnamed, { version_id: v2, seen: v2 });
  assert.equal([decided.status, decided.version_id, decided.steps[1].version_id], ["approved", null, v2]);
  const gate = chain({ delivery_id: one(store, "SELECT min(id) FROM deliveries WHERE production_id = 1") });
  assert.is((await decide(annas, gate)).steps[0].version_id, null);
});

deciding("refuse with 409 and the name of another version that would be signed", async () => {
  const { node_id, v1, v2, id } = await about1();
  await refused(
    "decide",
    id,
    annas,
    { decision: "approved", version_id: v2 },
    409,
    new RegExp(`v1 Hero \\(version_id ${v1}\\)`),
  );
  const unnamed = chain({ node_id });
  const v3 = await land(node_id, "Siege");
  await refused(
    "decide",
    unnamed,
    annas,
    { decision: "approved", version_id: v2 },
    409,
    new RegExp(`v3 Siege \\(version_id ${v3}\\)`),
  );
  await decide(annas, unnamed, { version_id: v3 });
});

deciding("refuse with 409 what is newer than what was seen, of the variant that the approval names", async () => {
  const { node_id, v1, v2, id } = await about1();
  const v3 = await land(node_id, "Siege");
  await refused(
    "decide",
    id,
    annas,
    { decision: "changes", version_id: v1, seen: v1 },
    409,
    new RegExp(`v2 Hero \\(version_id ${v2}\\)`),
  );
  await decide(annas, id, { version_id: v1, seen: v2 });
  const v4 = await land(node_id);
  await refused("decide", id, bens, { decision: "approved", seen: v2 }, 409, new RegExp(`version_id ${v4}`));
  archive(v4);
  await decide(bens, id, { version_id: v1, seen: v4 }); // it was archived after it was shown
  const unnamed = chain({ node_id });
  await refused("decide", unnamed, annas, { decision: "approved", seen: v2 }, 409, new RegExp(`version_id ${v3}`));
});

deciding("of another asset, unknown, or for what is about no asset are one and the same 422", async () => {
  const { node_id, v1, id } = await about1();
  const elsewhere = await land(await asset());
  const siege = await land(node_id, "Siege");
  const scene = one(store, "SELECT node_id FROM scenes WHERE production_id = 1 LIMIT 1");
  for (const field of ["version_id", "seen"])
    for (const [approval, wrong] of [
      ...[elsewhere, foreign, 9_007_199_254_740_991].map((wrong) => [id, wrong] as const),
      ...[chain(), chain({ node_id: scene }), chain({ delivery_id: 1 })].map((none) => [none, v1] as const),
    ])
      await refused(
        "decide",
        approval,
        annas,
        { decision: "approved", [field]: wrong },
        422,
        new RegExp(
          `^${field} must be the id of a version of the asset( and the variant)? that the approval is about; nothing was recorded$`,
        ),
      );
  await refused("decide", id, annas, { decision: "approved", seen: siege }, 422, /^seen must be .* and the variant/);
  await assertRefused(
    await send(annas, `/approvals/${id}/decide`, { decision: "approved", version_id: "1" }),
    422,
    /version_id/,
  );
});

deciding("that are left out refuse nothing, and who may not decide is told of no version", async () => {
  const { v1, v2, id } = await about1();
  await refused("decide", id, others, { decision: "approved", version_id: v2, seen: v1 }, 403, /is not the person/);
  assert.is((await decide(annas, id)).steps[0].version_id, v1);
});

deciding("are in the event, with who decided, what they wrote, and whose turn it is then", async () => {
  const { node_id, v1, id } = await about1();
  const before = await approvalOf(id);
  await decide(annas, id, { note: "Yes" });
  const { events } = await server.get(machine, "/events?after=start&types=approval.decided");
  assert.equal(events.at(-1).data, {
    ...{ title: before.title, status: "pending", position: 1, steps: 2, decision: "approved", note: "Yes" },
    ...{ decided_by: anna.name, decided_by_person_id: anna.id, awaiting: [{ person_id: ben.id, person: ben.name }] },
    ...{ node_id, delivery_id: null, version_id: v1 },
  });
  await decide(machine, id);
  const last = (await server.get(machine, "/events?after=start&types=approval.decided")).events.at(-1).data;
  assert.equal([last.decided_by, last.decided_by_person_id, last.note, last.awaiting], [null, null, null, []]);
});

const asking = suite("asking again");

asking("is about the newest version of the variant, with pending steps and the former ones in rounds", async () => {
  const { node_id, v1, v2, id } = await about1();
  await land(node_id, "Siege");
  await decide(annas, id);
  const { steps } = await changes(bens, id);
  assert.equal(
    steps.map((step: Row) => step.version_id),
    [v1, v1],
  );
  const asked = await ask(bens, id);
  assert.equal([asked.status, asked.version_id, asked.rounds], ["pending", v2, [steps]]);
  for (const step of asked.steps)
    assert.equal(
      [step.status, step.decided_at, step.note, step.decided_by, step.version_id],
      ["pending", null, null, null, null],
    );
  assert.equal(asked, await approvalOf(id));
  assert.equal([statusOf(v1), statusOf(v2)], ["changes", "wip"], "the version that it leaves keeps its status");
  await decide(annas, id, { version_id: v2, seen: v2 });
  await decide(bens, id, { version_id: v2, seen: v2 });
  assert.equal([statusOf(v1), statusOf(v2)], ["changes", "approved"]);
  assert.is((await sent(bens, `/approvals/${id}/take-back`)).version_id, v2);
  assert.equal([statusOf(v1), statusOf(v2)], ["changes", "wip"]);
  await decide(bens, id);
  const reopened = await sent(editor, `/admin/approvals/${id}/reopen`);
  assert.equal([reopened.version_id, statusOf(v2)], [v2, "wip"], "reopening stays about the version");
  assert.equal(
    reopened.rounds.at(-1).map((step: Row) => step.version_id),
    [v2, v2],
  );
});

asking("leaves an activity entry and an event of one name", async () => {
  const { node_id, v1, v2, id } = await about1();
  await ask(bens, id);
  const [entry] = await server.get(machine, "/activity?limit=1");
  assert.equal([entry.verb, entry.actor_person_id, entry.node_id], ["approval.asked_again", ben.id, node_id]);
  assert.match(entry.summary, /^Asked again about v2 Hero of Look .*, round 2$/);
  const event = (await server.get(machine, "/events?after=start&types=approval.asked_again")).events.at(-1);
  assert.equal([event.subject, event.activity_id], [{ kind: "approval", id }, entry.id]);
  assert.equal(event.data, { node_id, version_id: v2, former_version_id: v1, round: 2 });
});

asking("takes a version of the variant, or of any where the approval names none", async () => {
  const { node_id, v1, v2, id } = await about1();
  const siege = await land(node_id, "Siege");
  const elsewhere = await land(await asset());
  const wrong = (version_id: number) =>
    refused(
      "ask-again",
      id,
      annas,
      { version_id },
      422,
      /^version_id must be the id of a version of the asset and the variant that the approval is about/,
    );
  for (const one of [siege, elsewhere, foreign, 9_007_199_254_740_991]) await wrong(one);
  archive(v2);
  await refused("ask-again", id, annas, { version_id: v2 }, 422, /not archived/);
  await refused("ask-again", id, annas, {}, 409, /is pending and about v1 already/);
  await refused("ask-again", id, annas, { version_id: v1 }, 409, /is pending and about v1 already/);
  const unnamed = chain({ node_id });
  assert.is((await ask(annas, unnamed, { version_id: v1 })).version_id, v1);
  assert.is((await ask(annas, chain({ node_id }))).version_id, siege);
  for (const none of [chain(), chain({ delivery_id: 1 })])
    await refused("ask-again", none, annas, {}, 409, /is about no asset/);
  await refused("ask-again", chain({ node_id: await asset() }), annas, {}, 409, /no version that can be asked about/);
});

asking("about the version that changes were asked of gives that back its status", async () => {
  const node_id = await asset();
  const v1 = await land(node_id);
  const id = chain({ node_id, version_id: v1 });
  await changes(annas, id);
  assert.is(statusOf(v1), "changes");
  const asked = await ask(annas, id);
  assert.equal([asked.status, asked.version_id, statusOf(v1)], ["pending", v1, "wip"]);
});

asking("is for the person of a step while it is open, and otherwise for edit; after a release for nobody", async () => {
  const { node_id, v1, v2, id } = await about1();
  for (const token of [others, machine]) await refused("ask-again", id, token, {}, 403, /person of one of its steps/);
  await assertRefused(await send(vendors, `/approvals/${id}/ask-again`), 403, /bound to an engagement/);
  await assertRefused(await send(keyOf(anna.id, "read"), `/approvals/${id}/ask-again`), 403, /`write` scope/);
  await changes(annas, id);
  for (const token of [others, machine]) await refused("ask-again", id, token, {}, 403, /person of one of its steps/);
  await ask(bens, id);
  await decide(annas, id);
  await decide(bens, id);
  for (const token of [annas, bens, others])
    await refused("ask-again", id, token, {}, 403, /is approved: only a key with the scope edit/);
  const v3 = await land(node_id);
  assert.is((await ask(editor, id)).version_id, v3);
  assert.is(statusOf(v2), "approved");
  await decide(annas, id);
  await decide(bens, id);
  await sent(editor, `/admin/versions/${v3}/release`);
  const v4 = await land(node_id);
  for (const version_id of [v1, v4]) await refused("ask-again", id, editor, { version_id }, 409, /was released after/);
  const setStatus = (status: string) =>
    store.writeSync(() => database.prepare("UPDATE approvals SET status = ? WHERE id = ?").run(status, id));
  setStatus("rejected");
  await refused("ask-again", id, annas, {}, 403, /is rejected/);
  setStatus("approved");
});

asking("of what does not exist or is another production's is the same 404", async () => {
  const texts = new Set<string>();
  for (const id of [one(store, "SELECT min(id) FROM approvals WHERE production_id <> 1"), 999_999]) {
    const response = await send(editor, `/approvals/${id}/ask-again`);
    assert.is(response.status, 404);
    texts.add((await response.text()).replace(String(id), "N"));
  }
  assert.is(texts.size, 1);
});

asking("happens once if ten people ask at once, and a decision about the former version is then refused", async () => {
  const { v1, v2, id } = await about1();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(annas, `/approvals/${id}/ask-again`)));
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...new Array(9).fill(409)]);
  assert.is((await approvalOf(id)).rounds.length, 1);
  await refused("decide", id, annas, { decision: "approved", version_id: v1, seen: v2 }, 409, /v2 Hero/);
});

asking("is undone with its decisions, and the undo is undone", async () => {
  const { v1, v2, id } = await about1();
  await decide(annas, id);
  await changes(bens, id);
  const before = await approvalOf(id);
  const exported = await joined(exportDocument(store, app.blobs, production_id));
  const asked = await ask(editor, id);
  const undo = async () => {
    const [set] = await server.get(editor, "/admin/history?limit=1");
    return sent(editor, `/admin/history/${set.id}/undo`);
  };
  await undo();
  assert.equal(await approvalOf(id), before);
  assert.equal([statusOf(v1), statusOf(v2)], ["changes", "wip"]);
  assert.is(
    JSON.stringify(JSON.parse(await joined(exportDocument(store, app.blobs, production_id))).approvals),
    JSON.stringify(JSON.parse(exported).approvals),
  );
  await undo();
  assert.equal(await approvalOf(id), asked);
  await decide(annas, id);
  const [set] = await server.get(editor, "/admin/history?limit=1");
  await assertRefused(await send(editor, `/admin/history/${set.id}/undo`), 409, /steps was changed since/);
});

asking(
  "is kept by an export: imported again it plans nothing, also in another production, as an older export",
  async () => {
    const { v1, v2, id } = await about1();
    await decide(annas, id);
    const older = JSON.parse(await joined(exportDocument(store, app.blobs, production_id)));
    await changes(bens, id);
    await ask(annas, id);
    await decide(annas, id);
    const whole = JSON.parse(await joined(exportDocument(store, app.blobs, production_id)));
    const { title } = await approvalOf(id);
    const stored = whole.approvals.find((one: Row) => one.title === title);
    assert.equal(
      [stored.version, stored.steps[0].version, stored.rounds[0].map((step: Row) => step.version)],
      [2, 2, [1, 1]],
    );
    const admin = mint(store, { production_id, scopes: ["read", "write", "admin"] });
    const plan = (document: object) => sent(admin, "/admin/import?dry_run=1", document);
    const { approvals, ...rest } = whole;
    const unversioned = (steps: Row[]) => steps.map(({ version, ...step }) => step);
    const former = approvals.map(({ steps, rounds = [], ...one }: Row) => ({
      ...one,
      steps: unversioned(steps),
      rounds: rounds.map(unversioned),
    }));
    assert.equal((await plan(whole)).changes, []);
    assert.equal((await plan({ ...rest, approvals: former })).changes, []);
    const planned = await plan(older);
    assert.equal(
      planned.changes.filter(({ section }: Row) => section === "approvals"),
      [],
    );
    assert.ok(
      planned.warnings.some((text: string) => text.includes(title) && text.includes("it stays about version 2")),
    );
    for (const [fields, says] of [
      [{ steps: [{ ...stored.steps[0], version: 1 }, stored.steps[1]] }, /contradicts what was recorded/],
      [
        { asset: (await server.get(machine, `/assets/${await asset()}`)).label, version: null },
        /must stay .*: a version of it was signed/,
      ],
    ] as const)
      await assertRefused(
        await send(admin, "/admin/import?dry_run=1", { approvals: [{ title, ...fields }] }),
        422,
        says,
      );
    assert.equal([statusOf(v1), statusOf(v2)], ["changes", "wip"]);
  },
);

asking("about the same version is undone with the status of the version, as reopening is", async () => {
  for (const path of ["/approvals/ID/ask-again", "/admin/approvals/ID/reopen"]) {
    const node_id = await asset();
    const v1 = await land(node_id);
    const id = chain({ node_id, version_id: v1 });
    await changes(annas, id);
    await sent(editor, path.replace("ID", String(id)));
    const undo = async () => {
      const [set] = await server.get(editor, "/admin/history?limit=1");
      await sent(editor, `/admin/history/${set.id}/undo`);
      return [(await approvalOf(id)).status, statusOf(v1)];
    };
    assert.equal(await undo(), ["changes_requested", "changes"], path);
    assert.equal(await undo(), ["pending", "wip"], path);
    assert.equal(await undo(), ["changes_requested", "changes"], path);
    assert.is((await sent(annas, `/approvals/${id}/take-back`)).status, "pending");
    assert.is(statusOf(v1), "wip");
  }
});

asking("by the command takes the number of a version, and says whose step is next", async () => {
  const { v1, v2, id } = await about1();
  await land((await approvalOf(id)).node_id);
  const run = (...argv: string[]) => tallylight("approvals", "ask-again", String(id), ...argv, "--data", server.folder);
  const { status, out, err } = await run("--version", "2");
  assert.equal([status, err], [0, ""]);
  assert.match(out, new RegExp(`^Asked again about v2 Hero of Look .*, round 2; the next step is ${anna.name}'s\n$`));
  assert.is((await approvalOf(id)).version_id, v2);
  assert.match((await run("--version", "2")).err, /is pending and about v2 already/);
  assert.match((await run("--version", "99")).err, /about no asset that has a version 99/);
  assert.is((await run("--version", "x")).status, 2);
  const answer = JSON.parse((await run("--version", "1", "--json")).out);
  assert.equal([answer.version_id, answer.rounds.length], [v1, 2]);
});

deciding.run();
asking.after(() => server.stop());
asking.run();
