// The statistics by which SQLite chooses indexes: those of a small table would make every later update of many rows
// quadratic.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { statementTexts } from "../../src/core/store/statements.ts";
import { openProduction } from "../support/update.ts";

const statistics = suite("statistics");

statistics("of small tables are not kept, so that what changed is looked up by its id", async () => {
  const { store, folder } = await openProduction(); // its folder was closed once
  store.database.exec("ANALYZE");
  store.close();
  const { database, close } = openStore(join(folder, "tallylight.db"));
  const small = "SELECT count(*) FROM sqlite_stat1 WHERE CAST(stat AS INTEGER) < 1000";
  assert.is(database.prepare(small).pluck().get(), 0);
  const text = statementTexts().get("add_searched");
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[];
  // c is what changed, and the subquery is what was looked up for it.
  const isOfTable = (detail: string) => detail.startsWith("SCAN") && !/^SCAN (?:c$|\(subquery-\d+\)$)/.test(detail);
  const scans = plan.map(({ detail }) => detail).filter(isOfTable);
  // The cast and the background of a scene, each read from the scene's own elements.
  assert.equal(scans, Array(2).fill("SCAN json_each VIRTUAL TABLE INDEX 3:"));
  const former = plan.filter(({ detail }) => detail.includes("change_operations"));
  const isOfThing = ({ detail }: { detail: string }) =>
    detail.endsWith("change_operations_thing (section=? AND thing=?)");
  assert.ok(former.length > 0 && former.every(isOfThing), "the names that a thing had are looked up by the thing");
  close();
});

statistics.run();
