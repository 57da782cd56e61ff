// Whole answers, batches and ids of other programs over MCP: what the tools answer is what REST answers.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { assertProtocolError, callTool, resultOf } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const { production: production_id, delivery, submitter: engagement_id } = seedData;
const member = mint(store, { production_id });
const reader = mint(store, { production_id, scopes: ["read"] });
const vendor = mint(store, { production_id, engagement_id, scopes });
const sets = ["/mcp?tools=all", "/mcp?tools=assistant", "/mcp"];
const [all = ""] = sets;

/** The text that a tool answers, which must be no error. */
async function textOf(token: string, name: string, given: object, path = all): Promise<string> {
  const { content, isError } = await resultOf(await callTool(server, token, name, given, path));
  assert.is(isError, false, content[0].text);
  return content[0].text;
}
const answer = async (token: string, name: string, given: object, path = all): Promise<any> =>
  JSON.parse(await textOf(token, name, given, path));
const restText = async (token: string, path: string) => (await server.ask(token, `/api/v1${path}`)).text();
/** The sentence of a tool that refuses after it began. */
async function refusal(token: string, name: string, given: object, path = all): Promise<string> {
  const { content, isError } = await resultOf(await callTool(server, token, name, given, path));
  assert.is(isError, true, content[0].text);
  return content[0].text;
}
const count = (table: string) => one(store, `SELECT count(*) FROM ${table}`);

const reads = suite("reads over MCP");

reads("GET /media and GET /submissions are those of REST, for a key that may read", async () => {
  assert.is(await textOf(reader, "list_media", { limit: 500 }), await restText(reader, "/media?limit=500"));
  assert.is(
    await textOf(reader, "list_all_submissions", { limit: 500 }),
    await restText(reader, "/submissions?limit=500"),
  );
  await assertRefused(await callTool(server, vendor, "list_media", {}, all), 403, /bound to an engagement/);
});

reads("list_turnovers takes status and due_before", async () => {
  const rows: Row[] = await answer(vendor, "list_turnovers", {});
  const { status, due } = rows.find((row) => row.due !== undefined) ?? {};
  const later = `${Number(due.slice(0, 4)) + 1}${due.slice(4)}`;
  for (const [given, kept] of [
    [{ status }, (row: Row) => row.status === status],
    [{ due_before: later }, (row: Row) => row.due < later],
    [{ due_before: due }, (row: Row) => row.due < due],
  ] as const)
    for (const path of sets) assert.equal(await answer(vendor, "list_turnovers", given, path), rows.filter(kept));
  const wrong = await callTool(server, vendor, "list_turnovers", { status: "late" }, all);
  await assertProtocolError(wrong, -32602, /^status must be/);
});

reads("a date without a shoot day is refused with the next or the last one, as over REST", async () => {
  for (const date of ["1999-01-01", "2999-01-01"]) {
    const detail = await assertRefused(await server.ask(reader, `/api/v1/bundles/day?date=${date}`), 404);
    assert.match(detail, /^no shoot day on \d{4}-01-01; the (?:next|last) one is day \d+, \d{4}-\d\d-\d\d$/);
    for (const path of sets.slice(0, 2))
      await assertRefused(await callTool(server, reader, "get_day_bundle", { date }, path), 404, detail);
  }
});

const submitting = suite("submit_turnover");
const work = (content: string, more: object = {}) => ({
  delivery_id: delivery,
  files: [{ filename: "a.txt", content_base64: Buffer.from(content).toString("base64") }],
  ...more,
});

submitting("takes answers, whose media have hash, size and type, with every set of tools", async () => {
  for (const path of sets) {
    const first = await answer(vendor, "submit_turnover", work("first"), path);
    assert.equal([first.answers, first.decided_at, first.decided_by], [null, null, null]);
    const second = await answer(vendor, "submit_turnover", work("second", { answers: first.id }), path);
    assert.is(second.answers, first.id);
    const [{ id, sha256, size, content_type }] = second.media;
    const medium = await server.get<Row>(vendor, `/media/${id}`);
    assert.equal([sha256, size, content_type], [medium.sha256, medium.size, medium.content_type]);
    const rows = await server.get<Row[]>(vendor, `/turnovers/${delivery}/submissions?limit=500`);
    assert.is(rows.find((row) => row.id === second.id)?.answers, first.id);
  }
});

submitting("refuses every other id in answers by one sentence, and stores nothing", async () => {
  const other = store.writeSync(() =>
    store.database
      .prepare(
        `INSERT INTO submissions (production_id, delivery_id, engagement_id, status, title, created_at)
         VALUES (?, ?, ?, 'submitted', 'Of another vendor', '2026-11-19T00:00:00.000Z') RETURNING id`,
      )
      .pluck()
      .get(production_id, delivery, seedData.reader),
  );
  const elsewhere = one(store, "SELECT id FROM submissions WHERE delivery_id <> ? LIMIT 1", delivery);
  const before = count("submissions");
  const sentence = "answers must be the id of an earlier submission of this engagement on this delivery";
  for (const answers of [other, elsewhere, 999_999]) {
    assert.is(await refusal(vendor, "submit_turnover", work("x", { answers })), sentence);
    const body = new FormData();
    body.append("answers", String(answers));
    body.append("files", new Blob(["x"]), "a.txt");
    const path = `/api/v1/turnovers/${delivery}/submissions`;
    await assertRefused(await server.ask(vendor, path, { method: "POST", body }), 422, sentence);
  }
  assert.is(count("submissions"), before);
});

submitting("under an external_id again answers what is stored, and is that of REST", async () => {
  for (const [at, path] of sets.entries()) {
    const named = { external_id: `mcp-${at}` };
    const first = await answer(vendor, "submit_turnover", work("named", named), path);
    const before = count("submissions");
    assert.equal(await answer(vendor, "submit_turnover", work("named", named), path), { ...first, repeated: true });
    const body = new FormData();
    body.append("external_id", named.external_id);
    body.append("files", new Blob(["named"]), "b.txt");
    const rest = await server.ask(vendor, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
    assert.equal(await rest.json(), { ...first, repeated: true });
    assert.match(
      await refusal(vendor, "submit_turnover", work("other", named), path),
      /^external_id "mcp-\d" is that of/,
    );
    assert.is(count("submissions"), before);
  }
});

submitting("the decision has its time and the name of the person of the key", async () => {
  const person = one(store, "SELECT id FROM people WHERE production_id = ? AND active LIMIT 1", production_id);
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person);
  const { id } = await answer(vendor, "submit_turnover", work("to decide"));
  const token = mint(store, { production_id, person_id: person });
  const decided = await answer(token, "decide_submission", { id, decision: "accepted" });
  assert.is(decided.decided_by, name);
  assert.ok(decided.decided_at);
  const [row] = (await server.get<Row[]>(reader, "/submissions?limit=500")).filter((one) => one.id === id);
  assert.equal([row?.decided_by, row?.decided_at], [name, decided.decided_at]);
});

const writes = suite("batches, ids and statuses over MCP");

writes("create_asset and create_assets repeat by external_id, and a refusal names the item", async () => {
  const lamp = { label: "Tool lamp", kind: "prop", external_id: "t-1" };
  const first = await answer(member, "create_asset", lamp);
  const before = count("nodes");
  assert.equal(await answer(member, "create_asset", lamp), { ...first, repeated: true });
  assert.equal(
    (await answer(member, "create_assets", { assets: [lamp] })).map(({ node_id, repeated }: Row) => [
      node_id,
      repeated,
    ]),
    [[first.node_id, true]],
  );
  const other = { ...lamp, label: "Another" };
  assert.match(await refusal(member, "create_asset", other), /^external_id "t-1" is that of asset/);
  assert.match(
    await refusal(member, "create_assets", { assets: [{ label: "New" }, other] }),
    /^assets\[1\]\.external_id "t-1" is that of asset/,
  );
  assert.is(count("nodes"), before);
  assert.equal(
    (await answer(member, "list_assets", { external_id: "t-1" })).map(({ node_id }: Row) => node_id),
    [first.node_id],
  );
});

writes("list_versions takes external_id", async () => {
  const { node_id } = await answer(member, "create_asset", { label: "With a version" });
  const body = new FormData();
  body.append("external_id", "tv-1");
  body.append("file", new Blob([jpeg(16, 16) as Uint8Array<ArrayBuffer>]), "a.jpg");
  const landed = await server.ask(member, `/api/v1/assets/${node_id}/versions`, { method: "POST", body });
  const { id } = (await landed.json()) as Row;
  const idsOf = async (external_id: string) =>
    (await answer(member, "list_versions", { node_id, external_id })).map((row: Row) => row.id);
  assert.equal([await idsOf("tv-1"), await idsOf("tv-2")], [[id], []]);
});

writes("set_asset_status answers the list row, refuses another if_status, and again changes nothing", async () => {
  const { node_id } = await answer(member, "create_asset", { label: "Tool status lamp" });
  const before = count("change_sets");
  const set = (more: object) => ({ node_id, status: "active", ...more });
  const row = await answer(member, "set_asset_status", set({ if_status: "planned" }));
  assert.equal(
    row,
    (await server.get<Row[]>(member, "/assets")).find((one) => one.node_id === node_id),
  );
  assert.is(
    await refusal(member, "set_asset_status", set({ if_status: "planned" })),
    "the status is active, not planned; nothing was changed",
  );
  assert.equal(await answer(member, "set_asset_status", set({})), row);
  assert.is(count("change_sets"), before + 1);
  await assertRefused(await callTool(server, reader, "set_asset_status", set({}), all), 403);
});

reads.run();
submitting.run();
writes.after(() => server.stop());
writes.run();
