// Two productions and their engagements in one database: each key with every id that it does not reach. The response is
// always byte for byte the one for an id that does not exist.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { comparableHeaders, mint, openTestServer } from "../support/app.ts";
import { sampleOf } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const unknownId = 9_007_199_254_740_991;

interface Key {
  name: string;
  production_id: number;
  engagement_id: number | null;
  token: string;
}
const engagements = store.database.prepare("SELECT id, production_id FROM engagements").all() as {
  id: number;
  production_id: number;
}[];
const keys: Key[] = [
  ...[seedData.production, seedData.otherProduction].map((production_id) => ({ production_id, engagement_id: null })),
  ...engagements.map(({ id, production_id }) => ({ production_id, engagement_id: id })),
].map((given) => ({
  ...given,
  name: `production ${given.production_id}, engagement ${given.engagement_id}`,
  token: mint(store, { ...given, scopes }),
}));

const idsOf = (table: string) =>
  store.database.prepare(`SELECT id, production_id FROM ${table}`).all() as { id: number; production_id: number }[];

/** Status, comparable headers and body. */
const bytesOf = async (response: Response): Promise<string> =>
  JSON.stringify([response.status, comparableHeaders(response), await response.text()]);

const tenancy = suite("another production's ids");

const addresses: readonly [table: string, path: (id: number) => string, surface: "production" | "engagement"][] = [
  ["nodes", (id) => `/bundles/scene/${id}`, "engagement"],
  ["nodes", (id) => `/bundles/character/${id}`, "engagement"],
  ["nodes", (id) => `/bundles/asset/${id}`, "engagement"],
  ["nodes", (id) => `/assets/${id}`, "production"],
  ["media", (id) => `/media/${id}`, "engagement"],
  ["media", (id) => `/media/${id}/content`, "engagement"],
];

for (const [table, path, surface] of addresses)
  tenancy(`${path(0)} returns the same 404 to each key as for an unknown id`, async () => {
    for (const key of keys) {
      if (surface === "production" && key.engagement_id !== null) continue;
      const expected = await bytesOf(await server.ask(key.token, `/api/v1${path(unknownId)}`));
      assert.match(expected, /^\[404,/);
      const foreign = idsOf(table).filter(({ production_id }) => production_id !== key.production_id);
      for (const { id } of sampleOf(foreign.filter((_, at) => at % 3 === key.production_id % 3)))
        assert.is(
          await bytesOf(await server.ask(key.token, `/api/v1${path(id)}`)),
          expected,
          `${key.name}: ${path(id)}`,
        );
    }
  });

tenancy("a submission on another production's delivery returns the same 404 as for an unknown id", async () => {
  const send = (token: string, id: number) => {
    const body = new FormData();
    body.append("files", new Blob(["x"]), "x.txt");
    return server.ask(token, `/api/v1/turnovers/${id}/submissions`, { method: "POST", body });
  };
  for (const key of keys.filter(({ engagement_id }) => engagement_id !== null)) {
    const expected = await bytesOf(await send(key.token, unknownId));
    assert.match(expected, /^\[404,/);
    for (const { id, production_id } of idsOf("deliveries"))
      if (production_id !== key.production_id)
        assert.is(await bytesOf(await send(key.token, id)), expected, `${key.name}: ${id}`);
  }
});

for (const bundle of ["scene", "asset"])
  tenancy(
    `/bundles/${bundle}/0 returns the same 404 for what an engagement does not reach within its production`,
    async () => {
      let refused = 0;
      for (const key of keys.filter(({ engagement_id }) => engagement_id !== null)) {
        const expected = await bytesOf(await server.ask(key.token, `/api/v1/bundles/${bundle}/${unknownId}`));
        const { reach } = await server.get(key.token, "/me");
        const reached = new Set(reach.nodes.map(({ node_id }: { node_id: number }) => node_id));
        for (const { id, production_id } of sampleOf(idsOf("nodes").filter((_, at) => at % 4 === 0))) {
          if (production_id !== key.production_id || reached.has(id)) continue;
          const path = `/api/v1/bundles/${bundle}/${id}`;
          assert.is(await bytesOf(await server.ask(key.token, path)), expected, `${key.name}: ${id}`);
          refused++;
        }
      }
      assert.ok(refused > 0);
    },
  );

tenancy.after(() => server.stop());
tenancy.run();
