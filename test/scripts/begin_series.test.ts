// A single production becomes a series: its scenes, script and pending changes go to the first episode, and an undo
// makes it single again.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSets } from "../../src/features/history/history.ts";
import { undoChangeSet } from "../../src/features/history/undo.ts";
import { beginSeries } from "../../src/features/scripts/begin_series.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { openImports, script } from "../support/import.ts";
import { now } from "../support/small_document.ts";

type Row = Record<string, any>;

const first = script(["INT. CHANDLERY - DAY #1#\n\nNORA\nForty-one.", "EXT. SLIPWAY - DUSK #2#\n\nA dinghy."]);
const second = script(["INT. CHANDLERY - NIGHT #1#\n\nNORA\nForty-one.", "EXT. SLIPWAY - DUSK #2#\n\nA dinghy."]);

const test = suite("episodes begin");

test("takes all scenes and the script along; drafts of the episode go on, and an undo gives everything back", async () => {
  const made = await openImports(first);
  const { store, blobs, production_id } = made;
  await made.import(second);
  const before = made.changes();
  const write = async <T>(work: () => T): Promise<T> => store.writeSync(work);
  const undo = async (at = 0) => {
    const set = listSets(store, { production_id, limit: 10 })[at];
    return undoChangeSet(localAdmin(store, now), blobs, { id: set?.id as number, dry_run: false }, async (work) =>
      store.writeSync(work),
    );
  };
  const state = async () => {
    const { activity: _, ...document } = (await made.export()) as Row;
    return JSON.stringify(document, (key, value) => (key === "updated_at" ? undefined : value), 1);
  };
  const former = await state();
  const begin = (code: string) =>
    beginSeries(localAdmin(store, now), blobs, { code, season: 2 }, { production_id }, write);
  await begin("101");
  const { production, scenes } = (await made.export()) as Row;
  assert.equal([production.format, production.season_number, production.current_episode], ["episodic", 2, "101"]);
  assert.equal(
    scenes.map(({ episode, number }: Row) => `${episode}/${number}`),
    ["101/1", "101/2"],
  );
  assert.equal(
    made.changes().map(({ episode_code }) => episode_code),
    ["101"],
  );
  assert.equal((await made.import(second, { episode: "101" })).changes, []);
  await begin("102").then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /is a series already/),
  );
  await undo();
  assert.is(await state(), former);
  assert.equal(made.changes(), before);
  await begin("101");
  await made.import({
    name: "e.json",
    text: JSON.stringify({
      episodes: [
        { code: "101", title: "101" },
        { code: "102", title: "102" },
      ],
    }),
  });
  await undo(1).then(
    () => assert.unreachable(),
    (error: Row) =>
      assert.match(error.message, /^episode "102" was added since by change set \d+ of .*; nothing was changed$/),
  );
});

test.run();
