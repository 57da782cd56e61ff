// A thing has one shape: a field that is null in one place is not absent in another that has the field, in lists,
// single rows, bundles, with include and as tools of MCP.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { callTool, resultOf } from "../support/rpc.ts";

type Row = Record<string, any>;
type Places = Record<string, Row[]>;

const server = await openTestServer();
const { store } = server;
const shapes = suite("the shape of a thing");

/** The fields that are null in one place and absent in another, for each thing that is in both. */
function differences(places: Places, idOf: (row: Row) => unknown): string[] {
  const found = new Set<string>();
  const fieldsOf = new Map(Object.entries(places).map(([place, rows]) => [place, new Set(rows.flatMap(Object.keys))]));
  const byId = Object.entries(places).map(
    ([place, rows]) => [place, new Map(rows.map((row) => [idOf(row), row]))] as const,
  );
  for (const [one, rows] of byId)
    for (const [other, others] of byId)
      for (const [id, row] of rows)
        for (const [field, value] of Object.entries(row)) {
          const same = others.get(id);
          if (value === null && same && fieldsOf.get(other)?.has(field) && !(field in same))
            found.add(`${field} is null in ${one} and absent in ${other}`);
        }
  return [...found];
}

for (const format of ["single", "episodic"])
  shapes(`is the same wherever a ${format} production shows it`, async () => {
    const production_id = one(store, "SELECT id FROM productions WHERE format = ?", format);
    const key = mint(store, { production_id, scopes });
    const get = (path: string): Promise<any> => server.get(key, path);
    const each = async (rows: Row[], path: (row: Row) => string): Promise<Row[]> => {
      const found: Row[] = [];
      for (const row of rows.slice(0, 12)) found.push(await get(path(row)));
      return found;
    };
    const tool = async (name: string): Promise<Row[]> => {
      const { content } = await resultOf(await callTool(server, key, name, { limit: 200 }, "/mcp?tools=all"));
      return JSON.parse(content[0].text);
    };
    const [scenes, assets, days, deliveries, approvals, people] = await Promise.all(
      ["/scenes", "/assets", "/schedule", "/deliveries", "/approvals", "/people"].map(
        (path) => get(path) as Promise<Row[]>,
      ),
    );
    if (!scenes || !assets || !days || !deliveries || !approvals || !people) throw new Error("a list is missing");
    const including: Row[] = await get("/scenes?include=assets,department_notes,shoot_days");
    const whole: Row[] = await get("/assets?include=versions,notes,still");
    const details = await each(assets, ({ node_id }) => `/assets/${node_id}`);
    const sceneBundles = await each(scenes, ({ node_id }) => `/bundles/scene/${node_id}`);
    const assetBundles = await each(assets, ({ node_id }) => `/bundles/asset/${node_id}`);
    const dayBundles = await each(days, ({ id }) => `/bundles/day/${id}`);
    const usages = await each(assets, ({ node_id }) => `/assets/${node_id}/usage`);
    const inBundles = [...sceneBundles, ...assetBundles];
    const nodes: Record<string, Places> = {
      scene: {
        "/scenes": scenes,
        "/scenes?include=": including,
        list_scenes: await tool("list_scenes"),
        "/scenes/{node_id}": await each(scenes, ({ node_id }) => `/scenes/${node_id}`),
        "the scene bundle": sceneBundles.map(({ scene }) => scene),
        "the day bundle": dayBundles.flatMap((bundle) => bundle.scenes),
      },
      asset: {
        "/assets": assets,
        "/assets?include=": whole,
        list_assets: await tool("list_assets"),
        "/assets/{node_id}": details,
        usage: usages.map(({ asset }) => asset),
      },
    };
    const things: Record<string, Places> = {
      version: {
        "/assets?include=": whole.flatMap(({ versions }) => versions.filter(({ released }: Row) => released)),
        "/assets/{node_id}": details.flatMap(({ versions }) => versions.filter(({ released }: Row) => released)),
        bundles: [...assetBundles, ...sceneBundles.flatMap((bundle) => bundle.assets)].flatMap(
          (row) => row.released_versions,
        ),
        "/assets/{node_id}/versions": (await each(assets, ({ node_id }) => `/assets/${node_id}/versions`)).flat(),
      },
      note: {
        "/assets?include=": whole.flatMap(({ notes }) => notes),
        "/assets/{node_id}/notes": (await each(assets, ({ node_id }) => `/assets/${node_id}/notes`)).flat(),
      },
      department_note: {
        "/scenes?include=": including.flatMap(({ department_notes }) => department_notes),
        bundles: inBundles.flatMap(({ department_notes }) => department_notes),
        "the day bundle": dayBundles.flatMap(({ department_notes }) => department_notes),
      },
      shoot_day: {
        "/schedule": days,
        "/schedule/{id}": await each(days, ({ id }) => `/schedule/${id}`),
        "the scene bundle": sceneBundles.flatMap(({ shoot_days }) => shoot_days),
        "the day bundle": dayBundles.map(({ day }) => day),
      },
      delivery: {
        "/deliveries": deliveries,
        "/deliveries?include=": await get("/deliveries?include=nodes,awaiting"),
        "/deliveries/{id}": await each(deliveries, ({ id }) => `/deliveries/${id}`),
        "the day bundle": dayBundles.flatMap((bundle) => bundle.deliveries),
        usage: usages.flatMap((usage) => usage.deliveries),
      },
      approval: {
        "/approvals": approvals,
        "/approvals/{id}": await each(approvals, ({ id }) => `/approvals/${id}`),
        "the scene bundle": sceneBundles.flatMap((bundle) => bundle.approvals),
        "the day bundle": dayBundles.flatMap((bundle) => bundle.approvals),
        usage: usages.flatMap((usage) => usage.approvals),
      },
      person: { "/people": people, "/people/{id}": await each(people, ({ id }) => `/people/${id}`) },
    };
    for (const [kind, places] of Object.entries(nodes))
      assert.equal(
        differences(places, ({ node_id }) => node_id),
        [],
        kind,
      );
    for (const [kind, places] of Object.entries(things))
      assert.equal(
        differences(places, ({ id }) => id),
        [],
        kind,
      );
    for (const { department } of Object.values(things.department_note ?? {}).flat())
      assert.type(department, "string", "a department's note carries its department");
  });

shapes.after(() => server.stop());
shapes.run();
