// /mcp?tools=assistant: how many tools it offers and how long their list is, what a key sees, and a model's questions.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { callTool, resultOf, send } from "../support/rpc.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store } = server;
const production_id = one(store, "SELECT id FROM productions WHERE title = 'The Silver Button'");
const engagement_id = one(store, "SELECT min(id) FROM engagements WHERE production_id = ?", production_id);
const wide = mint(store, { production_id, scopes });
const reader = mint(store, { production_id, scopes: ["read"] });
const vendor = mint(store, { production_id, engagement_id, scopes: ["read"] });
const blind = mint(store, { production_id, scopes: ["write"] });
const path = "/mcp?tools=assistant";

const listOf = async (name: "tools" | "resources" | "prompts", key = wide, at = path): Promise<Row[]> =>
  (await resultOf(await send(server, key, `${name}/list`, {}, 0, at)))[name];
const namesOf = (rows: Row[]) => rows.map(({ name }) => name);

const assistant = suite(path);

assistant("offers at most 26 tools in 18 KB, with the fifteen among them", async () => {
  const submitter = mint(store, { production_id, engagement_id, scopes });
  const both = [...(await listOf("tools")), ...(await listOf("tools", submitter))];
  const tools = [...new Map(both.map((tool) => [tool.name, tool])).values()]; // no key sees all of them
  const fifteen = namesOf(await listOf("tools", wide, "/mcp"));
  assert.ok(tools.length <= 26, String(tools.length));
  assert.ok(JSON.stringify(tools).length <= 18_000, String(JSON.stringify(tools).length));
  for (const name of [
    ...fifteen,
    "search",
    "get_asset_usage",
    "get_day_bundle",
    "list_cast_days",
    "get_still",
    "get_person",
  ])
    assert.ok(namesOf(tools).includes(name), name);
});

assistant("shows a key the tools, resources and prompts that it may use", async () => {
  for (const key of [wide, reader, vendor, blind]) {
    for (const { name } of await listOf("tools", key)) {
      const answer = await callTool(server, key, name, { node_id: "x", delivery_id: "x", slug: 7 }, path);
      assert.is.not(answer.status, 403, name);
    }
  }
  assert.is((await listOf("resources")).length, 6);
  assert.equal([(await listOf("resources", vendor)).length, (await listOf("resources", blind)).length], [0, 0]);
  assert.equal(namesOf(await listOf("prompts", reader)), ["scene_status", "pending_turnovers", "whats_changed"]);
  assert.equal(namesOf(await listOf("prompts", vendor)), ["scene_status", "pending_turnovers"]);
  assert.equal((await listOf("prompts", blind)).length, 0);
  assert.is((await listOf("prompts", blind, "/mcp")).length, 4, "the specification's address shows all");
});

/** Calls a tool and returns its document and its size in bytes. */
async function ask(name: string, given: object): Promise<{ answer: any; bytes: number }> {
  const { content, isError } = await resultOf(await callTool(server, reader, name, given, path));
  assert.is(isError, false, content[0].text);
  return { answer: JSON.parse(content[0].text), bytes: JSON.stringify(content).length };
}

assistant("answers where an asset is used, who must sign and on which day, in two calls", async () => {
  const found = await ask("search", { q: "coat", kinds: "asset", limit: 5 });
  const [{ id }] = found.answer;
  const usage = await ask("get_asset_usage", { node_id: id });
  assert.ok(usage.answer.scenes.every((scene: Row) => Array.isArray(scene.shoot_day_ids)));
  assert.ok(usage.answer.approvals.every(({ awaiting }: Row) => Array.isArray(awaiting)));
  assert.ok(found.bytes < 8_000 && usage.bytes < 8_000, `${found.bytes} and ${usage.bytes} bytes`);
});

assistant("answers what waits for whom, and what changed since a time, in one call each", async () => {
  const waiting = await ask("list_approvals", { status: "pending", fields: "title,awaiting,due" });
  assert.ok(waiting.answer.length > 0 && waiting.answer.every(({ awaiting }: Row) => awaiting.length === 1));
  const changed = await ask("list_activity", { since: "2026-11-18T00:00:00Z", fields: "summary,actor,created_at" });
  assert.ok(changed.answer.length > 0);
  assert.ok(waiting.bytes < 8_000 && changed.bytes < 16_000, `${waiting.bytes} and ${changed.bytes} bytes`);
});

assistant.after(() => server.stop());
assistant.run();
