// Undo over the API and on the command line: of an undo, of a frozen, deleted or erased thing, and by keys that may
// not.
// Thorough: only --all runs it.
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { mint, openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { openImports, script } from "../support/import.ts";
import { seedDataOf } from "../support/seed_data.ts";
import type { Json } from "../support/update.ts";

const test = suite("undo over the API");
const server = await openTestServer();
const { store, folder } = server;
const { production: production_id, otherProduction, submitter: engagement_id } = seedDataOf(store);
const admin = mint(store, { production_id, scopes: ["read", "write", "admin"] });

const post = (token: string, path: string, body?: object) =>
  server.ask(token, `/api/v1/admin${path}`, {
    method: "POST",
    headers: { ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const ok = async (answer: Promise<Response>): Promise<Json> => {
  const response = await answer;
  assert.is(response.status, 200, await response.clone().text());
  return response.json();
};
const load = async (document: object): Promise<number> => (await ok(post(admin, "/import", document))).change_set;
const undo = async (id: number): Promise<number> => (await ok(post(admin, `/history/${id}/undo`))).change_set;
const refusal = async (id: number, token = admin): Promise<[number, string]> => {
  const response = await post(token, `/history/${id}/undo`);
  return [response.status, ((await response.json()) as { detail: string }).detail];
};
const logline = async () => (await server.get(admin, "/admin/export")).production.logline;

test("an undo of an undo of an undo: every second state is the same, and the marks say what stands", async () => {
  const before = await logline();
  const sets = [await load({ production: { logline: "Once." } })];
  for (const state of [before, "Once.", before, "Once."]) {
    sets.push(await undo(sets.at(-1) as number));
    assert.is(await logline(), state);
  }
  const marks = await Promise.all(sets.map((id) => server.get(admin, `/admin/history/${id}`)));
  const [a, b, c, d, e] = sets;
  assert.equal(
    marks.map(({ undoes, undone_by }: Json) => [undoes, undone_by]),
    [
      [null, null],
      [a, c],
      [b, null],
      [c, e],
      [d, null],
    ],
  );
  assert.equal(await refusal(b as number), [
    409,
    `change set ${b} is undone already, by change set ${c}; nothing was changed`,
  ]);
  await undo(e as number);
  assert.is(await logline(), before);
});

test("by a key of another production, a bound key and a key without the section", async () => {
  const set = await load({ vendors: ["Rope Makers"] });
  const scopes = ["read", "write", "admin"] as const;
  assert.is((await refusal(set, mint(store, { production_id: otherProduction, scopes: [...scopes] })))[0], 404);
  const bound = mint(store, { production_id, engagement_id, scopes: ["read", "submit:turnover"] });
  for (const path of ["/history", `/history/${set}`])
    assert.is((await server.ask(bound, `/api/v1/admin${path}`)).status, 403);
  assert.is((await refusal(set, bound))[0], 403);
  assert.is((await refusal(set, mint(store, { production_id, scopes: ["read", "write"] })))[0], 403);
  const editor = mint(store, { production_id, scopes: ["read", "edit"] });
  assert.match((await refusal(set, editor)).join(" "), /^403 .*section vendors/);
  assert.is("changes" in (await server.get(editor, `/admin/history/${set}`)), false);
  await undo(set);
});

test("of a frozen production is refused until it is thawed", async () => {
  const set = await load({ production: { logline: "Frozen." } });
  await answerOf("productions", "freeze", String(production_id), "--data", folder);
  assert.is((await refusal(set))[0], 409);
  assert.match((await tallylight("undo", String(set), "--data", folder)).err, /the production is frozen/);
  assert.is(await logline(), "Frozen.");
  assert.is((await server.get(admin, `/admin/history/${set}`)).undone_by, null);
  await answerOf("productions", "thaw", String(production_id), "--data", folder);
  await undo(set);
});

test("after an erasure: neither the name nor a former one is in the history, in plans and in refusals", async () => {
  const added = await load({ people: [{ name: "Iris Quil", role: "Grip" }] });
  const note = "Iris Quill said so, and everybody who was on the stage that morning agreed with it.";
  const renamed = await load({ people: [{ name: "Iris Quill", was: "Iris Quil", role: "Key grip" }] });
  const noted = await load({ approvals: [{ title: "The rig", mode: "decision", steps: [{ person: "Iris Quill" }] }] });
  const [approval] = (await server.get(admin, "/approvals")).filter(({ title }: Json) => title === "The rig");
  const decided = await server.ask(admin, `/api/v1/approvals/${approval.id}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ decision: "changes", decided_by: "Iris Quill", note }),
  });
  assert.is(decided.status, 200);
  await ok(post(admin, `/approvals/${approval.id}/reopen`));
  const [reopened] = await server.get(admin, "/admin/history?limit=1");
  await answerOf("people", "erase", "Iris Quill", "--production", String(production_id), "--data", folder);
  const texts: unknown[] = [];
  for (const id of [added, renamed, noted, reopened.id]) {
    texts.push(await server.get(admin, `/admin/history/${id}`));
    const response = await post(admin, `/history/${id}/undo?dry_run=1`);
    texts.push(await response.text());
    texts.push(await tallylight("history", String(id), "--data", folder));
  }
  texts.push(await server.get(admin, "/admin/history"), await server.get(admin, "/people"), await refusal(added));
  assert.not.match(JSON.stringify(texts), /Quil/);
  const rows = store.database.prepare("SELECT changes || ifnull(script, '') || summary FROM change_sets").pluck().all();
  assert.not.match(rows.join(), /Quil/);
  await undo(reopened.id);
  const [again] = (await server.get(admin, "/approvals")).filter(({ title }: Json) => title === "The rig");
  assert.equal([again.status, again.steps[0].person], ["changes_requested", "Person removed"]);
});

test("of a decision whose long note named an erased person is no conflict", async () => {
  const mill = (text: string) =>
    script([`INT. MILL - DAY #1#\n\n${text}`, "INT. QUAY - DAY #2#\n\nTwo."], "draft.fountain");
  const production = await openImports(mill("One."));
  const data = ["--data", dirname(production.store.file)];
  const people = { people: [{ name: "Iris Quill", role: "Writer" }] };
  await production.import({ name: "people.json", text: JSON.stringify(people) });
  await production.import(mill("One, and a bell."));
  const note = "Iris Quill wants the bell, and the director, the producer and the editor want it as well.";
  await production.approve([production.changes()[0]?.id as number], { decided_by: "Iris Quill", note });
  const [set] = await answerOf("history", "--production", "1", ...data);
  await answerOf("people", "erase", "Iris Quill", "--production", "1", ...data);
  await answerOf("undo", String(set.id), ...data);
  assert.is(production.changes()[0]?.status, "pending");
});

test("after the production is gone finds no change set", async () => {
  const set = await load({ production: { logline: "Last." } });
  const { title } = (await server.get(admin, "/admin/export")).production;
  await server.close();
  const words = ["--confirm", title, "--no-backup", "--data", folder];
  await answerOf("productions", "delete", String(production_id), ...words);
  for (const command of ["undo", "history"]) {
    const { status, err } = await tallylight(command, String(set), "--data", folder);
    assert.is(status, 1);
    assert.match(err, new RegExp(`there is no change set ${set}`));
  }
  const after = openStore(join(folder, "tallylight.db"));
  assert.is(after.database.prepare("SELECT count(*) FROM change_set_media").pluck().get(), 0);
  after.close();
});

test.run();
