// Opening an approval again: over the API and on the command line, with rounds and people who left.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { CliError } from "../../src/core/errors.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { reopenApproval } from "../../src/features/history/approval_reopening.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { imported, joined, now, refusal, smallDocument, writeDocument } from "../support/small_document.ts";
import { openProduction } from "../support/update.ts";

const server = await openTestServer();
const { store, folder } = server;
const key = mint(store, { production_id: 1, scopes: ["read", "write", "admin"], label: "Desk" });
const idOf = (status: string, mode: string) =>
  one(store, "SELECT id FROM approvals WHERE production_id = 1 AND status = ? AND mode = ?", status, mode);

const send = (path: string, body: object = {}) =>
  server.ask(key, `/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const approvalOf = async (id: number): Promise<any> =>
  (await server.get(key, "/approvals")).find((row: { id: number }) => row.id === id);

const reopening = suite("opening an approval again");

reopening(
  "makes its steps pending and keeps the former ones as a round, as often as changes are requested",
  async () => {
    const id = idOf("changes_requested", "chain");
    const rounds: object[] = [];
    for (let round = 1; round <= 3; round++) {
      rounds.push((await approvalOf(id)).steps);
      const reopened: any = await (await send(`/admin/approvals/${id}/reopen`)).json();
      assert.equal([reopened.status, reopened.rounds], ["pending", rounds]);
      for (const step of reopened.steps)
        assert.equal([step.status, step.decided_at, step.note, step.decided_by], ["pending", null, null, null]);
      assert.equal(await approvalOf(id), reopened);
      const [entry] = await server.get(key, "/activity?limit=1");
      assert.equal([entry.verb, entry.actor], ["approval.reopened", "Desk"]);
      assert.match(entry.summary, new RegExp(`^Reopened .+, round ${round + 1}$`));
      assert.is((await send(`/approvals/${id}/decide`, { decision: "changes", note: `Round ${round}` })).status, 200);
    }
  },
);

reopening("of one that is approved or rejected is another round, and a pending one is 409 and unchanged", async () => {
  const pending = await approvalOf(idOf("pending", "chain"));
  await assertRefused(await send(`/admin/approvals/${pending.id}/reopen`), 409, /is pending; .*nothing was changed/);
  assert.equal(await approvalOf(pending.id), pending);
  for (const status of ["approved", "rejected"]) {
    const before = await approvalOf(idOf(status, "chain"));
    const reopened: any = await (await send(`/admin/approvals/${before.id}/reopen`)).json();
    assert.equal([reopened.status, reopened.rounds.at(-1)], ["pending", before.steps]);
    assert.ok(reopened.steps.every((step: { status: string }) => step.status === "pending"));
  }
});

reopening("happens once if twenty requests arrive at once", async () => {
  const id = idOf("changes_requested", "decision");
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(`/admin/approvals/${id}/reopen`)));
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...new Array(19).fill(409)]);
  assert.is((await approvalOf(id)).rounds.length, 1);
});

reopening("by the command takes a title, says whose step is next, and names those who left", async () => {
  const id = one(store, "SELECT id FROM approvals WHERE title = 'Reef sea simulation, first look'");
  const person = one(store, "SELECT person_id FROM approval_steps WHERE approval_id = ? AND position = 1", id);
  store.writeSync(() => store.database.prepare("UPDATE people SET active = 0 WHERE id = ?").run(person));
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person);
  const argv = ["approvals", "reopen", "reef sea simulation, FIRST look", "--data", folder];
  const { status, out, err } = await tallylight(...argv);
  assert.is(status, 0, err);
  assert.is(out, `Reopened Reef sea simulation, first look, round 2; the next step is ${name}'s\n`);
  assert.is(err, `note: step 1 is ${name}'s, who left the production\n`);
  assert.match((await tallylight(...argv)).err, /is pending; only a decided approval can be reopened/);
});

reopening("leaves rounds that an export has and an import reads", async () => {
  const document = smallDocument();
  const [approval] = document.approvals;
  approval.steps[1] = {
    person: "Ben",
    status: "changes_requested",
    decided_at: now,
    note: "Shorter",
    decided_by: "Ben",
  };
  approval.status = "changes_requested";
  const { store, blobs } = await imported(writeDocument(document));
  const { approval: reopened, absent } = reopenApproval(localAdmin(store, now), { id: 1 });
  assert.equal([reopened.rounds.length, absent], [1, []]);
  const exported = await joined(exportDocument(store, blobs, 1));
  assert.equal(JSON.parse(exported).approvals[0].rounds, [approval.steps]);
  const again = await imported(writeDocument(exported));
  assert.is(await joined(exportDocument(again.store, again.blobs, 1)), exported);
  assert.match(
    refusal(() => reopenApproval(localAdmin(store, now), { id: 99 })),
    /^there is no approval 99$/,
  );
});

reopening.run();

const versions = suite("an approval about a version");

/** Two approvals about version 2 of the coat, whose only step is Ben's. */
const aboutVersion = () => {
  const document = smallDocument();
  const steps = [{ person: "Ben", status: "pending" }];
  for (const title of ["Cut", "Colour"])
    document.approvals.push({ title, status: "pending", mode: "chain", asset: "Coat", version: 2, steps });
  return document;
};

versions(
  "sets the version's status with its last step, and gives back the former one when it is reopened",
  async () => {
    const small = await openTestServer({ data: (await imported(writeDocument(aboutVersion()))).folder });
    try {
      const token = mint(small.store, { production_id: 1, scopes: ["read", "write", "admin"] });
      const version = one(small.store, "SELECT id FROM versions WHERE version = 2");
      const status = () => one<string>(small.store, "SELECT status FROM versions WHERE id = ?", version);
      const idOf = (title: string) => one(small.store, "SELECT id FROM approvals WHERE title = ?", title);
      const post = async (path: string, body: object = {}): Promise<any> => {
        const headers = { "content-type": "application/json" };
        const answer = await small.ask(token, `/api/v1${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        assert.is(answer.status, 200);
        return answer.json();
      };
      const decide = (title: string, decision: string) => post(`/approvals/${idOf(title)}/decide`, { decision });
      const reopen = (title: string) => post(`/admin/approvals/${idOf(title)}/reopen`);
      const rows: any[] = await small.get(token, "/approvals");
      assert.equal(
        ["Cut", "Lock"].map((title) => rows.find((row) => row.title === title).version_id),
        [version, null],
      );
      assert.is(status(), "wip");
      assert.is((await decide("Cut", "changes")).version_id, version);
      assert.is(status(), "changes");
      await reopen("Cut");
      assert.is(status(), "wip");
      await decide("Cut", "changes");
      assert.is((await decide("Colour", "approved")).status, "approved");
      assert.is(status(), "approved");
      await reopen("Cut");
      assert.is(status(), "approved", "the other approval still counts");
      const { events } = await small.get(token, "/events?after=start&types=approval.decided");
      assert.is(events[0].data.version_id, version);
      await decide("Cut", "approved");
      await decide("Coat look", "changes"); // its second and last step
      assert.is(status(), "changes");
      await reopen("Coat look");
      assert.is(status(), "approved");
    } finally {
      await small.stop();
    }
  },
);

versions("is the same after an export, and an older export is imported with a warning", async () => {
  const before = aboutVersion();
  const after = aboutVersion();
  const [cut, first] = [after.approvals.at(-2), after.approvals.find((one: any) => one.title === "First coat")];
  assert.is(first.version_status, "wip");
  cut.status = "changes_requested";
  cut.steps = [{ person: "Ben", status: "changes_requested", decided_at: now }];
  const { store, blobs, update } = await openProduction(writeDocument(after));
  const status = () => one<string>(store, "SELECT status FROM versions WHERE version = 2");
  assert.is(status(), "changes", "a document decides like a request");
  const exported = await joined(exportDocument(store, blobs, 1));
  assert.is(JSON.parse(exported).approvals.at(-2).version_status, "wip");
  const again = await imported(writeDocument(exported));
  assert.is(await joined(exportDocument(again.store, again.blobs, 1)), exported);
  const plan = await update(before);
  assert.equal(plan.changes, []);
  assert.match(JSON.stringify(plan.warnings), /its note and status stay as they were recorded/);
  reopenApproval(localAdmin(store, now), { id: one(store, "SELECT id FROM approvals WHERE title = 'Cut'") });
  assert.is(status(), "wip");
});

versions("names a version that its asset has, and stays with it once it is decided", async () => {
  const message = (fields: object) => {
    const document = aboutVersion();
    Object.assign(document.approvals.at(-1), fields);
    return imported(writeDocument(document)).then(String, ({ lines }: CliError) => lines.join());
  };
  assert.match(await message({ version: 3 }), /approvals.*version names no version of "Coat": 3/);
  assert.match(await message({ asset: undefined }), /approvals.*version is allowed only with asset/);
  const { problems } = await openProduction(writeDocument(aboutVersion()));
  const moved = aboutVersion();
  moved.approvals.find((one: any) => one.title === "First coat").version = 2;
  assert.match(String(await problems(moved)), /must stay 1: the decision set the status of that version/);
});

versions.run();

const leaving = suite("a person who left");

leaving(
  "is shown by /people and cannot decide by name or id, while a chain is still decided through a key",
  async () => {
    const people = await server.get(key, "/people");
    const id = one(store, "SELECT id FROM approvals WHERE production_id = 1 AND status = 'pending' AND mode = 'chain'");
    const step = (await approvalOf(id)).steps.find(({ status }: { status: string }) => status === "pending");
    assert.ok(people.every(({ active }: { active: boolean }) => active));
    store.writeSync(() => store.database.prepare("UPDATE people SET active = 0 WHERE id = ?").run(step.person_id));
    const gone = (await server.get(key, "/people")).filter(({ active }: { active: boolean }) => !active);
    assert.equal(
      gone.map(({ name }: { name: string }) => name),
      [step.person],
    );
    for (const decided_by of [step.person, step.person.toUpperCase(), String(step.person_id)])
      await assertRefused(
        await send(`/approvals/${id}/decide`, { decision: "approved", decided_by }),
        422,
        `decided_by is ${step.person}, who left the production; nothing was recorded`,
      );
    assert.is((await send(`/approvals/${id}/decide`, { decision: "approved" })).status, 200);
  },
);

leaving.after(() => server.stop());
leaving.run();
