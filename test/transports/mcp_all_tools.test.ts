// /mcp?tools=all: which tools it offers, that each returns what REST returns, and that /mcp alone stays as it is.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/inputs.ts";
import { type Operation, table } from "../../src/operations.ts";
import { fieldsOf } from "../../src/transports/http/coercion.ts";
import { requestFields } from "../../src/transports/openapi/examples.ts";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { type Case, casesOf, sendCase } from "../support/cases.ts";
import { assertProtocolError, callTool, resultOf, send } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, url } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const all = "/mcp?tools=all";
const keyOf = (production_id: number) => mint(store, { production_id, scopes });
const token = keyOf(seedData.production);
const rowOf = (name: string) => table.find((row) => row.name === name) as Operation;

const toolsAt = async (path: string): Promise<any[]> =>
  (await resultOf(await send(server, token, "tools/list", {}, 0, path))).tools;
const offered = await toolsAt(all);

const test = suite(all);

test("offers the fifteen and every other operation that takes and answers JSON, and nothing else", async () => {
  const names = offered.map(({ name }) => name);
  const pinned = (await toolsAt("/mcp")).map(({ name }) => name);
  assert.is(pinned.length, 15);
  for (const name of [
    ...pinned,
    "get_me",
    "get_day_bundle",
    "list_submissions",
    "list_people",
    "list_jobs",
    "get_media",
    "list_events",
  ])
    assert.ok(names.includes(name), name);
  for (const name of ["get_media_content", "get_media_ticket", "create_session_token"])
    assert.not.ok(names.includes(name), name);
  assert.equal(names, [...new Set(names)]);
  for (const name of names) assert.ok(rowOf(name), `${name} is the name of a row`);
});

test("/mcp keeps the arguments of the specification, and does not know the other tools", async () => {
  const of = (tools: any[], name: string) =>
    Object.keys(tools.find((tool) => tool.name === name).inputSchema.properties);
  const pinned = await toolsAt("/mcp");
  assert.equal(of(pinned, "get_schedule"), ["episode_id"]);
  assert.equal(of(offered, "get_schedule"), ["episode_id", "date", "from", "to", "fields"]);
  assert.equal(of(pinned, "list_assets"), ["department", "kind", "status"]);
  assert.equal(of(pinned, "list_activity"), ["limit"]);
  await assertProtocolError(await callTool(server, token, "get_day_bundle", { date: "2026-11-30" }), -32601);
});

/** The arguments of a tool that are the input of a case. */
function argumentsOf(row: Operation, { path, json }: Case): object {
  const answer = { path, status: 200 };
  return { ...fieldsOf(row.input, requestFields(row.path, answer)), ...json };
}

for (const { name } of offered) {
  const row = rowOf(name);
  if (row.files_in_json === "upload_ids") continue; // test/operations/upload_ids.test.ts calls these with files
  test(`${name} returns what REST returns`, async () => {
    const arrangement = (cases[name] as () => Case)();
    const production_id = arrangement.production ?? seedData.production;
    const engagement_id = row.reach === "bound" ? arrangement.engagement : undefined;
    const key =
      engagement_id === undefined ? keyOf(production_id) : mint(store, { production_id, engagement_id, scopes });
    const answer = await callTool(server, key, name, argumentsOf(row, arrangement), all);
    if (arrangement.productionWideStatus !== undefined && engagement_id === undefined)
      return void assert.ok((await resultOf(answer)).isError);
    const { content, isError } = await resultOf(answer);
    assert.is(isError, false, content[0].text);
    if (row.method === "GET")
      assert.is(content[0].text, await (await sendCase(server, arrangement, "GET", key)).text());
  });
}

test("a bound key gets the refusals of REST", async () => {
  const bound = mint(store, { production_id: seedData.production, engagement_id: seedData.submitter, scopes });
  await assertRefused(
    await callTool(server, bound, "get_day_bundle", { date: seedData.shootDate }, all),
    403,
    /bound to an engagement/,
  );
  await assertRefused(await callTool(server, bound, "list_people", {}, all), 403, /bound to an engagement/);
  const { structuredContent } = await resultOf(await callTool(server, bound, "get_me", {}, all));
  assert.equal(structuredContent, await server.get(bound, "/me"));
});

test("a stored answer of one address is not the answer of the other", async () => {
  const date = { date: seedData.shootDate };
  for (let round = 0; round < 2; round++) {
    assert.is((await resultOf(await callTool(server, token, "get_day_bundle", date, all))).isError, false);
    await assertProtocolError(await callTool(server, token, "get_day_bundle", date), -32601);
    assert.is((await toolsAt("/mcp")).length, 15);
    assert.is((await toolsAt(all)).length, offered.length);
  }
});

test("the same is at the path below the API, and with other parameters in the query", async () => {
  for (const path of ["/api/v1/mcp?tools=all", "/mcp?x=1&tools=all"])
    assert.is((await toolsAt(path)).length, offered.length);
  assert.is((await toolsAt("/mcp?x=1")).length, 15);
});

test("another value of tools is 422, after the key is checked", async () => {
  for (const path of ["/mcp?tools=some", "/mcp?tools=", "/mcp?tools=all&tools=none"]) {
    await assertRefused(await send(server, token, "tools/list", {}, 0, path), 422, /^tools must be all/);
    await assertRefused(await send(server, undefined, "tools/list", {}, 0, path), 401);
  }
});

test("a 401 names the metadata of the address, which names the address itself", async () => {
  for (const [path, metadata, resource] of [
    ["/mcp", "", "/mcp"],
    ["/mcp?tools=all", "/mcp?tools=all", "/mcp?tools=all"],
    ["/mcp?tools=all&x=1", "/mcp?tools=all", "/mcp?tools=all"],
    ["/api/v1/mcp?tools=all", "/api/v1/mcp?tools=all", "/api/v1/mcp?tools=all"],
  ] as const) {
    const refused = await send(server, undefined, "tools/list", {}, 0, path);
    const address = `/.well-known/oauth-protected-resource${metadata}`;
    assert.is(refused.headers.get("www-authenticate"), `Bearer resource_metadata="${url}${address}"`);
    const document: any = await (await server.ask(undefined, address)).json();
    assert.is(document.resource, url + resource);
  }
});

test.after(() => server.stop());
test.run();
