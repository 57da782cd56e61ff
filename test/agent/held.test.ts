// A root that vanishes: no delete is reported of what is not there, until it has been seen again or the deletes are confirmed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runAgent } from "../../src/agent/agent.ts";
import { readStatus } from "../../src/agent/status.ts";
import { openTestServer, put, tallylight, until, World } from "../support/agent_world.ts";

const server = await openTestServer();
const worlds: World[] = [];

/** A world whose server knows `files` files, in folders of ten. */
async function openKnown(files: number): Promise<World> {
  const world = await World.open(server);
  worlds.push(world);
  for (let n = 0; n < files; n++) put(world.root, `roll ${Math.floor(n / 10)}/${n}`);
  await world.once();
  return world;
}
const deletes = (world: World) => world.events().filter(({ event_type }) => event_type === "delete").length;
const aside = (world: World) => `${world.root}.aside`;
const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
};

const succeeds = (program: string, ...words: string[]): boolean =>
  spawnSync(program, words, { stdio: "ignore" }).status === 0;

const held = suite("deletes of a root that is not there");

held("an empty folder in its place is no filespace: nothing is deleted, also after a restart", async () => {
  const world = await openKnown(30);
  renameSync(world.root, aside(world));
  mkdirSync(world.root);
  for (let round = 0; round < 2; round++) assert.is((await world.once()).held?.reason, "the root is empty");
  assert.equal([deletes(world), world.lined("held").length], [0, 1]);
  assert.match(String(readStatus(world.state).held?.reason), /empty/);
  rmSync(world.root, { recursive: true });
  renameSync(aside(world), world.root);
  rmSync(join(world.root, "roll 1"), { recursive: true });
  const seen = await world.once();
  assert.equal([seen.held, seen.deleted, deletes(world)], [null, 10, 10]);
  world.assertSame();
});

held("a tree of which nothing is left is held, whatever its root says, until it is confirmed", async () => {
  const world = await openKnown(12);
  emptyFolder(world.root);
  put(world.root, "something else");
  const { held, created } = await world.once();
  assert.equal([held?.reason, held?.deletes, created], ["none of the 12 known files is there", 12, 1]);
  for (let round = 0; round < 2; round++) assert.is((await world.once()).held?.reason, held?.reason);
  assert.is(deletes(world), 0);
  assert.equal([(await world.once({ confirmDeletes: true })).deleted, (await world.once()).held], [12, null]);
  world.assertSame();
});

held(
  "another folder with half of the known files is the same filespace mounted anew; with fewer it is not",
  async () => {
    const world = await openKnown(40);
    execFileSync("cp", ["-a", world.root, aside(world)]);
    rmSync(world.root, { recursive: true });
    renameSync(aside(world), world.root);
    for (const roll of [0, 1, 2]) rmSync(join(world.root, `roll ${roll}`), { recursive: true });
    assert.match((await world.once()).held?.reason ?? "", /another folder than before, and holds 10 of 40 known files/);
    assert.is(deletes(world), 0);
    const { filespace, key, root, state } = world;
    const flags = ["--url", server.url, "--key", key, "--filespace", filespace, "--root", root, "--state", state];
    const held = await tallylight("agent", "--once", ...flags);
    assert.match(
      held.err,
      /no deletes were reported, because the root is another folder .*; --confirm-deletes reports them\n$/,
    );
    assert.is((await tallylight("agent", "--once", "--confirm-deletes", ...flags)).status, 0);
    world.assertSame();
    assert.is((await world.once()).held, null);
  },
);

held("a single file may go, and a folder with most of the files too, while the root stays what it was", async () => {
  const world = await openKnown(1);
  emptyFolder(world.root);
  assert.equal([(await world.once()).held, deletes(world)], [null, 1]);
  const larger = await openKnown(30);
  for (const roll of [0, 1]) rmSync(join(larger.root, `roll ${roll}`), { recursive: true });
  assert.equal([(await larger.once()).held, deletes(larger)], [null, 20]);
});

held(
  "a root that vanishes in the middle of a walk deletes nothing, and what is left is reported when it is back",
  async () => {
    const world = await openKnown(400);
    for (let n = 0; n < 1500; n++) put(world.root, `new ${Math.floor(n / 100)}/${n}`);
    const options = world.options({}, { once: true });
    let calls = 0;
    const summary = await runAgent({
      ...options,
      log(event, fields) {
        if (event === "batch" && calls++ === 0) renameSync(world.root, aside(world)); // while the walk goes on
        options.log(event, fields);
      },
    });
    assert.ok(calls > 0 && summary?.held, `${calls} batches`);
    assert.is(deletes(world), 0);
    renameSync(aside(world), world.root);
    rmSync(join(world.root, "roll 3"), { recursive: true });
    assert.is((await world.once()).deleted, 10);
    world.assertSame();
  },
);

held("an agent that runs says so, holds, and goes on when the root is back", async () => {
  const world = await openKnown(50);
  await world.running(async () => {
    await until(() => world.lined("pass").length > 1);
    renameSync(world.root, aside(world));
    await until(() => world.lined("held").length === 1);
    assert.is(world.lined("held")[0]?.reason, "the root is not there");
    mkdirSync(world.root);
    await until(() => readStatus(world.state).held?.reason === "the root is empty");
    assert.is(deletes(world), 0);
    rmSync(world.root, { recursive: true });
    put(aside(world), "made meanwhile");
    rmSync(join(aside(world), "roll 2"), { recursive: true });
    renameSync(aside(world), world.root);
    await world.untilSame();
    assert.equal([world.lined("released").length, deletes(world)], [1, 10]);
  });
});

held("files that go just before the root does are held too, and reported when it is back", async () => {
  const world = await openKnown(30);
  await world.running(
    async () => {
      await until(() => world.lined("pass").length > 1);
      for (const n of [1, 2, 3]) rmSync(join(world.root, `roll 0/${n}`));
      renameSync(world.root, aside(world));
      mkdirSync(world.root);
      await until(() => readStatus(world.state).spool > 0);
      await until(() => readStatus(world.state).spool === 0);
      assert.equal([deletes(world), readStatus(world.state).held?.reason], [0, "the root is empty"]);
      rmSync(world.root, { recursive: true });
      renameSync(aside(world), world.root);
      await world.untilSame();
    },
    { settle: 300 },
  );
  assert.is(deletes(world), 3);
});

held("a file system that is unmounted while the agent runs is not a deletion", async () => {
  const world = await openKnown(0);
  if (!succeeds("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", world.root)) return; // this user may not mount
  try {
    for (let n = 0; n < 40; n++) put(world.root, `roll/${n}`);
    await world.running(async () => {
      await world.untilSame();
      assert.ok(succeeds("umount", "-l", world.root));
      await until(() => readStatus(world.state).held !== null);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.is(deletes(world), 0);
    });
    assert.equal([(await world.once()).held?.reason, deletes(world)], ["the root is empty", 0]);
  } finally {
    succeeds("umount", "-l", world.root);
  }
});
held.after(async () => {
  for (const world of worlds) {
    world.remove();
    rmSync(aside(world), { recursive: true, force: true });
  }
  await server.stop();
});
held.run();
