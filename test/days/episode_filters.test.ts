// The parameter episode_id of the lists of a series, and rows that say the episode beside the number.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

const server = await openTestServer();
const { store, get } = server;
const { production, otherProduction, feature } = seedDataOf(store);
const series = feature === production ? otherProduction : production;
const key = mint(store, { production_id: series });
const single = mint(store, { production_id: feature });

const episodes: Row[] = await get(key, "/episodes");
const scenes: Row[] = await get(key, "/scenes?include=assets");
const [one, two] = episodes.map(({ id }) => id) as [number, number];
const of = (ids: readonly number[]) => scenes.filter(({ episode_id }) => ids.includes(episode_id));
const needed = (ids: readonly number[]) => new Set(of(ids).flatMap(({ asset_ids }) => asset_ids as number[]));

const test = suite("episode_id");

test("filters assets by what scenes need, one episode or several; an unknown one has none", async () => {
  for (const ids of [[one], [one, two]]) {
    const rows: Row[] = await get(key, `/assets?${ids.map((id) => `episode_id=${id}`).join("&")}`);
    assert.equal(new Set(rows.map(({ node_id }) => node_id)), needed(ids));
  }
  assert.equal(await get(key, "/assets?episode_id=999999"), []);
  assert.equal(await get(key, "/cast/days?episode_id=999999"), []);
  assert.equal(await get(key, "/activity?episode_id=999999"), []);
});

test("takes several episodes of script changes", async () => {
  const all: Row[] = await get(key, "/script-changes?status=all&all_episodes=true");
  const both: Row[] = await get(key, `/script-changes?status=all&episode_id=${one}&episode_id=${two}`);
  assert.equal(
    both,
    all.filter(({ episode_id }) => [one, two].includes(episode_id)),
  );
});

test("counts in the day out of days only work in scenes of the episode", async () => {
  const own = new Set(of([one]).map(({ node_id }) => node_id));
  const schedule: Row[] = await get(key, "/schedule");
  for (const { node_id, days } of (await get(key, `/cast/days?episode_id=${one}`)) as Row[]) {
    assert.ok(needed([one]).has(node_id));
    const worked = days.filter(({ work }: Row) => work !== "H").map(({ shoot_day_id }: Row) => shoot_day_id);
    const expected = schedule.filter((day) =>
      day.scenes.some(
        (strip: Row) =>
          own.has(strip.node_id) &&
          scenes.some(
            (scene) =>
              scene.node_id === strip.node_id && scene.status !== "omitted" && scene.asset_ids.includes(node_id),
          ),
      ),
    );
    assert.equal(new Set(worked), new Set(expected.map(({ id }) => id)));
  }
});

test("of the schedule keeps whole days by days_of_episode_id, and has no effect on a single production", async () => {
  const all: Row[] = await get(key, "/schedule");
  const kept: Row[] = await get(key, `/schedule?days_of_episode_id=${two}`);
  assert.equal(
    kept,
    all.filter((day) => day.scenes.some(({ episode_id }: Row) => episode_id === two)),
  );
  const feature: Row[] = await get(single, "/schedule");
  assert.equal(await get(single, "/schedule?days_of_episode_id=1"), feature);
  const [strip] = feature.flatMap(({ scenes: strips }) => strips);
  assert.equal([strip.episode_id, strip.episode_code], [undefined, undefined]);
});

test("activity has entries about the scenes and what they need", async () => {
  const own = new Set<number>([...of([one]).map(({ node_id }) => node_id), ...needed([one])]);
  const all: Row[] = await get(key, "/activity?limit=200");
  const found: Row[] = await get(key, `/activity?limit=200&episode_id=${one}`);
  assert.equal(
    found.filter(({ node_id }) => node_id !== null),
    all.filter(({ node_id }) => own.has(node_id)),
  );
});

test("strips, banners and the scenes of a cast say their episode, and the production its current one", async () => {
  for (const day of (await get(key, "/schedule")) as Row[])
    for (const strip of day.scenes) {
      const scene = scenes.find(({ node_id }) => node_id === strip.node_id) as Row;
      assert.equal([strip.episode_id, strip.episode_code], [scene.episode_id, scene.episode_code]);
    }
  const { current_episode_id } = (await get(key, "/production")) as Row;
  assert.ok(current_episode_id === null || episodes.some(({ id }) => id === current_episode_id));
  assert.is("current_episode_id" in ((await get(single, "/production")) as Row), false);
});

test.after(() => server.stop());
test.run();
