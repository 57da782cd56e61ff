import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type * as v from "valibot";
import type { NodeId, ProductionId, VersionId, WithIds } from "../../src/core/ids.ts";
import {
  allBlocks,
  change,
  declaredStatements,
  document,
  many,
  one,
  statementTexts,
  value,
} from "../../src/core/store/statements.ts";
import type { Store } from "../../src/core/store/store.ts";
import type { listPeople } from "../../src/graph/people.ts";
import { root } from "../support/command.ts";
import { isSchemaCurrent, mistakeIn, outdatedMaps, statementMaps } from "../support/statement_map.ts";

const map = suite("the map of statements");

map("is current: `npm run statements` makes it, and SQLite prepares every statement", () => {
  assert.ok(isSchemaCurrent(), "sql/migrations/schema.sql is not what the migrations make: run `npm run statements`");
  const { maps, mistakes } = statementMaps();
  assert.equal(mistakes, []);
  assert.equal(outdatedMaps(maps), []);
});

map("says in which line of sql/ a name is wrong, also within a fragment", () => {
  const blocks = [
    { kind: "fragment", name: "row", text: "a.id,\na.titel\n", file: "approvals.sql", line: 4 },
    {
      kind: "name",
      name: "list_rows",
      text: "SELECT {{row}}\n-- a.nr is no column\nFROM a\nWHERE a.nr = :nr\n",
      file: "days.sql",
      line: 10,
    },
  ] as const;
  const place = (message: string) => {
    const { file, line } = mistakeIn("list_rows", message, blocks);
    return `${file}:${line}`;
  };
  assert.is(place("no such column: a.titel"), "sql/approvals.sql:5");
  assert.is(place("no such column: a.nr"), "sql/days.sql:13");
  assert.is(place('near "FROM": syntax error'), "sql/days.sql:12");
  assert.is(place("incomplete input"), "sql/days.sql:10");
});

map(
  "stands under the name of the feature whose statements they are, so that removing its file breaks nothing else",
  () => {
    const sources = globSync("src/**/*.ts", { cwd: root }).map((file) => {
      const [, room, feature] = file.split(/[\\/]/);
      return { owner: room === "features" ? feature : undefined, text: readFileSync(join(root, file), "utf8") };
    });
    const blocks = allBlocks();
    const features = new Set(sources.map(({ owner }) => owner));
    const ownerOf = ({ file }: { file: string }) => {
      const noun = file.replace(/\.sql$/, "");
      return features.has(noun) ? noun : undefined;
    };
    const elsewhere = blocks.filter((block) => {
      if (block.kind === "name")
        return !sources.some(({ owner, text }) => owner === ownerOf(block) && text.includes(`"${block.name}"`));
      if (ownerOf(block) === undefined) return false;
      return blocks.some((user) => user.text.includes(`{{${block.name}}}`) && user.file !== block.file);
    });
    assert.equal(
      elsewhere.map(({ file, name }) => `${file}: ${name}`),
      [],
    );
  },
);

map(
  "has every statement that a module declares: one without a block in sql/ is refused when the module is loaded",
  () => {
    // @ts-expect-error: there is no such block
    assert.throws(() => many<{ production_id: number }, { id: number }>("list_everything"), /^sql: there is no block/);
  },
);

map("has no statement that no module declares", async () => {
  // A thread and the program of the decoder do their work when they are loaded.
  for (const file of globSync("src/**/*.ts", { cwd: root }))
    if (!/_thread\.ts$|pictures\/decoder\.ts$/.test(file)) await import(`../../${file.replaceAll("\\", "/")}`);
  const declared: ReadonlySet<string> = declaredStatements;
  const undeclared = [...statementTexts().keys()].filter((name) => !declared.has(name));
  assert.equal(undeclared, [], "use them or remove them");
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
  const [production_id, node_id] = [1, 2] as [ProductionId, NodeId];
  // @ts-expect-error: the id of a node and that of a production are exchanged
  change("touch_node")({} as Store, { production_id: node_id, node_id: production_id, now: "" });
  // @ts-expect-error: the id of a node, which is not that of an approval
  one<Step, { title: string }>("get_open_step")({} as Store, { production_id, approval_id: node_id });
  const row = one<{ id: number }, { production_id: number; node_id: number }>("find_version")({} as Store, { id: 1 });
  // @ts-expect-error: an id of a row in place of another one
  if (row) change("touch_node")({} as Store, { production_id, node_id: row.production_id, now: "" });
  if (row) change("touch_node")({} as Store, { ...row, now: "" });
  // @ts-expect-error: the id of a row that does not say of what it is
  one<{ production_id: number; node_id: number }, { id: number }>("get_asset_node");
  // @ts-expect-error: the id of a node, which is not that of a version
  one<{ production_id: number; node_id: number }, { id: VersionId }>("get_asset_node");
  const node = one<{ production_id: number; node_id: number }, { id: NodeId }>("get_asset_node")({} as Store, {
    production_id,
    node_id,
  });
  // @ts-expect-error: the column `id` of a row in place of the id of something else
  if (node) change("touch_node")({} as Store, { production_id: node.id, node_id, now: "" });
  const landed = change("create_version")({} as Store, {} as never);
  // @ts-expect-error: the id of an inserted version, which is not that of a node
  change("touch_node")({} as Store, { production_id, node_id: landed.id, now: "" });
  // @ts-expect-error: the id that a word before it describes
  ({}) as WithIds<{ decided_by_person_id: number }> satisfies { decided_by_person_id: NodeId | null };
  one<Step, { title: string }>("get_open_step");
  change("touch_node")({} as Store, { production_id: 1, node_id: 1, now: "" });
  value<{ id: number }, number>("count_rounds");
}

map.run();
