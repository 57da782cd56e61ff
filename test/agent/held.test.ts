// A root that disappears: no deletes are reported until the root is seen again or the deletes are confirmed.
// Thorough: only --all runs it.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runAgent } from "../../src/agent/agent.ts";
import { readStatus } from "../../src/agent/status.ts";
import { AgentHarness, openTestServer, put, tallylight, until } from "../support/agent_harness.ts";

const server = await openTestServer();
const harnesses: AgentHarness[] = [];

/** A harness whose server knows `files` files, in folders of ten. */
async function openKnown(files: number): Promise<AgentHarness> {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  for (let n = 0; n < files; n++) put(harness.root, `roll ${Math.floor(n / 10)}/${n}`);
  await harness.once();
  return harness;
}
const deletes = (harness: AgentHarness) => harness.events().filter(({ event_type }) => event_type === "delete").length;
const aside = (harness: AgentHarness) => `${harness.root}.aside`;
const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
};

const succeeds = (program: string, ...words: string[]): boolean =>
  spawnSync(program, words, { stdio: "ignore" }).status === 0;

const held = suite("deletes while the root is missing");

held("are held if an empty folder replaces the root, also after a restart", async () => {
  const harness = await openKnown(30);
  renameSync(harness.root, aside(harness));
  mkdirSync(harness.root);
  for (let round = 0; round < 2; round++) assert.is((await harness.once()).held?.reason, "the root is empty");
  assert.equal([deletes(harness), harness.logged("held").length], [0, 1]);
  assert.match(String(readStatus(harness.state).held?.reason), /empty/);
  rmSync(harness.root, { recursive: true });
  renameSync(aside(harness), harness.root);
  rmSync(join(harness.root, "roll 1"), { recursive: true });
  const seen = await harness.once();
  assert.equal([seen.held, seen.deleted, deletes(harness)], [null, 10, 10]);
  harness.assertInSync();
});

held("are held if no known file is left, whatever else the root contains, until they are confirmed", async () => {
  const harness = await openKnown(12);
  emptyFolder(harness.root);
  put(harness.root, "something else");
  const { held, created } = await harness.once();
  assert.equal([held?.reason, held?.deletes, created], ["none of the 12 known files is there", 12, 1]);
  for (let round = 0; round < 2; round++) assert.is((await harness.once()).held?.reason, held?.reason);
  assert.is(deletes(harness), 0);
  assert.equal([(await harness.once({ confirmDeletes: true })).deleted, (await harness.once()).held], [12, null]);
  harness.assertInSync();
});

held("are reported if another folder has at least half of the known files, and held if it has fewer", async () => {
  const harness = await openKnown(40);
  execFileSync("cp", ["-a", harness.root, aside(harness)]);
  rmSync(harness.root, { recursive: true });
  renameSync(aside(harness), harness.root);
  for (const roll of [0, 1, 2]) rmSync(join(harness.root, `roll ${roll}`), { recursive: true });
  assert.match((await harness.once()).held?.reason ?? "", /another folder than before, and holds 10 of 40 known files/);
  assert.is(deletes(harness), 0);
  const { filespace, key, root, state } = harness;
  const flags = ["--url", server.url, "--key", key, "--filespace", filespace, "--root", root, "--state", state];
  const held = await tallylight("agent", "--once", ...flags);
  assert.match(
    held.err,
    /no deletes were reported, because the root is another folder .*; --confirm-deletes reports them\n$/,
  );
  assert.is((await tallylight("agent", "--once", "--confirm-deletes", ...flags)).status, 0);
  harness.assertInSync();
  assert.is((await harness.once()).held, null);
});

held(
  "are reported for a single file, and for a folder with most of the files, while the root is the same folder",
  async () => {
    const harness = await openKnown(1);
    emptyFolder(harness.root);
    assert.equal([(await harness.once()).held, deletes(harness)], [null, 1]);
    const larger = await openKnown(30);
    for (const roll of [0, 1]) rmSync(join(larger.root, `roll ${roll}`), { recursive: true });
    assert.equal([(await larger.once()).held, deletes(larger)], [null, 20]);
  },
);

held("are held if the root disappears during a pass, and reported when it is back", async () => {
  const harness = await openKnown(400);
  for (let n = 0; n < 1500; n++) put(harness.root, `new ${Math.floor(n / 100)}/${n}`);
  const options = harness.options({}, { once: true });
  let calls = 0;
  const summary = await runAgent({
    ...options,
    log(event, fields) {
      if (event === "batch" && calls++ === 0) renameSync(harness.root, aside(harness)); // while the pass continues
      options.log(event, fields);
    },
  });
  assert.ok(calls > 0 && summary?.held, `${calls} batches`);
  assert.is(deletes(harness), 0);
  renameSync(aside(harness), harness.root);
  rmSync(join(harness.root, "roll 3"), { recursive: true });
  assert.is((await harness.once()).deleted, 10);
  harness.assertInSync();
});

held("are held by a running agent, which logs it and continues when the root is back", async () => {
  const harness = await openKnown(50);
  await harness.running(async () => {
    await until(() => harness.logged("pass").length > 1);
    renameSync(harness.root, aside(harness));
    await until(() => harness.logged("held").length === 1);
    assert.is(harness.logged("held")[0]?.reason, "the root is not there");
    mkdirSync(harness.root);
    await until(() => readStatus(harness.state).held?.reason === "the root is empty");
    assert.is(deletes(harness), 0);
    rmSync(harness.root, { recursive: true });
    put(aside(harness), "made meanwhile");
    rmSync(join(aside(harness), "roll 2"), { recursive: true });
    renameSync(aside(harness), harness.root);
    await harness.untilInSync();
    assert.equal([harness.logged("released").length, deletes(harness)], [1, 10]);
  });
});

held("are held for files that disappear just before the root, and reported when it is back", async () => {
  const harness = await openKnown(30);
  await harness.running(
    async () => {
      await until(() => harness.logged("pass").length > 1);
      for (const n of [1, 2, 3]) rmSync(join(harness.root, `roll 0/${n}`));
      renameSync(harness.root, aside(harness));
      mkdirSync(harness.root);
      // On a busy machine the agent may notice the root first: then nothing was ever waiting.
      await until(() => {
        const { spool, held } = readStatus(harness.state);
        return spool === 0 && held?.reason === "the root is empty";
      });
      assert.is(deletes(harness), 0);
      rmSync(harness.root, { recursive: true });
      renameSync(aside(harness), harness.root);
      await harness.untilInSync();
    },
    { settle: 2_000 }, // the status is written twice a second: it shows what waits
  );
  assert.is(deletes(harness), 3);
});

held("are held if a file system is unmounted while the agent runs", async () => {
  const harness = await openKnown(0);
  // this user is not allowed to mount
  if (!succeeds("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", harness.root)) return;
  try {
    for (let n = 0; n < 40; n++) put(harness.root, `roll/${n}`);
    await harness.running(async () => {
      await harness.untilInSync();
      assert.ok(succeeds("umount", "-l", harness.root));
      await until(() => readStatus(harness.state).held !== null);
      const saved = new Set<string>();
      await until(() => saved.add(readStatus(harness.state).updated_at).size > 2); // it has looked again
      assert.is(deletes(harness), 0);
    });
    assert.equal([(await harness.once()).held?.reason, deletes(harness)], ["the root is empty", 0]);
  } finally {
    succeeds("umount", "-l", harness.root);
  }
});
held.after(async () => {
  for (const harness of harnesses) {
    harness.remove();
    rmSync(aside(harness), { recursive: true, force: true });
  }
  await server.stop();
});
held.run();
