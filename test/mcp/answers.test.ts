// MCP and REST return the same: for every tool and resource, every key shape and scope set, the document is the REST
// body, and an error has the status and body of REST.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Scope, scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { type Operation, table } from "../support/operations.ts";
import { isThorough } from "../support/proportion.ts";
import { callTool, post, resultOf, send } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const ids = (sql: string) => store.database.prepare(sql).pluck().all() as (number | string)[];

/** A quick run asks for a quarter of the departments, scenes and characters. */
const oneIn = isThorough ? 1 : 4;

/** Arguments for each tool: ids of the production, of the other production, and unknown ones. */
const given: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  get_department: [...ids(`SELECT slug FROM departments WHERE id % ${oneIn} = 0`), "no-such-department"].map(
    (slug) => ({ slug }),
  ),
  list_assets: [
    {},
    { status: "active" },
    { kind: "character" },
    { department: seedData.department },
    { department: "nowhere", kind: "greens", status: "done" },
  ],
  get_asset: [...ids(`SELECT id FROM nodes WHERE id % ${30 * oneIn} = 0`), seedData.asset, 999_999].map((node_id) => ({
    node_id,
  })),
  get_schedule: [{}, { episode_id: 1 }, { episode_id: [1, 2] }],
  list_approvals: [{}, { status: "pending" }, { status: "rejected" }],
  list_activity: [{}, { limit: 3 }, { limit: 9000 }],
  get_scene_bundle: [
    ...ids(`SELECT id FROM nodes WHERE kind = 'scene' AND id % ${11 * oneIn} = 0`),
    seedData.scene,
    seedData.asset,
    999_999,
  ].map((node_id) => ({ node_id })),
  get_character_bundle: [
    seedData.character,
    ...ids(`SELECT id FROM nodes WHERE kind = 'character' AND id % ${oneIn} = 0`),
    999_999,
  ].map((node_id) => ({
    node_id,
  })),
};

const argumentsOf = ({ name }: Operation): readonly Record<string, unknown>[] => given[name] ?? [{}];

/** The REST address of the same call. */
function addressOf({ path }: Operation, fields: Record<string, unknown>): string {
  const query = new URLSearchParams();
  const filled = Object.entries(fields).reduce((text, [name, value]) => {
    if (text.includes(`:${name}`)) return text.replace(`:${name}`, String(value));
    for (const part of [value].flat()) query.append(name, String(part));
    return text;
  }, path);
  return `/api/v1${filled}?${query}`;
}

const production = (engagement_id: number | null) =>
  engagement_id === null
    ? seedData.production
    : one(store, "SELECT production_id FROM engagements WHERE id = ?", engagement_id);

const shapes = new Map<string, number | null>([
  ["production-wide", null],
  ["submitter", seedData.submitter],
  ["reader", seedData.reader],
  ["scene's grantee", seedData.sceneGrantee],
  ["character's grantee", seedData.characterGrantee],
  ["money's grantee", seedData.moneyGrantee],
]);
const shapesOfScopes: readonly (readonly Scope[])[] = [[], ["read"], ["write", "read:money"], scopes];

/** Every combination of operation and status that occurred, to check at the end that the cases cover both. */
const seen = new Set<string>();
const same = suite("MCP and REST return the same");
const reads = (table as readonly Operation[]).filter(({ tool, method }) => tool && method === "GET");

for (const [shape, engagement_id] of shapes)
  for (const held of shapesOfScopes) {
    const token = mint(store, { production_id: production(engagement_id), engagement_id, scopes: held });
    same(`for a ${shape} key with ${held.join(", ") || "no scope"}`, async () => {
      for (const row of reads)
        for (const fields of argumentsOf(row)) {
          const place = `${row.name} ${JSON.stringify(fields)}`;
          const rest = await server.ask(token, addressOf(row, fields));
          const body = await rest.text();
          // Twice, because the second response comes from the cache.
          for (let turn = 0; turn < 2; turn++) {
            const answer = await callTool(server, token, row.name, fields);
            const text = await answer.text();
            assert.is(answer.status, rest.status, place);
            seen.add(`${row.name} ${answer.status}`);
            if (rest.status !== 200) assert.is(text, body, place);
            else assertDocument(text, body, place);
          }
        }
    });
  }

function assertDocument(text: string, body: string, place: string): void {
  const { result } = JSON.parse(text);
  assert.equal(result.content, [{ type: "text", text: body }], place);
  assert.is(result.isError, false, place);
  const document = JSON.parse(body);
  if (Array.isArray(document)) assert.not.ok("structuredContent" in result, place);
  else assert.equal(result.structuredContent, document, place);
}

for (const [shape, engagement_id] of shapes)
  for (const held of [[], ["read"]] as const)
    same(`for resources, with a ${shape} key and ${held.join() || "no scope"}`, async () => {
      const token = mint(store, { production_id: production(engagement_id), engagement_id, scopes: held });
      for (const { resource, path } of table as readonly Operation[]) {
        if (resource === undefined) continue;
        const rest = await server.ask(token, `/api/v1${path}`);
        const body = await rest.text();
        for (let turn = 0; turn < 2; turn++) {
          const answer = await send(server, token, "resources/read", { uri: resource });
          const text = await answer.text();
          assert.is(answer.status, rest.status);
          if (rest.status !== 200) assert.is(text, body);
          else
            assert.equal(JSON.parse(text).result, {
              contents: [{ uri: resource, mimeType: "application/json", text: body }],
            });
        }
      }
    });

same("does not return a cached response after a write, to another key or for other arguments", async () => {
  const token = mint(store, { production_id: seedData.production });
  const count = async () => JSON.parse((await resultOf(await callTool(server, token, "list_assets"))).content[0].text);
  const before = (await count()).length;
  await server.ask(token, "/api/v1/assets", {
    method: "POST",
    body: JSON.stringify({ label: "Lantern" }),
    headers: { "content-type": "application/json" },
  });
  assert.is((await count()).length, before + 1);
  const other = mint(store, { production_id: seedData.otherProduction });
  const answer = await callTool(server, other, "list_assets");
  assert.is((await resultOf(answer)).content[0].text, await (await server.ask(other, "/api/v1/assets")).text());
});

same("a response from the cache has the id of its own request, wherever the message has it", async () => {
  const token = mint(store, { production_id: seedData.production });
  const call = '"method":"tools/call","params":{"name":"get_production","arguments":{}}';
  const forms: ((id: string) => string)[] = [
    (id) => `{"jsonrpc":"2.0","id":${id},${call}}`,
    (id) => `{${call},"jsonrpc":"2.0","id":${id}}`,
    (id) => `{"id":${id},"jsonrpc":"2.0",${call}}`,
    (id) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"get_production","arguments":{"id":3}}}`,
  ];
  const results = new Set<string>();
  for (const form of forms)
    for (const id of ["1", "2", '"a-1"', '"ä"', "9007199254740993"]) {
      const text = await (await post(server, token, form(id))).text();
      assert.ok(text.startsWith(`{"jsonrpc":"2.0","id":${id},`), `${form(id)}: ${text.slice(0, 60)}`);
      results.add(text.slice(text.indexOf('"result"')));
    }
  assert.is(results.size, 1);
  const refused = [
    ...forms.slice(0, 2).map((form) => form("007")),
    `{"jsonrpc":"2.0","id":77,${call},"id":1}`,
    `{"jsonrpc":"2.0","id":77,${call},"\\u0069d":1}`,
    `{"jsonrpc":"2.0","id":77,${call},"jsonrpc":"2.0","id":1}`,
    `{"id":77,${call},"jsonrpc":"2.0","id":1}`,
  ];
  for (const text of refused) {
    const { id, error } = JSON.parse(await (await post(server, token, text)).text());
    assert.equal([id, error?.code], [null, -32700], `${text} is no JSON, or has a key twice`);
  }
});

same("every tool returned 200 and each of its error statuses at least once", () => {
  for (const { name, errors } of reads)
    for (const status of [200, 403, ...errors]) assert.ok(seen.has(`${name} ${status}`), `${name} never was ${status}`);
});

same.after(() => server.stop());
same.run();
