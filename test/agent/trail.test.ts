// The audit trail: followed through rotations in the middle of a line, and used as a hint to look at a path, never as a
// fact.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hintsOf, Trail } from "../../src/agent/audit/trail.ts";
import { AgentHarness, linkTo, openTestServer, put, temporaryFolder, until } from "../support/agent_harness.ts";
import { sampling } from "../support/sampling.ts";
import { TrailWriter } from "../support/trail_writer.ts";

const server = await openTestServer();
const harnesses: AgentHarness[] = [];
const paths = (text: string): string[] | undefined => hintsOf(text)?.map(({ path }) => path);
const line = (operation: object): string => JSON.stringify({ timestamp: 1, operation });

const lines = suite("a line of the trail");

lines("names the paths to look at; an action that only reads names none; an unknown action names its path", () => {
  const entryPath = "/day 1/A001.mov";
  assert.equal(paths(line({ action: "FileCreate", entryPath })), ["day 1/A001.mov"]);
  assert.equal(paths(line({ action: "Move", entryPath, targetPath: "/b" })), ["day 1/A001.mov", "b"]);
  assert.equal(paths(line({ action: "Teleport", entryPath, targetPath: 7 })), ["day 1/A001.mov"]);
  for (const action of ["FileRead", "PreHydrate", "Pin", "Unpin", "ExtendedAttributeSet", "ExtendedAttributeDelete"])
    assert.equal(paths(line({ action, entryPath })), []);
  assert.equal(paths(line({ action: "FileWritten", entryPath: "/\u00e9" })), ["\u00e9", "e\u0301"]);
});

lines("names nothing if it is invalid or its path is outside the root", () => {
  for (const text of ["", "{", "null", "7", "[]", "{}", '{"operation":null}', '{"operation":{"entryPath":"/a"}}'])
    assert.is(paths(text), undefined, text);
  for (const entryPath of ["", "/", "/..", "/a/../b", "a//b", "/a/.", "/a\0", null, {}])
    assert.equal(paths(line({ action: "FileCreate", entryPath })), [], String(entryPath));
});
const trails = suite("the audit trail");

/** Writes a text in pieces, rotates and polls in between; returns the lines that the trail gave. */
async function follow(text: Buffer, cuts: { at: number; rotate: boolean; poll: boolean }[]): Promise<string[]> {
  const root = temporaryFolder();
  const writer = new TrailWriter(root);
  writer.act({ action: "FileCreate", path: "before" });
  const given: string[] = [];
  const trail = new Trail({ root, line: (found) => given.push(found), broken: (reason) => given.push(reason) });
  await trail.begin();
  let from = 0;
  for (const { at, rotate, poll } of [...cuts, { at: text.length, rotate: false, poll: true }]) {
    writer.write(text.subarray(from, at));
    from = Math.max(from, at);
    if (rotate) writer.rotate();
    if (poll) await trail.poll();
  }
  for (let polls = 0; polls < 2; polls++) await trail.poll();
  rmSync(root, { recursive: true });
  return given;
}

trails("gives every line once, wherever it is cut, rotated and read", async () => {
  const root = temporaryFolder();
  const writer = new TrailWriter(root);
  const wanted = ["a", "ü/é", "日本 1.mov", "last"].map((path) => writer.line({ action: "FileCreate", path }));
  const text = Buffer.from(wanted.join(""));
  const cut = fc.record({ at: fc.nat(text.length), rotate: fc.boolean(), poll: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(cut, { maxLength: 6 }), async (cuts) => {
      const sorted = cuts.sort((a, b) => a.at - b.at);
      assert.equal(
        await follow(text, sorted),
        wanted.map((line) => line.trim()),
      );
    }),
    sampling(60),
  );
});

trails("begins at the end, or at the beginning of a line that is being written", async () => {
  const root = temporaryFolder();
  const writer = new TrailWriter(root);
  const [old, cut, next] = ["old", "cut", "next"].map((path) => writer.line({ action: "FileCreate", path }));
  writer.write(`${old}${cut?.slice(0, 20)}`);
  const given: string[] = [];
  const trail = new Trail({ root, line: (text) => given.push(text), broken: assert.unreachable });
  await trail.begin();
  writer.write(`${cut?.slice(20)}${next}`);
  const second = new TrailWriter(root, "another");
  second.act({ action: "FileCreate", path: "by another device" });
  await trail.poll();
  assert.equal(
    given.map((text) => paths(text)?.[0]),
    ["cut", "next", "by another device"],
  );
});

trails("skips a line without an end and continues after it", async () => {
  const root = temporaryFolder();
  const writer = new TrailWriter(root);
  const given: string[] = [];
  const trail = new Trail({ root, line: (text) => given.push(text), broken: (reason) => given.push(reason) });
  await trail.begin();
  for (let part = 0; part < 20; part++) writer.write("x".repeat(100_000));
  await trail.poll();
  writer.write("\n");
  writer.act({ action: "FileCreate", path: "after" });
  await trail.poll();
  assert.equal([given.length, given[0], paths(given.at(-1) as string)], [2, "a line is too long", ["after"]]);
});
/** Runs `work` with a filespace that has a trail, and an agent that follows the trail. */
async function withAgent(work: (harness: AgentHarness, writer: TrailWriter) => Promise<void>): Promise<void> {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  const writer = new TrailWriter(harness.root);
  put(harness.root, "stays");
  await harness.running(async () => {
    await until(() => harness.logged("pass").length === 1);
    assert.equal(
      harness.logged("source").map(({ source }) => source),
      ["audit trail"],
    );
    await work(harness, writer);
  });
}
const reportedEvents = (harness: AgentHarness): string[] =>
  harness.events().map(({ event_type, path }) => `${event_type} ${path}`);

const followed = suite("an agent on a filespace with an audit trail");

followed("reports only the result of one save by a desktop program, and checks every line against the disk", async () =>
  withAgent(async (harness, writer) => {
    const file = (name: string) => join(harness.root, name);
    put(harness.root, ".cut.prproj.tmp", "second version");
    renameSync(file("stays"), file("cut.bak"));
    renameSync(file(".cut.prproj.tmp"), file("stays"));
    rmSync(file("cut.bak"));
    const temporary = ".cut.prproj.tmp";
    writer.act(
      { action: "FileCreate", path: temporary },
      { action: "FileWritten", path: temporary },
      { action: "Move", path: "stays", target: "cut.bak" },
      { action: "Move", path: temporary, target: "stays" },
      { action: "FileDelete", path: "cut.bak" },
      { action: "FileCreate", path: "never was" },
      { action: "FileDelete", path: "/../outside" },
    );
    await harness.untilInSync();
    assert.equal(
      harness
        .events()
        .slice(1)
        .map(({ event_type, path, source }) => [event_type, path, source]),
      [["modify", "stays", "audit_tail"]],
    );
  }),
);

followed(
  "follows folders that are created, moved and removed, ignores links out of the root and invalid lines",
  async () =>
    withAgent(async (harness, writer) => {
      for (const name of ["a", "b/c"]) put(harness.root, `day 1/${name}`);
      writer.act({ action: "DirectoryCreate", path: "day 1" });
      await harness.untilInSync();
      renameSync(join(harness.root, "day 1"), join(harness.root, "day one"));
      writer.act({ action: "Move", path: "day 1", target: "day one" });
      await harness.untilInSync();
      linkTo("/etc", join(harness.root, "outside"));
      writer.act({ action: "SymlinkCreate", path: "outside" }, { action: "FileWritten", path: "outside/passwd" });
      rmSync(join(harness.root, "day one/b"), { recursive: true });
      writer.write("no line at all\n");
      writer.act({ action: "DirectoryDelete", path: "day one/b" });
      await harness.untilInSync();
      assert.equal(reportedEvents(harness).slice(1), [
        ...["create day 1/a", "create day 1/b/c", "delete day 1/a", "delete day 1/b/c"],
        ...["create day one/a", "create day one/b/c", "delete day one/b/c"],
      ]);
    }),
);

followed("gives a fact one key, whichever source reports it first", async () => {
  const keys: string[][] = [];
  for (const byTrail of [true, false]) {
    const harness = await AgentHarness.open(server);
    harnesses.push(harness);
    const writer = new TrailWriter(harness.root);
    const touch = (path: string, digit: number) => {
      put(harness.root, path, "x");
      execFileSync("touch", ["-d", `2026-03-01 09:00:00.00${digit}00000${digit}Z`, join(harness.root, path)]);
    };
    const see = async (work: () => void, ...actions: Parameters<TrailWriter["act"]>) => {
      work();
      if (byTrail) writer.act(...actions);
      if (byTrail) await harness.untilInSync();
      else await harness.once();
    };
    const steps = async () => {
      await see(() => touch("a", 1), { action: "FileCreate", path: "a" });
      await see(() => touch("a", 2), { action: "FileWritten", path: "a" });
      await see(() => rmSync(join(harness.root, "a")), { action: "FileDelete", path: "a" });
      await see(() => touch("a", 2), { action: "FileCreate", path: "a" });
    };
    const started = () => until(() => harness.logged("pass").length === 1);
    if (byTrail) await harness.running(() => started().then(steps));
    else await steps();
    keys.push(harness.events().map(({ dedupe_key }) => dedupe_key));
    assert.is(harness.events()[0]?.source, byTrail ? "audit_tail" : "reconciler");
  }
  assert.equal(keys[0], keys[1]);
  assert.is(keys[0]?.length, 4);
});
followed.after(async () => {
  for (const harness of harnesses) harness.remove();
  await server.stop();
});
lines.run();
trails.run();
followed.run();
