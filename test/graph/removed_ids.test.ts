// Ids of what was removed are not given again: history, activity and undo name things by them.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";

const test = suite("removed ids");

test("an asset that is created after another was undone gets another id, and the undo can be undone", async () => {
  const server = await openTestServer();
  const token = mint(server.store, { scopes: ["read", "write", "admin"] });
  const post = async (path: string, body?: object) => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const answer = await server.ask(token, `/api/v1${path}`, { ...init, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    assert.is(answer.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };
  const added = await post("/admin/import", { assets: [{ label: "A brass key", kind: "prop" }] });
  const [{ id: former }] = added.changes;
  const undone = await post(`/admin/history/${added.change_set}/undo`);
  const { node_id } = await post("/assets", { label: "A tin key", kind: "prop" });
  assert.ok(node_id > former, `${node_id} is not ${former}`);
  await post(`/admin/history/${undone.change_set}/undo`);
  const labels = new Map(
    (await server.get(token, "/assets")).map((row: { node_id: number; label: string }) => [row.node_id, row.label]),
  );
  assert.equal([labels.get(former), labels.get(node_id)], ["A brass key", "A tin key"]);
  await server.stop();
});

test.run();
