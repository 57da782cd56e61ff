// An agent without an audit trail: it notices changes by watching, and by passes if it cannot watch.
import { appendFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Watch } from "../../src/agent/watch.ts";
import { AgentHarness, linkTo, openTestServer, put, temporaryFolder, until } from "../support/agent_harness.ts";

const server = await openTestServer();
const harnesses: AgentHarness[] = [];
async function running(work: (harness: AgentHarness) => Promise<void>, ...paths: string[]): Promise<void> {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  for (const path of paths) put(harness.root, path);
  await harness.running(async () => {
    await until(() => harness.logged("pass").length === 1);
    await work(harness);
  });
}

const watched = suite("an agent that watches");

watched("notices files and folders that are created, changed, moved and removed", async () =>
  running(
    async (harness) => {
      const at = (path: string) => join(harness.root, path);
      put(harness.root, "new folder/deeper/file");
      await harness.untilInSync();
      appendFileSync(at("new folder/deeper/file"), "more");
      await harness.untilInSync();
      renameSync(at("new folder"), at("renamed"));
      await harness.untilInSync();
      put(harness.root, "renamed/deeper/second");
      renameSync(at("a"), at("renamed/a"));
      await harness.untilInSync();
      rmSync(at("renamed/deeper"), { recursive: true });
      mkdirSync(at("renamed/deeper"));
      put(harness.root, "renamed/deeper/third");
      await harness.untilInSync();
      assert.equal(
        harness.logged("source").map(({ source }) => source),
        ["watch"],
      );
    },
    "a",
    "b",
  ),
);

watched("watches a new folder that replaces one that was moved away", async () =>
  running(
    async (harness) => {
      renameSync(join(harness.root, "roll"), join(harness.root, "elsewhere"));
      put(harness.root, "roll/b");
      await harness.untilInSync();
      for (const path of ["roll/later", "elsewhere/later"]) {
        put(harness.root, path);
        await harness.untilInSync();
      }
    },
    "roll/a",
    "other",
  ),
);

watched("reports only the result of one save by a desktop program", async () =>
  running(
    async (harness) => {
      const at = (name: string) => join(harness.root, name);
      put(harness.root, ".cut.tmp", "second version");
      renameSync(at("cut"), at("cut.bak"));
      renameSync(at(".cut.tmp"), at("cut"));
      rmSync(at("cut.bak"));
      await harness.untilInSync();
      const reportedEvents = harness.events().map(({ event_type, path }) => `${event_type} ${path}`);
      assert.equal(reportedEvents.slice(2), ["modify cut"]);
    },
    "cut",
    "other",
  ),
);

watched("follows no link out of the root", async () =>
  running(async (harness) => {
    const outside = temporaryFolder();
    linkTo(outside, join(harness.root, "out"));
    put(outside, "secret");
    put(harness.root, "inside");
    await harness.untilInSync();
    assert.equal(
      harness.events().map(({ path }) => path),
      ["a", "inside"],
    );
  }, "a"),
);

watched("finds by passes what it cannot watch", async () => {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  for (const path of ["day 1/a", "day 2/b", "quiet/deep/c"]) put(harness.root, path);
  await harness.once();
  const { settings } = harness.options();
  settings.partial_pass_minutes = 0.002;
  put(harness.root, "day 1/roll/recent"); // a partial pass reads the folder of the last event again
  await harness.running(
    async () => {
      await harness.untilInSync();
      const { prototype } = Watch as unknown as { prototype: { entered(): void } };
      const entered = prototype.entered;
      prototype.entered = () => {};
      try {
        put(harness.root, "day 1/roll/late");
        put(harness.root, "day 3/new folder/x");
        await harness.untilInSync();
      } finally {
        prototype.entered = entered;
      }
    },
    { settings },
  );
});

watched("reports once that there are too many folders to watch", async () => {
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
  let size = 0;
  await until(() => {
    put(root, "a/file", "x".repeat(++size)); // the system may begin to watch some time after it was asked to
    return hints.includes("a/file");
  });
  watch.close();
  const canWatchAll = process.platform !== "linux" || "Deno" in globalThis;
  assert.equal(failures, canWatchAll ? [] : ["2 folders are watched, which is the most"]);
});
watched.after(async () => {
  for (const harness of harnesses) harness.remove();
  await server.stop();
});
watched.run();
