import { globSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type * as v from "valibot";
import type { Store } from "../../src/core/store/database.ts";
import { statements } from "../../src/core/store/statement_map.ts";
import { change, declaredStatements, document, many, one, value } from "../../src/core/store/statements.ts";
import type { listPeople } from "../../src/graph/people.ts";
import { root } from "../support/command.ts";
import { mapFile, statementMap } from "../support/statement_map.ts";

const map = suite("the map of statements");

map("is current: `npm run statements` makes it", () => {
  assert.is(readFileSync(mapFile, "utf8"), statementMap());
});

map(
  "has every statement that a module declares: one without a block in sql/ is refused when the module is loaded",
  () => {
    // @ts-expect-error: there is no such block
    assert.throws(() => many<{ production_id: number }, { id: number }>("list_everything"), /^sql: there is no block/);
  },
);

map("has no statement that no module declares", async () => {
  for (const file of globSync("src/**/*.ts", { cwd: root }))
    if (!file.endsWith("_thread.ts")) await import(`../../${file.replaceAll("\\", "/")}`);
  assert.equal([...declaredStatements].sort(), Object.keys(statements).sort());
});

/** Nothing calls it: the compiler reads it. */
export function mistakes() {
  type Scene = { production_id: number };
  type Step = { production_id: number; approval_id: number };
  type Page = { production_id: number; limit: number; after: string };
  type Person = v.InferOutput<typeof listPeople.output>[number];
  // @ts-expect-error: there is no such block
  many<Scene, { id: number }>("export_scene");
  // @ts-expect-error: a misspelled parameter
  many<{ produktion_id: number }, { id: number }>("list_script_scenes");
  // @ts-expect-error: there is no such block
  change("touch_nodes");
  // @ts-expect-error: a parameter is missing
  change("touch_node")({} as Store, { production_id: 1, node_id: 1 });
  // @ts-expect-error: a parameter that the statement does not have
  change("touch_node")({} as Store, { production_id: 1, node_id: 1, now: "", at: "" });
  // @ts-expect-error: no value of a column
  change("touch_node")({} as Store, { production_id: 1, node_id: undefined, now: "" });
  // @ts-expect-error: a misspelled column
  one<Step, { titel: string }>("get_open_step");
  // @ts-expect-error: a misspelled parameter of a value
  value<{ nr: number }, number>("count_rounds");
  // @ts-expect-error: JSON without a field of its type
  document<Page, { id: number; nickname: string }[]>("list_people");
  // @ts-expect-error: JSON with a field that its type does not have
  document<Page, Omit<Person, "active">[]>("list_people");
  document<Page, Person[]>("list_people");
  one<Step, { title: string }>("get_open_step");
  change("touch_node")({} as Store, { production_id: 1, node_id: 1, now: "" });
  value<{ id: number }, number>("count_rounds");
}

map.run();
