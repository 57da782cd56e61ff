// An agent without an audit trail: what happens is noticed by watching, and by passes where it cannot be watched.
import { appendFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Watch } from "../../src/agent/watch.ts";
import { linkTo, openTestServer, put, temporaryFolder, until, World } from "../support/agent_world.ts";

const server = await openTestServer();
const worlds: World[] = [];
async function running(work: (world: World) => Promise<void>, ...paths: string[]): Promise<void> {
  const world = await World.open(server);
  worlds.push(world);
  for (const path of paths) put(world.root, path);
  await world.running(async () => {
    await until(() => world.lined("pass").length === 1);
    await work(world);
  });
}

const watched = suite("an agent that watches");

watched("notices files and folders that are made, changed, moved and removed", async () =>
  running(
    async (world) => {
      const at = (path: string) => join(world.root, path);
      put(world.root, "new folder/deeper/file");
      await world.untilSame();
      appendFileSync(at("new folder/deeper/file"), "more");
      await world.untilSame();
      renameSync(at("new folder"), at("renamed"));
      await world.untilSame();
      put(world.root, "renamed/deeper/second");
      renameSync(at("a"), at("renamed/a"));
      await world.untilSame();
      rmSync(at("renamed/deeper"), { recursive: true });
      mkdirSync(at("renamed/deeper"));
      put(world.root, "renamed/deeper/third");
      await world.untilSame();
      assert.equal(
        world.lined("source").map(({ source }) => source),
        ["watch"],
      );
    },
    "a",
    "b",
  ),
);

watched("watches a new folder in the place of one that was moved away", async () =>
  running(
    async (world) => {
      renameSync(join(world.root, "roll"), join(world.root, "elsewhere"));
      put(world.root, "roll/b");
      await world.untilSame();
      for (const path of ["roll/later", "elsewhere/later"]) {
        put(world.root, path);
        await world.untilSame();
      }
    },
    "roll/a",
    "other",
  ),
);

watched("tells one save of a desktop program as what it amounts to", async () =>
  running(
    async (world) => {
      const at = (name: string) => join(world.root, name);
      put(world.root, ".cut.tmp", "second version");
      renameSync(at("cut"), at("cut.bak"));
      renameSync(at(".cut.tmp"), at("cut"));
      rmSync(at("cut.bak"));
      await world.untilSame();
      const told = world.events().map(({ event_type, path }) => `${event_type} ${path}`);
      assert.equal(told.slice(2), ["modify cut"]);
    },
    "cut",
    "other",
  ),
);

watched("follows no link out of the root", async () =>
  running(async (world) => {
    const outside = temporaryFolder();
    linkTo(outside, join(world.root, "out"));
    put(outside, "secret");
    put(world.root, "inside");
    await world.untilSame();
    assert.equal(
      world.events().map(({ path }) => path),
      ["a", "inside"],
    );
  }, "a"),
);

watched("finds by passes what it cannot watch", async () => {
  const world = await World.open(server);
  worlds.push(world);
  for (const path of ["day 1/a", "day 2/b", "quiet/deep/c"]) put(world.root, path);
  await world.once();
  const { settings } = world.options();
  settings.partial_pass_minutes = 0.002;
  put(world.root, "day 1/roll/recent"); // the folder of the last event is looked at again
  await world.running(
    async () => {
      await world.untilSame();
      const { prototype } = Watch as unknown as { prototype: { entered(): void } };
      const entered = prototype.entered;
      prototype.entered = () => {};
      try {
        put(world.root, "day 1/roll/late");
        put(world.root, "day 3/new folder/x");
        await world.untilSame();
      } finally {
        prototype.entered = entered;
      }
    },
    { settings },
  );
});

watched("says once that there are too many folders to watch", async () => {
  const root = temporaryFolder();
  const failures: string[] = [];
  const hints: string[] = [];
  const watch = new Watch({
    root,
    most: 2,
    hint: (path) => hints.push(path),
    failed: (reason) => failures.push(reason),
  });
  for (const folder of ["", "a", "b", "c"]) {
    mkdirSync(join(root, folder), { recursive: true });
    watch.entered(folder);
  }
  put(root, "a/file");
  await until(() => hints.includes("a/file"));
  watch.close();
  const isWhole = process.platform !== "linux" || "Deno" in globalThis;
  assert.equal(failures, isWhole ? [] : ["2 folders are watched, which is the most"]);
});
watched.after(async () => {
  for (const world of worlds) world.remove();
  await server.stop();
});
watched.run();
