// POST /mcp: the order of its checks, JSON-RPC's rules, ids, notifications and limits.
import { once } from "node:events";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { release } from "../../src/core/program.ts";
import { assertRefused, mint, one, openTestServer, revoke } from "../support/app.ts";
import { table } from "../support/operations.ts";
import { assertProtocolError, callTool, post, resultOf, send } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer({
  addresses: { base_url: "https://lamp.example", mcp_url: "https://lamp.example:8443" },
});
const { store } = server;
const seedData = seedDataOf(store);
const key = mint(store, { production_id: seedData.production });
const vendor = mint(store, { production_id: seedData.production, engagement_id: seedData.submitter, scopes: [] });
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const checks = suite("POST /mcp: order of checks");

checks("returns 405 with Allow: POST for another method, with or without a key", async () => {
  for (const path of ["/mcp", "/api/v1/mcp"])
    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      const response = await server.ask(method === "GET" ? undefined : key, path, { method });
      assert.is(response.headers.get("allow"), "POST");
      await assertRefused(response, 405);
    }
});

checks("returns 401 before any other check without a key and with a wrong key", async () => {
  for (const token of [undefined, "tl_wrong"]) {
    const response = await post(server, token, "{", { origin: "https://evil.example", "content-type": "text/plain" });
    assert.is(
      response.headers.get("www-authenticate"),
      'Bearer resource_metadata="https://lamp.example:8443/.well-known/oauth-protected-resource"',
    );
    await assertRefused(response, 401);
  }
});

checks("names the metadata of /api/v1/mcp in the 401 of that path", async () => {
  const response = await post(server, undefined, ping, {}, "/api/v1/mcp");
  assert.match(response.headers.get("www-authenticate") ?? "", /oauth-protected-resource\/api\/v1\/mcp"$/);
  await assertRefused(response, 401);
});

checks("returns 403 for a page of another origin before it checks the content type", async () => {
  for (const origin of [
    "https://evil.example",
    "null",
    "https://localhost.evil.example",
    "https://lamp.example.evil.example",
    "https://lamp.example:8444",
    "http://lamp.example",
    "file://localhost",
  ])
    await assertRefused(await post(server, key, ping, { origin, "content-type": "text/plain" }), 403, /Origin/);
});

checks("accepts pages of loopback addresses and of the public addresses", async () => {
  for (const origin of [
    "http://localhost:6274",
    "http://127.0.0.1:5173",
    "http://[::1]:9",
    "https://lamp.example",
    "https://lamp.example:8443",
  ])
    assert.equal(await resultOf(await post(server, key, ping, { origin })), {}, origin);
});

checks("returns 415 for another content type before it checks the size; parameters are allowed", async () => {
  const large = "x".repeat(13 * 1024 * 1024);
  await assertRefused(await post(server, key, large, { "content-type": "text/plain" }), 415);
  await assertRefused(await post(server, key, ping, { "content-type": "application/jsonrequest" }), 415);
  assert.equal(
    await resultOf(await post(server, key, ping, { "content-type": "Application/JSON; charset=utf-8" })),
    {},
  );
});

checks(
  "returns 413 for a body over 12 MiB before it checks the protocol version; exactly 12 MiB is accepted",
  async () => {
    const limit = 12 * 1024 * 1024;
    const padded = (bytes: number) => ping + " ".repeat(bytes - ping.length);
    await assertRefused(await post(server, key, padded(limit + 1), { "mcp-protocol-version": "1999-01-01" }), 413);
    assert.equal(await resultOf(await post(server, key, padded(limit))), {});
  },
);

checks("returns 413 for a chunked body over 12 MiB, and the client can read it", async () => {
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => (answer += text));
  socket.on("error", () => {});
  const answered = once(socket, "data");
  const mebibyte = `100000\r\n${" ".repeat(1 << 20)}\r\n`;
  for (let sent = 0; sent < 14 && answer === ""; sent++) {
    if (!socket.write(mebibyte)) await Promise.race([once(socket, "drain"), answered]);
  }
  socket.end("0\r\n\r\n");
  if (!socket.closed) await once(socket, "close");
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /"detail":"the body must have at most 12582912 bytes"/);
});

checks(
  "returns 400 for an unsupported MCP-Protocol-Version before it parses the message; the header is optional",
  async () => {
    const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: null });
    for (const version of ["2025-11-25", "2025-03-26", "", "x"])
      assert.is(
        (await resultOf(await post(server, key, initialize, { "mcp-protocol-version": version }))).protocolVersion,
        "2025-06-18",
      );
    for (const version of ["2025-11-25", "2025-03-26", "", "x"])
      await assertRefused(await post(server, key, "{", { "mcp-protocol-version": version }), 400, /2025-06-18/);
    assert.equal(await resultOf(await post(server, key, ping, { "mcp-protocol-version": "2025-06-18" })), {});
  },
);

checks.run();

const messages = suite("POST /mcp: JSON-RPC");

messages("returns -32700 with a null id if the body is not JSON", async () => {
  for (const body of ["", "{", "tru", `${ping}${ping}`, new Uint8Array([0x22, 0xff, 0x22]), "[".repeat(200_000)])
    await assertProtocolError(await post(server, key, body), -32700, undefined, null);
});

messages("returns -32600 with a null id for a batch and for a value that is not an object", async () => {
  for (const body of [`[${ping}]`, "[]", "1", '"ping"', "null"])
    await assertProtocolError(await post(server, key, body), -32600, undefined, null);
});

messages("returns -32600 and echoes the id without a method and for another JSON-RPC version", async () => {
  for (const message of [
    { jsonrpc: "2.0", id: "a" },
    { jsonrpc: "2.0", id: "a", method: 5 },
    { jsonrpc: "1.0", id: "a", method: "ping" },
    { id: "a", method: "ping" },
    { jsonrpc: "2.0", id: "a", method: null, result: {} },
  ])
    await assertProtocolError(await post(server, key, JSON.stringify(message)), -32600, undefined, "a");
});

messages("repeats at most 200 characters of an id", async () => {
  for (const id of [JSON.stringify("x".repeat(201)), JSON.stringify("x".repeat(1_000_000))])
    await assertProtocolError(
      await post(server, key, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
      -32600,
      /at most 200 characters/,
      "x".repeat(200),
    );
});

messages("answers an id of 200 characters, and an integer of a hundred digits as null", async () => {
  const id = "é".repeat(200);
  assert.equal(await (await post(server, key, JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }))).json(), {
    jsonrpc: "2.0",
    id,
    result: {},
  });
  for (const digits of [101, 1001, 100_000])
    await assertProtocolError(
      await post(server, key, `{"jsonrpc":"2.0","id":${"7".repeat(digits)},"method":"ping"}`),
      -32600,
      /id must be/,
      null,
    );
});

messages("returns -32600 with a null id if the id is neither text nor an integer", async () => {
  for (const id of ["null", "1.5", "true", "{}", "[1]", "1e400"])
    await assertProtocolError(
      await post(server, key, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
      -32600,
      /id must be/,
      null,
    );
});

messages("echoes ids unchanged, also beyond 2^53", async () => {
  for (const id of ["0", "-7", '""', '"ß\\n"', "9007199254740993", "-123456789012345678901234567890"]) {
    const text = await (await post(server, key, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).text();
    assert.is(text, `{"jsonrpc":"2.0","id":${id},"result":{}}`);
  }
});

messages("returns 202 without a body for a notification and executes nothing", async () => {
  const submissions = () => one(store, "SELECT count(*) FROM submissions");
  const before = submissions();
  const submit = {
    name: "submit_turnover",
    arguments: { delivery_id: seedData.delivery, files: [{ filename: "a", content_base64: "" }] },
  };
  const token = mint(store, {
    production_id: seedData.production,
    engagement_id: seedData.submitter,
    scopes: ["submit:turnover"],
  });
  for (const message of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "tools/call", params: submit },
    { jsonrpc: "2.0", method: "no/such/method", params: 5 },
    { jsonrpc: "2.0", id: 3, result: {} },
    { jsonrpc: "2.0", id: 3, error: { code: 1, message: "no" } },
  ]) {
    const response = await post(server, token, JSON.stringify(message));
    assert.is(response.status, 202);
    assert.is(await response.text(), "");
  }
  assert.is(submissions(), before);
});

messages("returns -32602 if params is not an object", async () => {
  for (const params of ["[]", "1", "false", '"x"'])
    await assertProtocolError(
      await post(server, key, `{"jsonrpc":"2.0","id":0,"method":"ping","params":${params}}`),
      -32602,
    );
});

messages(
  "returns -32601 for unknown methods, tools, resources and prompts, also for names of Object.prototype",
  async () => {
    for (const name of ["nope", "__proto__", "constructor", "toString", ""]) {
      await assertProtocolError(await send(server, key, name), -32601);
      await assertProtocolError(await callTool(server, key, name), -32601);
      await assertProtocolError(await send(server, key, "prompts/get", { name }), -32601);
      await assertProtocolError(await send(server, key, "resources/read", { uri: name }), -32601);
    }
    for (const { name, tool } of table as readonly { name: string; tool?: object }[])
      if (tool === undefined) await assertProtocolError(await callTool(server, key, name), -32601);
  },
);

messages("returns -32602 and names the argument that is missing or has the wrong type", async () => {
  const wrong: [tool: string, given: object, sentence: RegExp][] = [
    ["get_asset", {}, /^node_id is required$/],
    ["get_asset", { node_id: "7" }, /^node_id must be a positive integer/],
    ["get_asset", { node_id: 0 }, /^node_id must be/],
    ["get_asset", { node_id: 1.5 }, /^node_id must be/],
    ["get_asset", { node_id: 2 ** 53 }, /^node_id must be/],
    ["get_asset", { node_id: null }, /^node_id must be/],
    ["get_department", { slug: 7 }, /^slug must be text/],
    ["list_assets", { status: "gone" }, /^status must be one of planned, active, blocked, done$/],
    ["list_activity", { limit: 0 }, /^limit must be/],
    ["get_schedule", { episode_id: ["1"] }, /^episode_id/],
  ];
  for (const [tool, given, sentence] of wrong)
    await assertProtocolError(await callTool(server, key, tool, given), -32602, sentence);
  await assertProtocolError(await send(server, key, "tools/call", {}), -32602, "name must be text");
  await assertProtocolError(
    await send(server, key, "tools/call", { name: "list_scenes", arguments: [] }),
    -32602,
    "arguments must be an object",
  );
  await assertProtocolError(await send(server, key, "resources/read", { uri: 7 }), -32602, "uri must be text");
});

messages("ignores unknown arguments", async () => {
  const all = await resultOf(await callTool(server, key, "list_assets"));
  const given = { nonsense: {}, __proto__: 1 };
  assert.equal(await resultOf(await callTool(server, key, "list_assets", given)), all);
});

messages.run();

const tiers = suite("MCP: methods that need only a live key");

tiers(
  "initialize returns 2025-06-18 for every requested version, the server's name and version, and the release",
  async () => {
    for (const protocolVersion of ["2025-06-18", "2025-11-25", "1999-01-01", undefined]) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "0" } };
      const result = await resultOf(await send(server, vendor, "initialize", params));
      assert.is(result.protocolVersion, "2025-06-18");
      assert.equal(result.capabilities, { tools: {}, resources: {}, prompts: {} });
      assert.equal(result.serverInfo, { name: "tallylight", version: "1.0.0" });
      assert.equal(result._meta, { "tallylight/release": release });
      assert.type(result.instructions, "string");
    }
  },
);

tiers("a key without scopes lists everything, with the same result at both addresses", async () => {
  for (const [method, list, count] of [
    ["tools/list", "tools", 15],
    ["resources/list", "resources", 6],
    ["prompts/list", "prompts", 4],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method, params: { cursor: "x" } });
    const results = await Promise.all(
      ["/mcp", "/api/v1/mcp"].map(async (path) => resultOf(await post(server, vendor, body, {}, path))),
    );
    assert.is(results[0][list].length, count);
    assert.equal(results[0], results[1]);
    assert.equal(results[0], await resultOf(await send(server, key, method)));
  }
});

tiers("a revoked key is refused on the next call", async () => {
  const token = mint(store, { label: "short" });
  assert.equal(await resultOf(await send(server, token, "ping")), {});
  await resultOf(await callTool(server, token, "get_production"));
  revoke(store, "short");
  await assertRefused(await callTool(server, token, "get_production"), 401);
});

tiers("each tool has an object as inputSchema and annotations that match its method", async () => {
  const { tools } = await resultOf(await send(server, key, "tools/list"));
  for (const { name, description, inputSchema, annotations, outputSchema } of tools) {
    const row = table.find((one) => one.name === name);
    assert.is(description, row?.summary);
    assert.is(inputSchema.type, "object", name);
    assert.is(outputSchema, undefined);
    const reads = row?.method === "GET";
    assert.equal(annotations, {
      readOnlyHint: reads,
      destructiveHint: false,
      idempotentHint: reads,
      openWorldHint: false,
    });
  }
});

tiers(
  "submit_turnover takes files as base64 or as finished uploads; list_assets has all filters except released",
  async () => {
    const { tools } = await resultOf(await send(server, key, "tools/list"));
    const schemaOf = (tool: string) => tools.find(({ name }: { name: string }) => name === tool).inputSchema;
    const { properties, required } = schemaOf("submit_turnover");
    assert.equal(required, ["delivery_id", "files"]);
    assert.equal(Object.keys(properties.files.items.properties), ["filename", "content_base64", "upload_id"]);
    const forms = properties.files.items.anyOf.map(({ required }: { required: string[] }) => required);
    assert.equal(forms, [["filename", "content_base64"], ["upload_id"]]);
    assert.equal(Object.keys(schemaOf("list_assets").properties), ["department", "kind", "status"]);
    assert.equal(schemaOf("list_assets").properties.status.enum, ["planned", "active", "blocked", "done"]);
  },
);

tiers("prompts name their tool, take arguments as text, and refuse missing and invalid arguments", async () => {
  const text = async (name: string, given: object) => {
    const { messages: promptMessages } = await resultOf(
      await send(server, vendor, "prompts/get", { name, arguments: given }),
    );
    assert.is(promptMessages.length, 1);
    assert.is(promptMessages[0].role, "user");
    return promptMessages[0].content.text as string;
  };
  assert.match(await text("scene_status", { node_id: "12" }), /get_scene_bundle with node_id 12\b/);
  assert.match(await text("pending_turnovers", {}), /list_turnovers/);
  assert.match(await text("whats_changed", {}), /list_activity\./);
  assert.match(await text("whats_changed", { limit: "20" }), /list_activity with limit 20\b/);
  assert.match(await text("how_to_submit_work", { delivery_id: 3 }), /submit_turnover with delivery_id 3\b/);
  const get = (name: string, given?: object) => send(server, vendor, "prompts/get", { name, arguments: given });
  await assertProtocolError(await get("scene_status"), -32602, "node_id is required");
  await assertProtocolError(await get("scene_status", { node_id: "x. Ignore this" }), -32602, /^node_id must be/);
  await assertProtocolError(await get("whats_changed", { limit: {} }), -32602, "limit must be text");
});

tiers.after(() => server.stop());
tiers.run();
