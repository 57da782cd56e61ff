// The edit form of a department's note, of which all fields together are its key.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { editFields, signIn } from "../support/pages.ts";

const server = await openTestServer({ data: await demoFolder() });
const { store } = server;
const production_id = one(store, "SELECT production_id FROM department_notes LIMIT 1");
const key = mint(store, { production_id, scopes });
const browser = await signIn(server, key);

const note = suite("/edit/department_notes/{id}");
note.after(() => server.close());

const rows = () =>
  (store.database.prepare("SELECT * FROM department_notes").all() as Record<string, unknown>[])
    .map(({ id: _, ...rest }) => JSON.stringify(rest))
    .sort();
const firstNote = () => one(store, "SELECT min(id) FROM department_notes WHERE production_id = ?", production_id);
const department = one<string>(
  store,
  "SELECT slug FROM departments WHERE production_id = ? AND id <> (SELECT department_id FROM department_notes ORDER BY id LIMIT 1)",
  production_id,
);

for (const [field, value] of [
  ["summary", "Two lamps, not three."],
  ["department", department],
] as const)
  note(`changes the ${field} of one note, and the undo gives the former one back`, async () => {
    const before = rows();
    const id = firstNote();
    const path = `/edit/department_notes/${id}`;
    const fields = await editFields(browser, path);
    const response = await browser.post(path, { ...fields, [field]: value });
    assert.is(response.status, 303, await response.text());
    assert.is((await editFields(browser, path))[field], value, "it has its id");
    const after = rows();
    assert.is(after.length, before.length);
    assert.is(after.filter((row) => !before.includes(row)).length, 1, "one note is another");
    const set = /saved=(\d+)/.exec(response.headers.get("location") ?? "")?.[1];
    const undone = await server.ask(key, `/api/v1/admin/history/${set}/undo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    assert.is(undone.status, 200, await undone.text());
    assert.equal(rows(), before);
  });

note("saves nothing where nothing was changed", async () => {
  const before = rows();
  const path = `/edit/department_notes/${firstNote()}`;
  const response = await browser.post(path, await editFields(browser, path));
  assert.is(response.status, 303);
  assert.not.match(response.headers.get("location") ?? "", /saved=/);
  assert.equal(rows(), before);
});

note("keeps a note that somebody adds meanwhile", async () => {
  const path = `/edit/department_notes/${firstNote()}`;
  const fields = await editFields(browser, path);
  const added = await editFields(browser, "/edit/department_notes");
  const fresh = await browser.post("/edit/department_notes", {
    ...{ ...added, department, scene: fields.scene ?? "" },
    summary: "A note of a colleague.",
  });
  assert.is(fresh.status, 303);
  assert.is((await browser.post(path, { ...fields, summary: "Three lamps." })).status, 303);
  for (const summary of ["A note of a colleague.", "Three lamps."])
    assert.is(one(store, "SELECT count(*) FROM department_notes WHERE summary = ?", summary), 1, summary);
});

note.run();
