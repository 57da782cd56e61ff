// Many at once on the pages: assets get a status and a department as one change set, and a person's approvals are decided together and taken
// back together.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { signIn } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { feature, department } = seedDataOf(store);
const editor = await signIn(server, mint(store, { production_id: feature, scopes: ["read", "write", "edit"] }));
const writer = await signIn(server, mint(store, { production_id: feature }));
const rows = (sql: string, ...values: unknown[]) => store.database.prepare(sql).all(...values);

const assets = suite("many assets");
const ids = (
  rows("SELECT id FROM nodes WHERE production_id = ? AND kind = 'prop' LIMIT 3", feature) as { id: number }[]
).map(({ id }) => String(id));
const slug = one<string>(store, "SELECT slug FROM departments WHERE production_id = ? ORDER BY id DESC", feature);
const stateOf = () => ids.map((id) => rows("SELECT status, department_id FROM nodes WHERE id = ?", Number(id))[0]);

assets("change together, are one change set, and are undone together", async () => {
  const before = stateOf();
  const fields = { action: "bulk", ids, set_status: "blocked", set_department: slug };
  const sent = await editor.send("/assets?kind=prop", fields);
  const location = sent.headers.get("location") as string;
  assert.match(location, /^\/assets\?kind=prop&saved=\d+$/);
  for (const id of ids) assert.is(one(store, "SELECT status FROM nodes WHERE id = ?", Number(id)), "blocked");
  const undo = /href="(\/settings\/history\/\d+)\?undo=1"/.exec(await editor.text(location))?.[1] as string;
  const revision = /name="revision" value="([^"]+)"/.exec(await editor.text(`${undo}?undo=1`))?.[1] as string;
  assert.is((await editor.send(undo, { revision }, `${undo}?undo=1`)).status, 200);
  assert.equal(stateOf(), before);
});

assets("need a choice and a change, keep what was chosen, and are for those who may edit", async () => {
  const none = await (await editor.send("/assets", { action: "bulk", set_status: "done" })).text();
  assert.match(none, /Choose at least one asset\.[^§]*value="done" selected/);
  const idle = await (await editor.send("/assets", { action: "bulk", ids })).text();
  assert.match(idle, new RegExp(`Choose the status or the department[^§]*|value="${ids[0]}" checked`));
  assert.not.match(await writer.text("/assets"), /form="bulk"/);
  const before = stateOf();
  assert.is((await writer.send("/assets", { action: "bulk", ids, set_status: "done" })).status, 422);
  assert.equal(stateOf(), before);
  assert.ok(department);
});

const approvals = suite("many approvals");

approvals("of one person are decided together and taken back together; what is refused is named", async () => {
  const person_id = one(store, "SELECT min(id) FROM people WHERE production_id = ? AND active = 1", feature);
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({
    approvals: [1, 2, 3].map((n) => ({ title: `Bulk ${n}`, mode: "decision", steps: [{ person: name }] })),
  });
  assert.is((await server.ask(admin, "/api/v1/admin/import", { method: "POST", headers, body })).status, 200);
  const made = (rows("SELECT id FROM approvals WHERE title LIKE 'Bulk %' ORDER BY id") as { id: number }[]).map(
    ({ id }) => id,
  );
  const own = await signIn(server, mint(store, { production_id: feature, person_id }));
  const page = await own.text("/approvals");
  const chosen = made.map((id) => new RegExp(`name="chosen" value="(${id}:\\d+:\\d*)"`).exec(page)?.[1] as string);
  const statuses = () => made.map((id) => one<string>(store, "SELECT status FROM approvals WHERE id = ?", id));
  const noNote = await own.send("/approvals", { all: "changes", chosen });
  assert.match(await noNote.text(), /0 approvals of 3: done\. Write in the note what should change/);
  const sent = await own.send("/approvals", { all: "approved", chosen });
  assert.is(sent.headers.get("location"), `/approvals?decided=${made.join(".")}`);
  assert.equal(statuses(), ["approved", "approved", "approved"]);
  const just = await own.text(`/approvals?decided=${made.join(".")}`);
  assert.match(just, /Just now[^§]*Take all of them back/);
  const again = await own.send("/approvals", { all: "approved", chosen });
  assert.match(await again.text(), /0 approvals of 3: done\. The approval is approved, not pending/);
  await own.send("/approvals", { all: "take_back", chosen: made.map((id) => `${id}::`) });
  assert.equal(statuses(), ["pending", "pending", "pending"]);
  const other = await writer.send("/approvals", { all: "approved", chosen });
  assert.is(other.status, 422);
  assert.equal(statuses(), ["pending", "pending", "pending"], "a key of nobody signs for nobody");
});

assets.run();
approvals.after(() => server.stop());
approvals.run();
