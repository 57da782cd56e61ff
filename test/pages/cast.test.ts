// The grid of /cast: it has the codes of the CSV, also of days on which a character holds and of two shoot days on one
// date.
// Thorough: only --all runs it.
import { parse } from "csv-parse/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { one, openTestServer } from "../support/app.ts";
import { openAsAdmin } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const test = suite("the day out of days");
const server = await openTestServer();
const { store } = server;
const { feature } = seedDataOf(store);
const admin = await openAsAdmin(server, feature);

/** The codes of the grid, a row for each character with its label first. */
async function codesOfPage(): Promise<string[][]> {
  const grid = /<tbody>([\s\S]*?)<\/tbody>/.exec(await admin.text("/cast"))?.[1] ?? "";
  return grid.split("</tr>").flatMap((row) => {
    const label = /<a [^>]*>([^<]*)<\/a>/.exec(row)?.[1]?.replaceAll("&#39;", "'");
    const cells = [...row.matchAll(/<td(?: class="(?:work|hold)")?>([^<]*)<\/td>/g)].map(([, code]) => code as string);
    return label === undefined ? [] : [[label, ...cells]];
  });
}

async function codesOfCsv(): Promise<string[][]> {
  const rows: string[][] = parse(await admin.text("/cast.csv"), { bom: true, from: 3 }).slice(0, -1);
  return rows.filter((row) => row.at(-3) !== "0").map(([, label = "", , ...cells]) => [label, ...cells.slice(0, -3)]);
}

test("has the same codes as the CSV", async () => {
  const rows = await codesOfPage();
  assert.ok(
    rows.some((row) => row.includes("H")),
    "somebody holds",
  );
  assert.equal(rows, await codesOfCsv());
});

test("has no hold on a second shoot day of a date on which the character works", async () => {
  const holds = (await codesOfPage()).flat().filter((code) => code === "H").length;
  const worked = `SELECT DISTINCT day.id, day.date FROM node_links used JOIN strips ON strips.node_id = used.from_node_id
    JOIN shoot_days day ON day.id = strips.shoot_day_id WHERE day.production_id = ${feature}`;
  const date = one<string>(store, `SELECT date FROM (${worked}) ORDER BY date LIMIT 1 OFFSET 1`);
  const next = one(
    store,
    "SELECT id FROM shoot_days WHERE production_id = ? AND date > ? ORDER BY date",
    feature,
    date,
  );
  store.writeSync(() => store.database.prepare("UPDATE shoot_days SET date = ? WHERE id = ?").run(date, next));
  const rows = await codesOfPage();
  assert.equal(rows, await codesOfCsv());
  assert.is.not(rows.flat().filter((code) => code === "H").length, holds);
});

test.after(() => server.stop());
test.run();
