// What waited when the version changed, which kept a copy of what each change proposes: it waits still, and is decided
// as before.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrations } from "../../src/core/store/migrations.ts";
import { openImports } from "../support/import.ts";
import { draft, id, type Production, scene, shown, textOf } from "../support/numbered_scenes.ts";

const test = suite("drafts of the former version");

const speech = (who: string, set: string) => `\n\n${who}\nThis is the ${set}.`;
const scenes = (who: string) => ["HALL", "YARD", "QUAY"].map((set, at) => scene(set, `${at + 1}`, speech(who, set)));
const others = ["LOFT", "MILL", "PIER", "WELL"].map((set, at) => scene(set, `${at + 4}`));
const [loft, mill, pier, well] = others as [string, string, string, string];
const white = draft([...scenes("RAY"), loft, mill, pier, well], "white.fountain");
/**
 * RAY has another name, 3A is new and 3B was dismissed, 4 has another text and was dismissed before, 5 is left out, 7
 * stands before 6.
 */
const laterOf = (text: string, added: readonly string[], rest: readonly string[], who = "RAYMOND") =>
  draft([...scenes(who), ...added, loft + text, ...rest], "blue.fountain");
const dismissed = laterOf(" Rain.", [scene("ROOF", "3B")], [mill, pier, well], "RAY");
const later = laterOf(" Snow.", [scene("NEW", "3A"), scene("ROOF", "3B")], [well, pier]);

/**
 * Stores a script as the former version did: with the former text and place of what waits, and the new ones beside it.
 */
const toFormer = `
ALTER TABLE script_scenes ADD COLUMN stands INTEGER NOT NULL DEFAULT 1;
UPDATE script_scenes SET stands = 0 WHERE place IS NULL OR node_id IS NULL OR dismissed >= 2 OR scene ->> '$.omitted'
  OR (SELECT c.fields -> '$.order' IS NOT NULL FROM script_changes c WHERE c.status = 'pending' AND c.node_id = script_scenes.node_id);
ALTER TABLE script_scenes DROP COLUMN dismissed;
ALTER TABLE script_drafts DROP COLUMN dismissed;
ALTER TABLE script_scenes ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
CREATE TABLE script_proposals (
  change_id INTEGER PRIMARY KEY, production_id INTEGER NOT NULL, script_scene_id INTEGER, place INTEGER, color TEXT, seen TEXT NOT NULL, scene TEXT NOT NULL) STRICT;
INSERT INTO script_proposals
SELECT c.id, c.production_id, iif(c.node_id IS NULL, NULL, s.id), s.place, NULL, '{}',
  iif(c.fields -> '$.character' IS NULL, s.scene, json_set(s.scene, '$.rename', json_object('kept', json('[]'), 'texts', json((
    SELECT json_group_object(CAST(t.id AS TEXT), t.scene ->> '$.text') FROM script_scenes t WHERE t.scene -> '$.cast' LIKE '%RAYMOND%')))))
FROM script_changes c JOIN script_scenes s ON iif(c.node_id IS NULL, s.node_id IS NULL AND s.scene ->> '$.number' = c.scene_number, s.node_id = c.node_id)
WHERE c.status = 'pending' AND c.draft_id IS NOT NULL;
DELETE FROM script_scenes WHERE node_id IS NULL AND scene ->> '$.number' IN (SELECT scene_number FROM script_changes WHERE status = 'pending' AND node_id IS NULL);
UPDATE script_scenes SET
  place = iif((SELECT c.fields -> '$.order' IS NOT NULL OR c.kind = 'omitted' FROM script_changes c WHERE c.status = 'pending' AND c.node_id = script_scenes.node_id), NULL, place),
  scene = ifnull(approved, scene), approved = NULL
WHERE node_id IN (SELECT node_id FROM script_changes WHERE status = 'pending') OR scene -> '$.cast' LIKE '%RAYMOND%';
DROP INDEX script_scenes_order;
CREATE INDEX script_scenes_order ON script_scenes (production_id, position);`;

/** The scenes as the newest draft has them, and as they were approved. */
const rowsOf = (production: Production) => {
  const textOf = (scene: string) => {
    const { number, slugline, omitted, text, cast } = JSON.parse(scene);
    return [number, slugline, omitted, text, ...cast].join("/");
  };
  return production
    .rows(
      "SELECT node_id, place, dismissed, scene, ifnull(approved, scene) AS approved FROM script_scenes ORDER BY place, node_id",
    )
    .map(({ node_id, place, dismissed, scene, approved }) => [
      node_id,
      place,
      dismissed,
      textOf(scene),
      textOf(approved),
    ]);
};

async function open(): Promise<Production> {
  const production = await openImports(white);
  await production.import(dismissed);
  await production.dismiss();
  await production.import(later);
  assert.equal(
    production.changes().map(({ summary }) => summary.replace(/, pages.*/, "")),
    [
      "3A added after 3: INT. NEW - DAY",
      "4: text changed",
      "5: omitted",
      "7: moved after 4",
      "1, 2, 3: character RAY -> RAYMOND in 3 scenes",
    ],
  );
  const [pending, before] = [production.changes(), rowsOf(production)];
  const { database } = production.store;
  database.exec(toFormer);
  assert.match(String(database.prepare("SELECT group_concat(scene) FROM script_scenes").pluck().get()), /"RAY"/);
  for (const { text } of migrations().filter(({ name }) => /no_proposals|dismissed/.test(name))) database.exec(text);
  assert.equal(rowsOf(production), before);
  assert.equal(production.changes(), pending);
  return production;
}

test("wait still, the same draft asks nothing else, and they are approved as before", async () => {
  const production = await open();
  const pending = production.changes();
  assert.equal((await production.import(later)).changes, []);
  assert.equal(production.changes(), pending);
  await production.approve();
  assert.equal(await shown(production), ["1 HALL", "2 YARD", "3 QUAY", "3A NEW", "4 LOFT", "7 WELL", "(5)", "6 PIER"]);
  const { scenes } = await production.export();
  assert.equal(scenes.flatMap(({ elements }: any) => elements.cast ?? []).slice(0, 3), Array(3).fill("RAYMOND"));
  assert.equal((await production.import(later)).changes, []);
});

test("are decided one by one, and what was dismissed stays dismissed", async () => {
  const production = await open();
  await production.dismiss([id(production, "4")]);
  for (const { id } of production.changes()) {
    await production.approve([id]);
    assert.equal((await production.import(later)).changes, []);
  }
  assert.equal(production.changes(), []);
  await production.import(white);
  assert.ok(production.changes().every(({ scene_number }) => !["3B", "4"].includes(scene_number)));
  assert.not.match(textOf("LOFT"), /Snow/);
});

test.run();
