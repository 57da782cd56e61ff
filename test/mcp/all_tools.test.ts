// /mcp?tools=all: which tools it offers, that each returns what REST returns, and that /mcp alone stays as it is.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { fieldsOf } from "../../src/core/http/coercion.ts";
import { requestFields } from "../../src/features/openapi/examples.ts";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { type Case, caseOf, casesOf, sendCase } from "../support/cases.ts";
import { followed } from "../support/list_pages.ts";
import { type Operation, table } from "../support/operations.ts";
import { noisyPng } from "../support/png.ts";
import { assertProtocolError, callTool, resultOf, send } from "../support/rpc.ts";
import { grantDeliveries, seedDataOf } from "../support/seed_data.ts";

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
const keyedTools = new Map<string, any[]>();
/** The tools of both kinds of keys together. */
const submitterToken = mint(store, { production_id: seedData.production, engagement_id: seedData.submitter, scopes });
for (const key of [token, submitterToken])
  keyedTools.set(key, (await resultOf(await send(server, key, "tools/list", {}, 0, all))).tools);
const offered = [...new Map([...keyedTools.values()].flat().map((tool) => [tool.name, tool])).values()];

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
  for (const name of names) assert.ok(name === "get_still" || rowOf(name), `${name} is the name of a row`);
});

test("/mcp keeps the arguments of the specification, and does not know the other tools", async () => {
  const of = (tools: any[], name: string) =>
    Object.keys(tools.find((tool) => tool.name === name).inputSchema.properties);
  const pinned = await toolsAt("/mcp");
  assert.equal(of(pinned, "get_schedule"), ["episode_id"]);
  const further = ["days_of_episode_id", "date", "from", "to", "limit", "after", "total", "fields"];
  assert.equal(of(offered, "get_schedule"), ["episode_id", ...further]);
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
  if (name === "get_still") continue;
  const row = rowOf(name);
  // test/uploads/upload_ids.test.ts and test/graph/external_ids.test.ts call these with files
  if (row.files_in_json === "upload_ids" || row.item_files !== undefined) continue;
  test(`${name} returns what REST returns`, async () => {
    const arrangement = caseOf(cases, name);
    const production_id = arrangement.production ?? seedData.production;
    const engagement_id = row.reach === "bound" ? arrangement.engagement : undefined;
    const key =
      engagement_id === undefined ? keyOf(production_id) : mint(store, { production_id, engagement_id, scopes });
    const whole = "after" in row.input.entries && row.name !== "list_events" ? { limit: 500 } : {};
    const answer = await callTool(server, key, name, { ...whole, ...argumentsOf(row, arrangement) }, all);
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

test("lists exactly the tools that the key may call", async () => {
  const keys = [token, submitterToken, mint(store, { production_id: seedData.production, scopes: ["read"] })];
  for (const key of keys) {
    const names = (await resultOf(await send(server, key, "tools/list", {}, 0, all))).tools.map(
      ({ name }: any) => name,
    );
    assert.ok(names.length > 5 && names.length < offered.length);
    for (const { name } of offered) {
      // An argument that no tool takes: 403 comes before it is checked.
      const answer = await callTool(server, key, name, { id: "x", node_id: "x", delivery_id: "x", files: "x" }, all);
      const detail = answer.status === 403 ? ((await answer.json()) as any).detail : "";
      assert.is(/^(?:key does not have|this key is bound)/.test(detail), !names.includes(name), `${name}: ${detail}`);
    }
  }
  assert.is((await resultOf(await send(server, submitterToken, "tools/list", {}, 0, "/mcp"))).tools.length, 15);
});

test("every description says what the tool returns, and how large a page is at most, and speaks of MCP", () => {
  for (const { name, description, inputSchema } of offered) {
    assert.match(description, /Returns /);
    if (name === "get_still") assert.match(description, /at most 1 MB/);
    assert.is(
      "after" in inputSchema.properties && "limit" in inputSchema.properties,
      /in pages of 50 rows/.test(description) || name === "search",
      name,
    );
    assert.not.match(JSON.stringify([description, inputSchema]), /`?Link`? header|event-stream|If-None-Match/, name);
  }
});

test("annotations say what a call does", () => {
  const of = (name: string) => offered.find((tool) => tool.name === name)?.annotations;
  const [reads, adds] = [
    { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  ];
  assert.equal([of("list_assets"), of("get_still"), of("create_asset")], [reads, reads, adds]);
  assert.equal(of("put_media_proxy"), { ...adds, destructiveHint: true, idempotentHint: true });
  assert.equal(of("create_look_brief"), { ...adds, idempotentHint: true, openWorldHint: true });
});

/** The pages of a list that a tool returns, each with the cursor of the next one. */
const toolPages = (key: string, tool: string, given: object) =>
  followed(
    tool,
    async (after): Promise<{ rows: any[]; after: string | undefined }> => {
      const { content } = await resultOf(await callTool(server, key, tool, { ...given, ...(after && { after }) }, all));
      return { rows: JSON.parse(content[0].text), after: /after=(\S+)$/.exec(content[1]?.text ?? "")?.[1] };
    },
    ({ after }) => after,
  );

test("a list has 50 rows by default and goes on with after, and has only the fields that were asked for", async () => {
  const rows = await server.get(token, "/assets");
  assert.ok(rows.length > 50);
  const seen = [];
  for await (const page of toolPages(token, "list_assets", { fields: "node_id" })) {
    if (page.after !== undefined) assert.is(page.rows.length, 50);
    seen.push(...page.rows);
  }
  assert.equal(
    seen,
    rows.map(({ node_id }: any) => ({ node_id })),
  );
});

test("list_turnovers goes on with after, and skips and repeats no delivery", async () => {
  const granted = grantDeliveries(store, seedData.submitter, 3);
  for (const limit of [1, 2]) {
    const seen: number[] = [];
    for await (const { rows } of toolPages(submitterToken, "list_turnovers", { limit })) {
      const page = rows.map(({ id }) => id);
      assert.equal(page, granted.slice(seen.length, seen.length + limit));
      seen.push(...page);
    }
    assert.equal(seen, granted);
  }
});

test("/mcp takes the inputs of REST that it does not show", async () => {
  const answer = await callTool(server, token, "list_assets", { released: true, fields: "label", limit: 3 }, "/mcp");
  const { content } = await resultOf(answer);
  assert.equal(JSON.parse(content[0].text), await server.get(token, "/assets?released=1&fields=label&limit=3"));
  assert.match(content[1].text, /after=/);
  const whole = await resultOf(await callTool(server, token, "list_assets", {}, "/mcp"));
  assert.equal(JSON.parse(whole.content[0].text), await server.get(token, "/assets"));
  assert.is(whole.content.length, 1);
});

const still = suite("get_still");
const getStill = (media_id: unknown, key = token) => callTool(server, key, "get_still", { media_id }, all);
/** Stores an image as the still of a version, and returns the id of the medium. */
async function storeStill(bytes: Buffer): Promise<number> {
  const form = new FormData();
  form.append("file", new Blob([bytes]), "still");
  const landed = await server.ask(token, `/api/v1/assets/${seedData.asset}/versions`, { method: "POST", body: form });
  const { id } = (await landed.json()) as any;
  return store.database.prepare("SELECT id FROM media WHERE version_id = ?").pluck().get(id) as number;
}

still("returns the bytes of a small JPEG as an image", async () => {
  const id = seedData.releasedStill as number;
  const { content, isError } = await resultOf(await getStill(id));
  assert.is(isError, false);
  assert.equal([content.length, content[0].type, content[0].mimeType], [1, "image", "image/jpeg"]);
  const bytes = await (await server.ask(token, `/api/v1/media/${id}/content`)).arrayBuffer();
  assert.is(content[0].data, Buffer.from(bytes).toString("base64"));
});

still("returns a smaller JPEG of a large image, or says that none can be made", async () => {
  const id = await storeStill(noisyPng(1400, 1000));
  const { content, isError } = await resultOf(await getStill(id));
  if (isError) return void assert.match(content[0].text, /cannot make a small picture/);
  const bytes = Buffer.from(content[0].data, "base64");
  assert.ok(bytes.length <= 1_000_000 && bytes[0] === 0xff && bytes[1] === 0xd8);
});

still("refuses with a sentence what is no picture, or is broken", async () => {
  const text = await storeStill(Buffer.from("not a picture"));
  const { content, isError } = await resultOf(await getStill(text));
  assert.equal([isError, /is .+, not a picture/.test(content[0].text)], [true, true]);
  const broken = await storeStill(Buffer.from("GIF89a and no more"));
  assert.is((await resultOf(await getStill(broken))).isError, true);
});

still("is 404 for what the key does not reach, and -32602 for what is no id", async () => {
  const media = store.database.prepare("SELECT id FROM media ORDER BY id").pluck().all() as number[];
  const listed = (await server.get(submitterToken, "/me/manifest")).media.map(({ id }: any) => id);
  const hidden = media.find((id) => !listed.includes(id)) as number;
  await assertRefused(await getStill(hidden, submitterToken), 404);
  await assertProtocolError(await getStill("7"), -32602);
});

test("a stored answer of one address is not the answer of the other", async () => {
  const date = { date: seedData.shootDate };
  for (let round = 0; round < 2; round++) {
    assert.is((await resultOf(await callTool(server, token, "get_day_bundle", date, all))).isError, false);
    await assertProtocolError(await callTool(server, token, "get_day_bundle", date), -32601);
    assert.is((await toolsAt("/mcp")).length, 15);
    assert.is((await toolsAt(all)).length, keyedTools.get(token)?.length);
  }
});

test("the same is at the path below the API, and with other parameters in the query", async () => {
  for (const path of ["/api/v1/mcp?tools=all", "/mcp?x=1&tools=all"])
    assert.is((await toolsAt(path)).length, keyedTools.get(token)?.length);
  assert.is((await toolsAt("/mcp?x=1")).length, 15);
});

test("another value of tools is 422, after the key is checked", async () => {
  for (const path of ["/mcp?tools=some", "/mcp?tools=", "/mcp?tools=all&tools=none"]) {
    await assertRefused(
      await send(server, token, "tools/list", {}, 0, path),
      422,
      /^tools must be assistant, all or absent/,
    );
    await assertRefused(await send(server, undefined, "tools/list", {}, 0, path), 401);
  }
});

test("a 401 names the metadata of the address, which names the address itself", async () => {
  for (const [path, metadata, resource] of [
    ["/mcp", "", "/mcp"],
    ["/mcp?tools=all", "/mcp?tools=all", "/mcp?tools=all"],
    ["/mcp?tools=all&x=1", "/mcp?tools=all", "/mcp?tools=all"],
    ["/api/v1/mcp?tools=all", "/api/v1/mcp?tools=all", "/api/v1/mcp?tools=all"],
    ["/mcp?tools=assistant", "/mcp?tools=assistant", "/mcp?tools=assistant"],
  ] as const) {
    const refused = await send(server, undefined, "tools/list", {}, 0, path);
    const address = `/.well-known/oauth-protected-resource${metadata}`;
    assert.is(refused.headers.get("www-authenticate"), `Bearer resource_metadata="${url}${address}"`);
    const document: any = await (await server.ask(undefined, address)).json();
    assert.is(document.resource, url + resource);
  }
});

test.run();
still.after(() => server.stop());
still.run();
