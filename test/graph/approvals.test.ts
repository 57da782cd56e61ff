// POST /approvals/{approval_id}/decide.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";

const server = await openTestServer();
const { store } = server;
const production_id = 1;
const people = store.database
  .prepare("SELECT id, name FROM people WHERE production_id = ? ORDER BY id LIMIT 3")
  .all(production_id) as { id: number; name: string }[];
const [owner, second, another] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
const key = mint(store, { production_id, label: "approvals panel" });
/** The keys of the person of the first step and of somebody who has no step. */
const [ownersKey, anothersKey] = [owner, another].map(({ id }) =>
  mint(store, { production_id, person_id: id, label: "phone" }),
) as [string, string];

/** Creates an approval whose steps belong to `persons`, in that order. Returns its id. */
function approval(mode: string, status = "pending", persons = [owner.id, second.id]): number {
  return store.writeSync(() => {
    const { lastInsertRowid: id } = store.database
      .prepare("INSERT INTO approvals (production_id, title, status, mode) VALUES (?, 'Wardrobe, act two', ?, ?)")
      .run(production_id, status, mode);
    for (const [at, person_id] of persons.entries())
      store.database
        .prepare(
          "INSERT INTO approval_steps (production_id, approval_id, position, person_id, status) VALUES (?, ?, ?, ?, 'pending')",
        )
        .run(production_id, id, at + 1, person_id);
    return Number(id);
  });
}

const decide = (id: number | string, body: object, token = key) =>
  server.ask(token, `/api/v1/approvals/${id}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const decided = async (id: number, body: object, token = key): Promise<any> => {
  const response = await decide(id, body, token);
  const text = await response.text();
  assert.is(response.status, 200, text);
  return JSON.parse(text);
};
/** Everything that a refused decision must not change. */
const state = (id: number) =>
  JSON.stringify([
    store.database.prepare("SELECT * FROM approvals WHERE id = ?").get(id),
    store.database.prepare("SELECT * FROM approval_steps WHERE approval_id = ?").all(id),
    one(store, "SELECT count(*) FROM activity"),
  ]);

const rules = suite("who decides");
const byWhom: [who: string, decided_by: string | undefined, chain: number, decision: number][] = [
  ["the owner by full name", owner.name, 200, 200],
  ["the owner by name in another case and with surrounding spaces", `  ${owner.name.toUpperCase()} `, 200, 200],
  ["the owner by name in decomposed Unicode", owner.name.normalize("NFD"), 200, 200],
  ["the owner by id", String(owner.id), 200, 200],
  ["another person by name", another.name, 403, 403],
  ["another person by id", String(another.id), 403, 403],
  ["the person of a later step", second.name, 403, 403],
  ["a name that no person of the production has", "Nobody Inparticular", 422, 422],
  ["an id that no person has", "99999999", 422, 422],
  ["an id with a leading zero", `0${owner.id}`, 422, 422],
  ["a first name only", owner.name.split(" ")[0] as string, 422, 422],
  ["omitted", undefined, 200, 422],
];
for (const mode of ["chain", "decision"] as const)
  for (const [who, decided_by, chain, decision] of byWhom)
    for (const status of ["pending", "approved", "changes_requested", "rejected"] as const)
      rules(`${mode}, ${status}, decided_by ${who}`, async () => {
        const id = approval(mode, status);
        const before = state(id);
        const body = { decision: "approved", ...(decided_by !== undefined && { decided_by }) };
        const wanted = status === "pending" ? (mode === "chain" ? chain : decision) : 409;
        if (wanted !== 200) {
          await assertRefused(await decide(id, body), wanted);
          assert.is(state(id), before, "nothing is recorded");
          return;
        }
        const [first, next] = (await decided(id, body)).steps;
        assert.is(first.status, "approved");
        assert.is(first.decided_by, decided_by === undefined ? null : owner.name);
        assert.is(next.status, "pending");
      });

const asBound: [who: string, decided_by: string | undefined, token: string, chain: number, decision: number][] = [
  ["its person by name", owner.name, ownersKey, 200, 200],
  ["its person by id", String(owner.id), ownersKey, 200, 200],
  ["nobody, and it is its person's turn", undefined, ownersKey, 200, 422],
  ["another person", second.name, ownersKey, 403, 403],
  ["the person whose turn it is, who is not its person", owner.name, anothersKey, 403, 403],
  ["nobody, and it is another's turn", undefined, anothersKey, 403, 422],
  ["nobody of the production", "Nobody Inparticular", ownersKey, 422, 422],
];
for (const mode of ["chain", "decision"] as const)
  for (const [who, decided_by, token, chain, decision] of asBound)
    rules(`${mode}, a key that is bound to a person names ${who}`, async () => {
      const id = approval(mode);
      const before = state(id);
      const wanted = mode === "chain" ? chain : decision;
      const body = { decision: "approved", ...(decided_by !== undefined && { decided_by }) };
      if (wanted === 200) assert.is((await decided(id, body, token)).steps[0].decided_by, owner.name);
      else {
        await assertRefused(await decide(id, body, token), wanted, /nothing was recorded|decided_by/);
        assert.is(state(id), before, "nothing is recorded");
      }
    });

rules("a key that is bound to a person decides that person's step alone, and the next step is another's", async () => {
  const id = approval("chain");
  await decided(id, { decision: "approved" }, ownersKey);
  await assertRefused(await decide(id, { decision: "approved" }, ownersKey), 403, new RegExp(owner.name));
  await assertRefused(
    await decide(id, { decision: "approved", decided_by: second.name }, ownersKey),
    403,
    new RegExp(owner.name),
  );
  assert.is((await decided(id, { decision: "approved", decided_by: second.name })).status, "approved");
});

rules("a key whose person left the production decides nothing", async () => {
  const setActive = (active: 0 | 1) =>
    store.writeSync(() => store.database.prepare("UPDATE people SET active = ? WHERE id = ?").run(active, owner.id));
  setActive(0);
  await assertRefused(
    await decide(approval("chain"), { decision: "approved" }, ownersKey),
    401,
    /person of this key has left/,
  );
  setActive(1);
});

rules("rejects the name and the id of a person of another production", async () => {
  const foreign = one<string>(store, "SELECT name FROM people WHERE production_id <> ? LIMIT 1", production_id);
  await assertRefused(
    await decide(approval("chain"), { decision: "approved", decided_by: foreign }),
    422,
    /decided_by/,
  );
  const id = one(store, "SELECT max(id) FROM people WHERE production_id <> ?", production_id);
  await assertRefused(
    await decide(approval("chain"), { decision: "approved", decided_by: `${id}` }),
    422,
    /decided_by/,
  );
});

rules("matches digits with a name before it matches them with an id", async () => {
  const insert = store.database.prepare(
    "INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (?, ?, 'Extra', 0, 0)",
  );
  const { lastInsertRowid } = store.writeSync(() => insert.run(production_id, String(owner.id)));
  const id = approval("decision", "pending", [Number(lastInsertRowid)]);
  const { steps } = await decided(id, { decision: "approved", decided_by: String(owner.id) });
  assert.is(steps[0].decided_by, String(owner.id));
  await assertRefused(await decide(approval("chain"), { decision: "approved", decided_by: String(owner.id) }), 403);
  store.writeSync(() => store.database.exec(`UPDATE people SET name = 'Extra One' WHERE id = ${lastInsertRowid}`));
});
rules.run();

const post = suite("POST /approvals/{approval_id}/decide");

post("gives an approval that Tallylight 1.0 imported in a contradictory state the status of its steps", async () => {
  const id = approval("chain");
  const ask = store.database.prepare(
    "UPDATE approval_steps SET status = 'changes_requested', decided_at = ? WHERE approval_id = ? AND position = 1",
  );
  store.writeSync(() => ask.run("2026-11-20T08:00:00.000Z", id));
  const done = await decided(id, { decision: "approved", decided_by: second.name });
  assert.equal([done.status, done.steps[1].status], ["changes_requested", "approved"]);
  await assertRefused(await decide(id, { decision: "approved" }), 409, /not pending/);
});

post("approves on the last step and records the person, the time and the note", async () => {
  const id = approval("chain");
  assert.is((await decided(id, { decision: "approved", decided_by: owner.name })).status, "pending");
  const done = await decided(id, { decision: "approved", decided_by: second.name, note: "As on the board." });
  assert.is(done.status, "approved");
  assert.is(done.steps[1].note, "As on the board.");
  assert.match(done.steps[1].decided_at, /^\d{4}-.*Z$/);
  const list = await server.get(key, "/approvals?status=approved");
  assert.equal(
    list.find((row: { id: number }) => row.id === id),
    done,
  );
});

post("ends the chain at once on changes and leaves later steps pending", async () => {
  const { status, steps } = await decided(approval("chain"), { decision: "changes", decided_by: owner.name });
  assert.is(status, "changes_requested");
  assert.equal(
    steps.map((step: { status: string }) => step.status),
    ["changes_requested", "pending"],
  );
});

post("writes an activity entry with the key, its accountable person and the decider", async () => {
  const id = approval("chain");
  await decided(id, { decision: "approved" });
  await decided(id, { decision: "changes" }, mint(store, { production_id, person_id: second.id, label: "panel" }));
  const [last, first] = await server.get(key, "/activity?limit=2");
  assert.is(first.summary, "Approved step 1 of Wardrobe, act two, through the key");
  assert.is(last.summary, `Asked for changes at step 2 of Wardrobe, act two, by ${second.name}`);
  assert.equal([first.actor, first.actor_person_id], ["approvals panel", null]);
  assert.equal([last.actor, last.actor_person_id], ["panel", second.id]);
});

post(
  "returns the same 404 for an unknown approval and for one of another production, without reading the body",
  async () => {
    const foreign = one(store, "SELECT id FROM approvals WHERE production_id <> ? LIMIT 1", production_id);
    for (const id of [foreign, 9007199254740991])
      await assertRefused(await decide(id, { decision: 7 }), 404, "not found");
  },
);

post("returns 422 and the allowed values if the decision is invalid", async () => {
  const id = approval("chain");
  await assertRefused(await decide(id, {}), 422, /decision is required/);
  await assertRefused(await decide(id, { decision: "rejected" }), 422, /decision must be one of approved, changes/);
  await assertRefused(await decide(id, { decision: "approved", decided_by: owner.id }), 422, /decided_by must be text/);
  await assertRefused(await decide("x", { decision: "approved" }), 422, /approval_id/);
});

post("advances one step if twenty decisions arrive at once", async () => {
  const id = approval("chain", "pending", [owner.id, second.id, another.id]);
  const body = { decision: "approved", decided_by: owner.name };
  const answers = await Promise.all(Array.from({ length: 20 }, () => decide(id, body)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.equal(statuses, [200, ...new Array(19).fill(403)]); // the next step belongs to another person
  assert.is(one(store, "SELECT count(*) FROM approval_steps WHERE approval_id = ? AND status = 'approved'", id), 1);
});

post("records one of twenty simultaneous decisions on the last step and returns 409 to the others", async () => {
  const id = approval("decision", "pending", [owner.id]);
  const body = { decision: "approved", decided_by: String(owner.id) };
  const answers = await Promise.all(Array.from({ length: 20 }, () => decide(id, body)));
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...new Array(19).fill(409)]);
});
post.after(() => server.stop());
post.run();
