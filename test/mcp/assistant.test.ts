// /mcp?tools=assistant: how many tools it offers and how long their list is, what a key sees, and a model's questions.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
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

assistant("offers a key at most 27 tools, and all keys 28 in 20 KB, with the fifteen among them", async () => {
  const submitter = mint(store, { production_id, engagement_id, scopes });
  const both = [...(await listOf("tools")), ...(await listOf("tools", submitter))];
  const tools = [...new Map(both.map((tool) => [tool.name, tool])).values()]; // no key sees all of them
  const fifteen = namesOf(await listOf("tools", wide, "/mcp"));
  assert.ok((await listOf("tools")).length <= 27);
  assert.ok(tools.length <= 28, String(tools.length));
  assert.ok(JSON.stringify(tools).length <= 20_000, String(JSON.stringify(tools).length));
  for (const name of [
    ...fifteen,
    "search",
    "get_asset_usage",
    "get_day_bundle",
    "list_cast_days",
    "get_progress",
    "get_still",
    "get_person",
    "get_scene_script",
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

assistant("takes null for an optional argument as absent, and not for a required one", async () => {
  for (const at of [path, "/mcp?tools=all"]) {
    const call = async (name: string, given: unknown) =>
      resultOf(await send(server, reader, "tools/call", { name, arguments: given }, 0, at));
    assert.equal(await call("list_approvals", null), await call("list_approvals", {}));
    assert.equal(
      await call("list_approvals", { status: null, limit: null, fields: null, nonsense: null }),
      await call("list_approvals", {}),
    );
    assert.equal(
      await call("get_day_bundle", { date: "2026-11-20", shoot_day_id: null, missing: null }),
      await call("get_day_bundle", { date: "2026-11-20" }),
    );
    const refused: any = await (await callTool(server, reader, "get_scene_script", { node_id: null }, at)).json();
    assert.match(refused.error.message, /node_id/);
  }
});

/** The fields of a schema of arguments, with those of the objects in it. */
function fieldsIn(schema: Row, at = ""): [place: string, field: Row][] {
  const own = Object.entries<Row>(schema.properties ?? {});
  const inside = schema.items === undefined ? [] : fieldsIn(schema.items, `${at}[]`);
  return [
    ...own.flatMap(([name, field]): [string, Row][] => [[`${at}.${name}`, field], ...fieldsIn(field, `${at}.${name}`)]),
    ...inside,
  ];
}

assistant("describes every argument of every tool, with the values of each closed set", async () => {
  const submitter = mint(store, { production_id, engagement_id, scopes });
  for (const at of ["/mcp", path, "/mcp?tools=all"]) {
    const tools = [...(await listOf("tools", wide, at)), ...(await listOf("tools", submitter, at))];
    for (const { name, inputSchema } of tools)
      for (const [place, field] of fieldsIn(inputSchema)) {
        assert.ok(field.description?.length > 5, `${at} ${name} ${place}`);
        if (/\.(include|kinds|status|fields|decision)$/.test(place))
          assert.ok((field.enum ?? field.items?.enum)?.length > 0, `${at} ${name} ${place} has no values`);
      }
  }
});

assistant("takes a list of values as a list, or as text with commas; an empty one is absent", async () => {
  for (const at of [path, "/mcp?tools=all", "/mcp"]) {
    const call = async (name: string, given: object) => resultOf(await callTool(server, reader, name, given, at));
    const asked = { include: ["versions", "still"], fields: ["node_id", "still"], limit: 3 };
    const asText = { include: "versions,still", fields: "node_id,still", limit: 3 };
    assert.equal(await call("list_assets", asked), await call("list_assets", asText));
    assert.equal(await call("list_assets", { include: [], fields: [] }), await call("list_assets", {}));
    const { error }: any = await (await callTool(server, reader, "list_assets", { include: [7] }, at)).json();
    assert.equal([error.code, error.message], [-32602, "include must be a list of texts"]);
  }
});

assistant("the 404 of a label says which tool finds what is like it, over REST which path", async () => {
  const refused = await callTool(server, reader, "get_asset_usage", { label: "Zeppelin mooring" }, path);
  const said = "nothing is labelled Zeppelin mooring;";
  await assertRefused(refused, 404, `${said} the tool search with q Zeppelin mooring finds what is like it`);
  const rest = await server.ask(reader, "/api/v1/assets/usage?label=Zeppelin%20mooring");
  await assertRefused(rest, 404, `${said} GET /search?q=Zeppelin%20mooring finds what is like it`);
  const bound = await callTool(server, vendor, "get_asset_usage", { label: "Zeppelin mooring" }, path);
  await assertRefused(bound, 403, /bound to an engagement/);
});

assistant.after(() => server.stop());
assistant.run();
