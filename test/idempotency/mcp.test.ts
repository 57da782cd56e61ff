// Idempotency-Key over MCP: the header of a tools/call and the argument of a tool that writes stand for one request of
// one API key, as over REST.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allOperations } from "../../src/core/operation_table.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { assertProtocolError, callTool, post, resultOf, send } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, delivery, submitterKey } = seedDataOf(store);
const vendor = mint(store, submitterKey);
const member = mint(store, { production_id: production });
const all = "/mcp?tools=all";

/** Calls a tool under a header. */
const under = (header: string, token: string, name: string, given: object, path = "/mcp"): Promise<Response> => {
  const message = { jsonrpc: "2.0", id: 0, method: "tools/call", params: { name, arguments: given } };
  return post(server, token, JSON.stringify(message), { "idempotency-key": header }, path);
};
const overRest = (header: string, path: string, body: object | FormData, token = member): Promise<Response> =>
  server.ask(token, `/api/v1${path}`, {
    method: "POST",
    body: body instanceof FormData ? body : JSON.stringify(body),
    headers: { "idempotency-key": header, ...(!(body instanceof FormData) && { "content-type": "application/json" }) },
  });
const count = (table: string) => one(store, `SELECT count(*) FROM ${table}`);
const work = (filename = "comp.exr") => ({
  delivery_id: delivery,
  title: "Comp",
  files: [{ filename, content_base64: Buffer.from("pixels").toString("base64") }],
});
const otherRequest = "Idempotency-Key was used for another request; send a new key with each new request";

const repeats = suite("a repeated tools/call");

repeats("under one header submits once, at every set of tools", async () => {
  for (const [at, path] of ["/mcp", all, "/mcp?tools=assistant"].entries()) {
    const before = count("submissions");
    const submit = async () => resultOf(await under(`header ${at}`, vendor, "submit_turnover", work(), path));
    const first = await submit();
    assert.is(count("submissions"), before + 1);
    assert.equal(await submit(), first);
    assert.is(count("submissions"), before + 1, path);
  }
});

repeats("with one idempotency_key submits once, and a new one submits again", async () => {
  const before = count("submissions");
  const submit = async (idempotency_key: string | null) =>
    resultOf(await callTool(server, vendor, "submit_turnover", { ...work(), idempotency_key }, all));
  const first = await submit("argument");
  assert.equal(await submit("argument"), first);
  assert.is(count("submissions"), before + 1);
  await submit("another argument");
  await submit(null);
  assert.is(count("submissions"), before + 3);
});

repeats("is the same request as over REST, in both directions", async () => {
  const asset = await (await overRest("both ways", "/assets", { label: "Lantern", kind: "prop" })).json();
  const given = { label: "Lantern", kind: "prop" };
  const tool = await resultOf(await under("both ways", member, "create_asset", given, all));
  assert.equal(tool.structuredContent, asset);
  const made = await resultOf(await under("the other way", vendor, "submit_turnover", work("a.exr")));
  const form = new FormData();
  form.append("title", "Comp");
  form.append("files", new Blob(["pixels"]), "a.exr");
  const before = count("submissions");
  const rest = await overRest("the other way", `/turnovers/${delivery}/submissions`, form, vendor);
  assert.is(rest.headers.get("idempotency-replayed"), "true");
  assert.equal(await rest.json(), made.structuredContent);
  assert.is(count("submissions"), before);
});

repeats("with another request is refused as over REST, and changes nothing", async () => {
  await resultOf(await under("one request", member, "create_asset", { label: "Oar", kind: "prop" }, all));
  const before = count("nodes");
  for (const [name, given] of [
    ["create_asset", { label: "Rudder", kind: "prop" }],
    [
      "create_note",
      {
        node_id: one(store, "SELECT min(id) FROM nodes WHERE kind = 'prop' AND production_id = ?", production),
        text: "x",
      },
    ],
  ] as const) {
    const result = await resultOf(await under("one request", member, name, given, all));
    assert.equal([result.isError, result.content[0].text], [true, otherRequest], name);
  }
  await assertRefused(await overRest("one request", "/assets", { label: "Rudder", kind: "prop" }), 422, otherRequest);
  assert.is(count("nodes"), before);
});

repeats("of another API key is another request", async () => {
  const other = mint(store, { production_id: production });
  const before = count("nodes");
  for (const token of [member, other])
    await resultOf(await under("whose", token, "create_asset", { label: "Buoy", kind: "prop" }, all));
  assert.is(count("nodes"), before + 2);
});

repeats("that comes while the first runs is refused, or gets its answer: it submits once", async () => {
  const before = count("submissions");
  const results = await Promise.all(
    Array.from({ length: 8 }, async () => resultOf(await under("at once", vendor, "submit_turnover", work()))),
  );
  assert.is(count("submissions"), before + 1);
  for (const { isError, content } of results)
    if (isError) assert.is(content[0].text, "a request with this Idempotency-Key is still running; try again");
});

repeats("after a refusal runs", async () => {
  const refused = await under("after a refusal", member, "create_asset", { label: "Keel", kind: "scene" }, all);
  await assertProtocolError(refused, -32602, /scene/);
  const made = await under("after a refusal", member, "create_asset", { label: "Keel", kind: "prop" }, all);
  assert.is((await resultOf(made)).isError, false);
});

repeats("names a key that is not text, differs from the header, or is malformed", async () => {
  const given = { label: "Mast", kind: "prop" };
  const before = count("nodes");
  await assertProtocolError(
    await under("a header", member, "create_asset", { ...given, idempotency_key: "other" }, all),
    -32602,
    "idempotency_key differs from the header Idempotency-Key",
  );
  await assertProtocolError(
    await callTool(server, member, "create_asset", { ...given, idempotency_key: 7 }, all),
    -32602,
    "idempotency_key must be text",
  );
  for (const idempotency_key of ["", "é", "x".repeat(256)]) {
    const { isError, content } = await resultOf(
      await callTool(server, member, "create_asset", { ...given, idempotency_key }, all),
    );
    assert.equal([isError, content[0].text], [true, "Idempotency-Key must have 1 to 255 printable ASCII characters"]);
  }
  assert.is(count("nodes"), before);
  const listed = await resultOf(await under("", member, "list_assets", {}, all));
  assert.is(listed.isError, false, "a read takes none");
});

const listing = suite("tools/list");

listing("shows idempotency_key for the tools that write, in a set of tools", async () => {
  const methods = new Map((await allOperations()).map(({ name, method }) => [name, method]));
  for (const path of ["/mcp", "/mcp?tools=assistant", all]) {
    const { tools } = await resultOf(await send(server, member, "tools/list", {}, 0, path));
    for (const { name, inputSchema } of tools) {
      const isShown = path !== "/mcp" && methods.get(name) === "POST";
      assert.is("idempotency_key" in inputSchema.properties, isShown, `${name} ${path}`);
    }
  }
});

const parts = suite("a form");

parts("with two parts of a file where one is taken is refused, and stores nothing", async () => {
  const asset = one(store, "SELECT node_id FROM versions WHERE production_id = ? LIMIT 1", production);
  const before = [count("versions"), count("blobs")];
  const form = new FormData();
  for (const name of ["a.jpg", "b.jpg"]) form.append("file", new Blob([name]), name);
  form.append("note", "two");
  const sent = await server.ask(member, `/api/v1/assets/${asset}/versions`, { method: "POST", body: form });
  await assertRefused(sent, 422, "file must be one file, not 2: the form has 2 parts file");
  assert.equal([count("versions"), count("blobs")], before);
});

repeats.run();
listing.run();
parts.after(() => server.stop());
parts.run();
