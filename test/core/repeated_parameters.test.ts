// Query parameters that are given more than once.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { scopes } from "../../src/core/access/callers.ts";
import { separatedIn } from "../../src/core/http/coercion.ts";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { caseOf, casesOf } from "../support/cases.ts";
import { type Operation, table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer({ cacheAnswers: false });
const seedData = seedDataOf(server.store);
const cases = casesOf(server.store, seedData);
const { production: production_id } = seedData;

const lists = (table as readonly Operation[]).flatMap((row) =>
  Object.entries(row.input.entries).flatMap(([name, schema]) => {
    const { wrapped = schema } = schema as { wrapped?: v.GenericSchema };
    return separatedIn(wrapped) !== undefined ? [{ row, name }] : [];
  }),
);

const repeated = suite("a repeated query parameter");

repeated("is a list wherever its description speaks of commas, or of adding fields", () => {
  const described = (table as readonly Operation[]).flatMap((row) =>
    Object.entries(row.input.entries).flatMap(([name, schema]) => {
      const { wrapped = schema } = schema as { wrapped?: v.GenericSchema };
      return /commas|^\w+ adds /.test(v.getDescription(wrapped) ?? "") ? [`${row.name} ${name}`] : [];
    }),
  );
  assert.ok(described.length > 25);
  const known = lists.map(({ row, name }) => `${row.name} ${name}`);
  for (const one of described) assert.ok(known.includes(one), one);
});

for (const { row, name } of lists)
  repeated(`${name} of ${row.name} means all of its values`, async () => {
    const { path, production = production_id, engagement } = caseOf(cases, row.name);
    const bound = row.reach === "bound" ? { engagement_id: engagement as number } : {};
    const token = mint(server.store, { production_id: production, scopes: [...scopes, "admin"] as never, ...bound });
    const with_ = `/api/v1${path.replace(/[?&]wait=\d+/, "")}${path.includes("?") ? "&" : "?"}`;
    const ask = (query: string) => server.ask(token, `${with_}${query}`);
    const [, some] =
      /must be some of (.*), separated by commas/.exec(await (await ask(`${name}=nonsense`)).text()) ?? [];
    const values = some?.split(", ") ?? ["note.created", "approval.decided"];
    const [one, other] = [values[0], values.at(-1)] as [string, string];
    const text = async (query: string) => {
      const response = await ask(query);
      const answer = await response.text();
      assert.is(response.status, 200, answer);
      return answer;
    };
    const both = await text(`${name}=${one},${other}`);
    for (const query of [
      `${name}=${one}&${name}=${other}`,
      `${name}=${one}&${name}=${one},${other}`,
      `${name}=${one}%20,%20${other}&${name}=${one}`,
    ])
      assert.is(await text(query), both, query);
    for (const query of [
      `${name}=nonsense&${name}=${one}`,
      `${name}=${one}&${name}=nonsense`,
      `${name}=${one}&${name}=`,
    ])
      await assertRefused(await ask(query), 422);
  });

repeated("finds more with both values than with one, on every page", async () => {
  const key = mint(server.store, { production_id, scopes });
  const count = async (query: string) => (await server.get<unknown[]>(key, `/deliveries?${query}`)).length;
  const statuses = [
    ...new Set((await server.get<{ status: string }[]>(key, "/deliveries")).map(({ status }) => status)),
  ];
  assert.ok(statuses.length > 1);
  const query = statuses.map((status) => `status=${status}`).join("&");
  assert.ok((await count(query)) > (await count(`status=${statuses[0]}`)));
  const first = await server.ask(key, `/api/v1/deliveries?${query}&limit=1`);
  const [, next = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
  assert.equal(new URL(next).searchParams.getAll("status"), statuses);
});

repeated("with one value takes the last", async () => {
  const key = mint(server.store, { production_id, scopes });
  for (const [path, first, last] of [
    ["/assets", "status=nonsense", "status=active"],
    ["/approvals", "status=approved", "status=pending"],
    ["/people", "limit=0", "limit=2"],
    ["/activity", "limit=1", "limit=3"],
    ["/assets", "released=maybe", "released=1"],
  ])
    assert.equal(await server.get(key, `${path}?${first}&${last}`), await server.get(key, `${path}?${last}`), path);
});

repeated("of ids means all of them", async () => {
  const seed = server.store.database.prepare("SELECT production_id, id FROM episodes ORDER BY id LIMIT 2").all() as {
    production_id: number;
    id: number;
  }[];
  const key = mint(server.store, { production_id: seed[0]?.production_id ?? 0, scopes });
  const [one, two] = seed.map(({ id }) => `episode_id=${id}`);
  const matching = async (query: string) =>
    JSON.stringify(await server.get(key, `/schedule?${query}`)).split('"matches":true').length;
  assert.ok((await matching(`${one}&${two}`)) > (await matching(`${one}`)));
});

repeated.after(() => server.stop());
repeated.run();
