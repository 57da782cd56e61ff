// Calls every row of the table with every key shape and scope: checks who is accepted, who is refused and how, and that
// every 200 has the schema that the row declares. Fails if a row has no case.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { scopes } from "../src/core/access/callers.ts";
import { isOperation, type Operation, pathsOf } from "../src/core/operation.ts";
import { operationsAt, pathsInOrder } from "../src/core/operation_table.ts";
import { assertRefused, mint, one, openTestServer } from "./support/app.ts";
import { type Case, caseOf, casesOf, sendCase } from "./support/cases.ts";
import { root } from "./support/command.ts";
import { table } from "./support/operations.ts";
import { seedDataOf } from "./support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const call = (arrangement: Case, method: string, token: string | undefined) =>
  sendCase(server, arrangement, method, token);

const walk = suite("every row of the table");

walk("have a case in support/cases.ts", () => {
  for (const { name } of table) assert.ok(Object.hasOwn(cases, name), `${name} has no case in test/support/cases.ts`);
  for (const name of Object.keys(cases))
    assert.ok(
      table.some((row) => row.name === name),
      `${name} has a case but no row`,
    );
});

walk(
  "are all that the program defines: each file is named in `operations`, by the first segment of its paths",
  async () => {
    const ofPagesAlone = "list_materials"; // no operation of the API
    const names = new Set([...table.map(({ name }) => name), ofPagesAlone]);
    for (const file of globSync("src/**/*.ts", { cwd: root })) {
      if (!/^export const \w+ = (?:operation|reading)\(/m.test(readFileSync(join(root, file), "utf8"))) continue;
      const module: object = await import(`../${file.replaceAll("\\", "/")}`);
      for (const { name, path } of Object.values(module).filter(isOperation))
        assert.ok(names.has(name), `${name} of ${file}: no \`operations\` of a feature names the file for ${path}`);
    }
  },
);

walk("are loaded by the first segments of their paths, and each is the first that its path fits", async () => {
  for (const row of table)
    for (const path of pathsOf(row)) {
      const fits = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, "[^/]+")}$`).test(path);
      const first = pathsInOrder(await operationsAt(path)).find(
        (each) => each.row.method === row.method && fits(each.path),
      );
      assert.is(first?.row.name, row.name, `${row.method} ${path}`);
    }
});

/**
 * What a kind of rows needs, the first that fits: the program says it row by row, so that a scope that is lowered there
 * is seen here.
 */
const neededScopes: readonly (readonly [rows: RegExp, scope: Operation["scope"]])[] = [
  [/^GET \/me$/, null],
  [/^POST \/admin\/(?:import|remove|files|history|approvals|versions)\b|^GET \/admin\/history\b/, "edit"],
  [/^\w+ \/admin\//, "admin"],
  [/^POST \/script-changes\//, "edit"],
  [/^GET \/(?:purchase-orders|orders)$/, "read:money"],
  [/^POST \/turnovers\//, "submit:turnover"],
  [/^GET \/(?:storage\/tasks|assets\/:node_id\/versions)$/, "write"],
  [/^GET |^POST \/percep\//, "read"],
  [/^POST /, "write"],
];

walk("need the scope of their kind", () => {
  for (const { name, method, path, scope } of table) {
    const [, needed] = neededScopes.find(([rows]) => rows.test(`${method} ${path}`)) ?? [];
    assert.is(scope, needed, name);
  }
});

for (const row of table) {
  const arrange = () => caseOf(cases, row.name);
  const others = scopes.filter((scope) => scope !== row.scope && !(row.scope === "edit" && scope === "admin"));

  walk(`${row.name}: returns 401 without a key and with a wrong key`, async () => {
    const response = await call(arrange(), row.method, undefined);
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer resource_metadata="http/);
    await assertRefused(response, 401);
    await assertRefused(await call(arrange(), row.method, `tl_${"x".repeat(43)}`), 401);
  });

  const { scope } = row;
  if (scope !== null)
    walk(`${row.name}: returns 403 for a key without ${scope}`, async () => {
      const { production, engagement } = arrange();
      const bound = row.reach === "engagement" ? (engagement ?? null) : null;
      const token = mint(store, {
        production_id: production ?? seedData.production,
        engagement_id: bound,
        scopes: others,
      });
      await assertRefused(await call(arrange(), row.method, token), 403, `key does not have the \`${scope}\` scope`);
    });

  walk(`${row.name}: returns the declared answer for a production-wide key with ${scope ?? "no scope"}`, async () => {
    const arrangement = arrange();
    const token = mint(store, {
      production_id: arrangement.production ?? seedData.production,
      scopes: scope === null ? [] : [scope],
      person_id: arrangement.person ?? null,
    });
    const response = await call(arrangement, row.method, token);
    if (arrangement.productionWideStatus !== undefined)
      return void (await assertRefused(response, arrangement.productionWideStatus));
    await assertAnswers(row, response);
  });

  walk(
    `${row.name}: returns ${row.reach === "engagement" ? "an answer" : "403"} for an engagement-bound key with every scope`,
    async () => {
      const arrangement = arrange();
      const bound = arrangement.engagement ?? seedData.submitter;
      const production_id = one(store, "SELECT production_id FROM engagements WHERE id = ?", bound);
      const token = mint(store, { production_id, engagement_id: bound, scopes });
      const response = await call(arrangement, row.method, token);
      if (row.reach === "production") return void (await assertRefused(response, 403, /bound to an engagement/));
      if (arrangement.engagement === undefined && response.status === 404)
        return void (await assertRefused(response, 404, "not found"));
      await assertAnswers(row, response);
    },
  );
}

async function assertAnswers(row: (typeof table)[number], response: Response): Promise<void> {
  if (row.output === "bytes") {
    assert.is(response.status, 200);
    assert.ok((await response.arrayBuffer()).byteLength > 0);
    return;
  }
  const text = await response.text();
  assert.is(response.status, 200, text);
  const answer = JSON.parse(text);
  const { success, issues, output } = v.safeParse(row.output, answer);
  assert.ok(success, `${row.name}: ${JSON.stringify(issues?.map((issue) => [v.getDotPath(issue), issue.message]))}`);
  assert.equal(output, answer, `${row.name} answers fields that its row does not name`);
}

walk.after(() => server.stop());
walk.run();
