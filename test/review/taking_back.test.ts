// POST /approvals/{approval_id}/take-back, the position of POST /approvals/{approval_id}/decide, and tallylight
// approvals take-back.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { postingTo } from "../support/posting.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store } = server;
const production_id = 1;
const [anna, ben, other] = store.database
  .prepare("SELECT id, name FROM people WHERE production_id = ? ORDER BY id LIMIT 3")
  .all(production_id) as [{ id: number; name: string }, { id: number; name: string }, { id: number; name: string }];
const keyOf = (person_id: number | null, ...scopes: ("read" | "write" | "edit")[]) =>
  mint(store, { production_id, person_id, scopes: scopes.length === 0 ? ["read", "write"] : scopes });
const [annas, bens, others] = [anna, ben, other].map(({ id }) => keyOf(id)) as [string, string, string];
const machine = keyOf(null);
const editor = keyOf(null, "read", "write", "edit");
const version = store.database
  .prepare(
    "SELECT id, node_id, status FROM versions WHERE production_id = ? AND released = 0 AND status = 'wip' LIMIT 1",
  )
  .get(production_id) as { id: number; node_id: number; status: string };

/** Creates a pending chain of Anna's and Ben's steps. Returns its id. */
function chain(about: { version_id?: number; node_id?: number } = {}): number {
  const { database } = store;
  return store.writeSync(() => {
    const insert =
      "INSERT INTO approvals (production_id, title, status, mode, version_id, node_id) VALUES (?, 'Look', 'pending', 'chain', ?, ?)";
    const id = Number(database.prepare(insert).run(production_id, about.version_id, about.node_id).lastInsertRowid);
    for (const [at, person] of [anna, ben].entries())
      database
        .prepare(
          "INSERT INTO approval_steps (production_id, approval_id, position, person_id, status) VALUES (?, ?, ?, ?, 'pending')",
        )
        .run(production_id, id, at + 1, person.id);
    return id;
  });
}

const { send, sent } = postingTo(server);
const decide = (token: string, id: number, body: object = {}) =>
  sent(token, `/approvals/${id}/decide`, { decision: "approved", ...body });
const takeBack = (token: string, id: number) => sent(token, `/approvals/${id}/take-back`);
const refused = async (token: string, id: number, status: number, detail: RegExp) => {
  const before = await server.get(machine, `/approvals/${id}`);
  await assertRefused(await send(token, `/approvals/${id}/take-back`), status, detail);
  assert.equal(await server.get(machine, `/approvals/${id}`), before);
};

const taking = suite("taking a decision back");

taking(
  "makes the last decided step pending, keeps the decision in rounds, and may be decided and taken back again",
  async () => {
    const id = chain();
    await decide(annas, id, { note: "Yes" });
    const first = await decide(bens, id, { decision: "changes", note: "Too dark" });
    const back = await takeBack(bens, id);
    assert.equal([back.status, back.rounds], ["pending", [first.steps]]);
    assert.equal([back.steps[0], back.steps[1].status, back.steps[1].note], [first.steps[0], "pending", null]);
    const second = await decide(bens, id);
    assert.is(second.status, "approved");
    assert.equal((await takeBack(bens, id)).rounds, [first.steps, second.steps]);
    assert.equal(
      (await takeBack(annas, id)).steps.map((step: Row) => step.status),
      ["pending", "pending"],
    );
    await refused(annas, id, 409, /no decided step/);
  },
);

taking("leaves an activity entry and an event, each by its name", async () => {
  const id = chain();
  await decide(annas, id);
  await takeBack(annas, id);
  const [entry] = await server.get(machine, "/activity?limit=1");
  assert.equal([entry.verb, entry.actor_person_id], ["approval.taken_back", anna.id]);
  assert.match(entry.summary, new RegExp(`^Took back the decision of step 1 of Look, which ${anna.name} had signed$`));
  const { events } = await server.get(machine, "/events?after=start&types=approval.taken_back");
  const event = events.at(-1);
  assert.equal([event.subject, event.activity_id], [{ kind: "approval", id }, entry.id]);
  assert.equal([event.data.position, event.data.round], [1, 1]);
});

taking("is only for a key of the person who decided, or one with edit", async () => {
  const id = chain();
  await decide(annas, id);
  for (const token of [others, bens, machine]) await refused(token, id, 403, new RegExp(`only a key of ${anna.name}`));
  await decide(bens, id);
  await refused(annas, id, 409, new RegExp(`a later step was decided by ${ben.name}`));
  await assertRefused(await send(keyOf(null, "read", "edit"), `/approvals/${id}/take-back`), 403, /`write` scope/);
  await takeBack(editor, id);
  const unsigned = chain();
  await decide(machine, unsigned);
  await refused(machine, unsigned, 403, /only a key with the scope edit/);
  await takeBack(editor, unsigned);
});

taking("of what does not exist or is another production's is the same 404, and a bound key is 403", async () => {
  const foreign = one(store, "SELECT min(id) FROM approvals WHERE production_id <> ?", production_id);
  const texts = new Set<string>();
  for (const id of [foreign, 999_999]) {
    const response = await send(editor, `/approvals/${id}/take-back`);
    assert.is(response.status, 404);
    texts.add(await response.text());
  }
  assert.is(texts.size, 1);
  const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", production_id);
  const bound = mint(store, { production_id, engagement_id, scopes: ["read", "write"] });
  await assertRefused(await send(bound, `/approvals/${chain()}/take-back`), 403, /bound to an engagement/);
});

taking("gives the version its former status back, and is refused once the version was released", async () => {
  const status = () => one<string>(store, "SELECT status FROM versions WHERE id = ?", version.id);
  const id = chain({ version_id: version.id, node_id: version.node_id });
  await decide(annas, id);
  await decide(bens, id);
  assert.is(status(), "approved");
  await takeBack(bens, id);
  assert.is(status(), version.status);
  await decide(bens, id);
  await sent(editor, `/admin/versions/${version.id}/release`);
  await refused(bens, id, 409, /was released after this decision/);
  await refused(editor, id, 409, /was released after this decision/);
  const gate = chain({ node_id: version.node_id });
  await decide(annas, gate);
  await takeBack(annas, gate); // the release was before this decision
});

taking("happens once if ten requests arrive at once", async () => {
  const id = chain();
  await decide(annas, id);
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(annas, `/approvals/${id}/take-back`)));
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...new Array(9).fill(409)]);
  assert.is((await server.get(machine, `/approvals/${id}`)).rounds.length, 1);
});

taking("by the command takes an id, says whose step is next, and needs no key", async () => {
  const id = chain();
  await decide(annas, id);
  const argv = ["approvals", "take-back", String(id), "--data", server.folder];
  const { status, out, err } = await tallylight(...argv);
  assert.equal([status, err], [0, ""]);
  assert.is(
    out,
    `Took back the decision of step 1 of Look, which ${anna.name} had signed; the next step is ${anna.name}'s\n`,
  );
  const again = await tallylight(...argv);
  assert.is(again.status, 1);
  assert.match(again.err, /no decided step/);
});

const position = suite("the position of a decision");

position("is the step that must be next: otherwise 409, and nothing is recorded", async () => {
  const id = chain();
  const before = await server.get(machine, `/approvals/${id}`);
  const body = { decision: "approved", decided_by: String(ben.id), position: 2 };
  await assertRefused(await send(machine, `/approvals/${id}/decide`, body), 409, /^step 1 is next, not step 2/);
  assert.equal(await server.get(machine, `/approvals/${id}`), before);
  await decide(annas, id, { position: 1 });
  await assertRefused(
    await send(annas, `/approvals/${id}/decide`, { decision: "approved", position: 1 }),
    409,
    /step 2 is next/,
  );
  assert.is((await decide(bens, id, { position: 2 })).status, "approved");
  await assertRefused(await send(bens, `/approvals/${id}/decide`, { decision: "approved", position: 0 }), 422);
});

taking.run();
position.after(() => server.stop());
position.run();
