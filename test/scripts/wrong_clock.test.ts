// Drafts that are imported while the clock of the machine is wrong, and after it was set: each still comes after the
// one before it.
import { dirname } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openImports } from "../support/import.ts";
import { draft, numbered, type Production, scene } from "../support/numbered_scenes.ts";
import { now } from "../support/small_document.ts";

const test = suite("drafts at a wrong time");

const first = numbered(["HALL", "YARD", "QUAY", "LOFT"]);
const white = draft(first, "white.fountain");
const blue = draft(first.with(0, scene("HALL", "1", " Rain.")), "blue.fountain");
const pink = draft(first.with(0, scene("HALL", "1", " Rain.")).with(1, scene("YARD", "2", " Snow.")), "pink.fountain");
/** The clock is years ahead, or behind. */
const [ahead, behind] = ["2031-01-01T00:00:00.000Z", "2001-01-01T00:00:00.000Z"];

/** The scenes of the changes after the last draft of each colour. */
async function changedSince(production: Production): Promise<string[][]> {
  const { production_id, store } = production;
  const server = await openTestServer({ data: dirname(store.file) });
  const key = mint(server.store, { production_id, scopes: ["read"] });
  const lists = await Promise.all(
    ["white", "blue", "pink"].map(async (color) => {
      const answer = await server.ask(key, `/api/v1/script-changes?status=all&since=${color}`);
      return ((await answer.json()) as { scene_number: string }[]).map(({ scene_number }) => scene_number);
    }),
  );
  await server.stop();
  return lists;
}

/** Whether each draft and each change comes after those before it. */
function areInOrder({ rows }: Production): boolean {
  const times = (sql: string): string[] => rows(sql).map(({ at }) => at);
  const drafts = times("SELECT imported_at AS at FROM script_drafts ORDER BY id");
  const changes = times("SELECT DISTINCT detected_at AS at FROM script_changes ORDER BY draft_id");
  return [drafts, changes].every((list) => list.every((at, index) => index === 0 || at >= (list[index - 1] as string)));
}

for (const [what, time] of [
  ["ahead", ahead],
  ["behind", behind],
] as const)
  test(`with a clock that is years ${what} for one draft come in the order of their imports, and ask once`, async () => {
    const production = await openImports(white);
    await production.import(blue, { color: "blue", now: time });
    await production.approve();
    await production.import(pink, { color: "pink" });
    assert.equal(await changedSince(production), [["2", "1"], ["2"], []]);
    assert.ok(areInOrder(production));
    const pending = production.changes();
    assert.equal((await production.import(pink, { color: "pink", now: time })).changes, []);
    assert.equal(production.changes(), pending);
  });

test("are found by their colour also where the draft of the wrong time raised no change", async () => {
  const production = await openImports(white);
  const synopsis = draft(first.with(3, (first[3] as string).replace("\n\n", "\n\n= The loft.\n\n")), "blue.fountain");
  await production.import(synopsis, { color: "blue", now: ahead });
  assert.equal(production.changes("all"), []);
  await production.import(pink, { color: "pink" });
  assert.equal((await changedSince(production)).slice(1), [["2", "1"], []]);
});

test("are undone, imported again and decided", async () => {
  const production = await openImports(white);
  await production.import(blue, { now: ahead });
  const { store, blobs } = production;
  const [{ id }] = production.rows("SELECT max(id) AS id FROM change_sets");
  await undoChangeSet(localAdmin(store, now), blobs, { id, dry_run: false }, async (work) => store.writeSync(work));
  assert.equal(production.changes("all"), []);
  await production.import(pink);
  await production.approve();
  assert.equal((await production.import(pink, { now: behind })).changes, []);
  assert.ok(areInOrder(production));
});

test.run();
