// tallylight agent --once: what a full pass reports, and what bad input gets.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Journal } from "../../src/agent/journal/journal.ts";
import type { Report } from "../../src/agent/report.ts";
import { readStatus } from "../../src/agent/status.ts";
import { reportSeen } from "../support/agent_sight.ts";
import {
  linkTo,
  type Outcome,
  openTestServer,
  put,
  tallylight,
  temporaryFolder,
  World,
} from "../support/agent_world.ts";

const server = await openTestServer();
const worlds: World[] = [];
const openWorld = async (): Promise<World> => {
  const world = await World.open(server);
  worlds.push(world);
  return world;
};
const run = ({ filespace, key, root, state }: World, ...rest: string[]): Promise<Outcome> =>
  tallylight(
    ...["agent", "--once", "--url", server.url, "--key", key, "--filespace", filespace],
    ...["--root", root, "--state", state, ...rest],
  );

const pass = suite("a full pass");

pass("reports creates, modifies and deletes with size and mtime_ns to the digit, and nothing twice", async () => {
  const world = await openWorld();
  for (const path of ["a.mxf", "day 1/b.mxf", "day 1/roll/c.mxf", "day-1/d.mxf", "ü/日本.mxf", "e\u0301.mxf"])
    put(world.root, path);
  execFileSync("touch", ["-d", "2026-03-01 09:00:00.123456789Z", join(world.root, "a.mxf")]);
  assert.is((await world.once()).created, 6);
  world.assertSame();
  assert.ok(world.present().includes("a.mxf 5 1772355600123456789"), String(world.present()));
  put(world.root, "a.mxf", "longer than before");
  rmSync(join(world.root, "day 1/roll"), { recursive: true });
  const { created, modified, deleted, accepted } = await world.once();
  assert.equal([created, modified, deleted, accepted], [0, 1, 1, 2]);
  world.assertSame();
  assert.is((await world.once()).accepted, 0);
  assert.equal(new Set(world.events().map(({ source }) => source)), new Set(["reconciler"]));
});

pass("a file that left and came back unchanged is reported again", async () => {
  const world = await openWorld();
  for (const path of ["stays", "leaves"]) put(world.root, path);
  const away = join(world.state, "leaves");
  for (let round = 0; round < 3; round++) {
    await world.once();
    renameSync(join(world.root, "leaves"), away);
    await world.once();
    assert.is(world.present().length, 1);
    renameSync(away, join(world.root, "leaves"));
    await world.once();
    world.assertSame();
  }
  const keys = world.events().map(({ dedupe_key }) => dedupe_key);
  assert.is(new Set(keys).size, 8);
});

pass("a file that is put back to a former state is reported each time", async () => {
  const world = await openWorld();
  const file = join(world.root, "grade.drx");
  for (const [size, seconds] of [
    [3, 1_800_000_000],
    [5, 1_800_000_009],
    [3, 1_800_000_000],
    [5, 1_800_000_009],
  ] as const) {
    writeFileSync(file, "x".repeat(size));
    utimesSync(file, seconds, seconds);
    assert.is((await world.once()).accepted, 1);
    world.assertSame();
  }
});

pass("a state that was lost reports everything once more, as duplicates", async () => {
  const world = await openWorld();
  for (const path of ["a", "b/c"]) put(world.root, path);
  await world.once();
  rmSync(world.state, { recursive: true });
  const { accepted, duplicates } = await world.once();
  assert.equal([accepted, duplicates], [0, 2]);
});

pass("a damaged journal is set aside, whenever it is found, and everything is reported anew", async () => {
  const world = await openWorld();
  for (const path of ["a", "b", "c"]) put(world.root, path);
  await world.once();
  const folder = join(world.state, "journal");
  writeFileSync(join(folder, "journal.json"), "{");
  assert.is((await world.once()).duplicates, 3);
  const journal = Journal.open(folder, { filespace: world.filespace, mostRecent: 1 });
  for (const path of ["a", "d"]) {
    journal.begin([reportSeen(journal, path, { size: 1, mtime_ns: "1" }) as Report]);
    journal.settle([]);
  }
  journal.close();
  const [run = ""] = globSync(join(folder, "run-*"));
  writeFileSync(run, readFileSync(run).fill(0x78, 0, 3));
  const sentence = await world.once().catch((error: Error) => error.message);
  assert.match(
    String(sentence),
    /^the journal was damaged \(.*\) and is set aside as .*; started again, the agent reports/,
  );
  assert.equal([(await world.once()).duplicates, globSync(`${folder}.damaged-*`).length], [3, 2]);
  world.assertSame();
});

pass("passes over links, what systems leave lying about, and what the settings name", async () => {
  const world = await openWorld();
  for (const path of ["kept.mov", ".DS_Store", "day/._kept.mov", ".lucid_audit/n/2026/03/x.log", "cache/x", "a/b.tmp"])
    put(world.root, path);
  put(world.root, "proxies/day 1/x.mov");
  mkdirSync(join(world.root, "empty"));
  linkTo("/etc", join(world.root, "outside"));
  linkTo(join(world.root, "kept.mov"), join(world.root, "link.mov"));
  const config = join(world.state, "config.json");
  writeFileSync(config, JSON.stringify({ ignore: ["cache", "*.tmp", "/proxies/day */**"] }));
  assert.match((await run(world, "--config", config)).out, /^1 files: 1 created/);
  assert.equal(
    world.present().map((line) => line.split(" ")[0]),
    ["kept.mov"],
  );
});

pass("what becomes ignored is not deleted; a file that becomes a folder, or a link, is", async () => {
  const world = await openWorld();
  for (const path of ["a.tmp", "b", "c", "d"]) put(world.root, path);
  await world.once();
  const options = world.options();
  options.settings.ignore = ["*.tmp"];
  for (const path of ["b", "c"]) rmSync(join(world.root, path));
  put(world.root, "b/inside");
  linkTo("d", join(world.root, "c"));
  const { created, deleted } = await world.once({ settings: options.settings });
  assert.equal([created, deleted], [1, 2]);
  assert.equal(
    world.present().map((line) => line.split(" ")[0]),
    ["a.tmp", "b/inside", "d"],
  );
});

pass("a refused file is logged with its reason, and not sent again until it changes", async () => {
  const world = await openWorld();
  put(world.root, "back\\slash.mov");
  put(world.root, "fine.mov");
  const { refused, accepted } = await world.once();
  assert.equal([refused, accepted], [1, 1]);
  assert.match(String(world.lined("refused")[0]?.reason), /path must be relative to the filespace and normalised/);
  assert.is(readStatus(world.state).refusals[0]?.path, "back\\slash.mov");
  assert.is((await world.once()).refused, 0);
  put(world.root, "back\\slash.mov", "other bytes");
  assert.is((await world.once()).refused, 1);
  rmSync(join(world.root, "back\\slash.mov"));
  assert.equal([(await world.once()).deleted, world.present().length], [1, 1]);
});

pass("logs a line of JSON for each batch of at most 1,000 events", async () => {
  const world = await openWorld();
  for (let n = 0; n < 2100; n++) put(world.root, `roll ${n % 3}/${n}`, "");
  await world.once();
  assert.equal(
    world.lined("batch").map(({ events }) => events),
    [1000, 1000, 100],
  );
  world.assertSame();
});
pass.run();

const command = suite("tallylight agent");

command("prints what it did, as text or as JSON, and takes the key from the environment", async () => {
  const world = await openWorld();
  put(world.root, "a");
  const first = await run(world, "--json");
  assert.equal([first.status, JSON.parse(first.out).created], [0, 1], first.err);
  const { filespace, key, root, state } = world;
  process.env.TALLYLIGHT_KEY = key;
  const rest = ["--filespace", filespace, "--root", root, "--state", state];
  const second = await tallylight("agent", "--once", "--url", `${server.url}/`, ...rest);
  delete process.env.TALLYLIGHT_KEY;
  assert.equal([second.status, second.out.split("\n")[0]], [0, "1 files: 0 created, 0 modified, 0 deleted, 0 refused"]);
});

command("reads everything from a configuration file, and flags win over it", async () => {
  const world = await openWorld();
  put(world.root, "a");
  const { filespace, key, root, state } = world;
  const config = join(temporaryFolder(), "agent.json");
  writeFileSync(config, JSON.stringify({ url: "http://127.0.0.1:1", key, filespace, root, state, moves_seconds: 3 }));
  const { status, out } = await tallylight("agent", "--once", "--config", config, "--url", server.url);
  assert.equal([status, out.split(":")[0]], [0, "1 files"]);
  const shown = await tallylight("agent", "status", "--config", config);
  assert.equal([shown.status, shown.err], [0, ""]);
});

command(
  "a wrong key, filespace, root or setting is one sentence and exit status 1, and leaves no journal",
  async () => {
    const world = await openWorld();
    put(world.root, "a");
    const config = join(temporaryFolder(), "agent.json");
    const withConfig = (text: string): string[] => {
      writeFileSync(config, text);
      return ["--config", config];
    };
    const cases: [flags: string[], sentence: RegExp][] = [
      [["--key", "tl_wrong"], /^http:\/\/127.0.0.1:\d+ refuses the key: .+\n$/],
      [["--key", "tl wrong"], /^the key has characters that no key has\n$/],
      [["--filespace", "other"], /^the server refuses the filespace other: filespace must be the active filespace/],
      [["--root", join(world.root, "none")], /^the root .*none does not exist\n$/],
      [["--root", join(world.root, "a")], /^the root .* is not a folder\n$/],
      [["--state", join(world.root, "state")], /^the state .* must not lie within the root; give another --state\n$/],
      [["--url", "ftp://x"], /^--url takes an http or https address, not ftp:\/\/x\n$/],
      [["--url", `${server.url}/nowhere`], /does not answer as a Tallylight server does|not found/],
      [withConfig("{"), /agent\.json cannot be read: it is not JSON\n$/],
      [["--config", "/nowhere.json"], /^\/nowhere.json cannot be read: ENOENT\n$/],
    ];
    for (const [flags, sentence] of cases) {
      const { status, out, err } = await run(world, ...flags);
      assert.equal([status, out], [1, ""], flags.join(" "));
      assert.match(err, sentence);
      assert.is(err.trim().split("\n").length, 1, err);
    }
    for (const [text, sentence] of [
      ['{"roots":"x"}', /roots is not a setting\n$/],
      ['{"ignore":"x"}', /ignore must be a list of texts\n$/],
      ['{"full_pass_hours":0}', /full_pass_hours must be a number from 0.01 to 1000\n$/],
    ] as const)
      assert.match((await run(world, ...withConfig(text))).err, sentence);
    assert.not.ok(existsSync(join(world.state, "journal")));
  },
);

command("a missing setting is misuse", async () => {
  const { status, out, err } = await tallylight("agent", "--once", "--url", server.url, "--key", "tl_x");
  assert.equal([status, out], [2, ""]);
  assert.is(err, "the filespace is missing: give --filespace or a configuration file; see tallylight agent --help\n");
});

command("the state of another filespace is refused", async () => {
  const world = await openWorld();
  put(world.root, "a");
  await world.once();
  const other = await openWorld();
  const { status, err } = await run(other, "--state", world.state);
  assert.equal([status, /is the state of the filespace .*; give another --state/.test(err)], [1, true], err);
});

command("without the server it waits a while, and then says so", async () => {
  const world = await openWorld();
  const options = { ...world.options({ url: "http://127.0.0.1:1" }), once: true, patience: 200 };
  const { runAgent } = await import("../../src/agent/agent.ts");
  await runAgent(options).then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, /^http:\/\/127.0.0.1:1 cannot be used: the connection failed: /),
  );
});

command("--dry-run says what it would report, and changes nothing anywhere", async () => {
  const world = await openWorld();
  for (const path of ["a", "b", "c"]) put(world.root, path);
  rmSync(world.state, { recursive: true });
  const first = await run(world, "--dry-run", "--json");
  assert.equal([first.status, existsSync(world.state), world.events()], [0, false, []]);
  assert.match(first.err, /"would_report","event_type":"create","path":"a"/);
  await world.once();
  put(world.root, "a", "changed");
  rmSync(join(world.root, "b"));
  const { dry_run, ...counts } = JSON.parse((await run(world, "--dry-run", "--json")).out);
  assert.equal([dry_run, counts], [true, { files: 2, create: 0, modify: 1, delete: 1, stand_ins: 0, held: null }]);
  assert.is((await world.once()).accepted, 2);
});

command("status shows the last contact, counts and refusals, also of an agent that runs", async () => {
  const world = await openWorld();
  put(world.root, "a\\b");
  await world.once();
  const shown = await tallylight("agent", "status", "--state", world.state);
  assert.match(
    shown.out,
    /not running\nlast contact: 20.*\n.*\nfiles present: 0; .*\nevents: 0 accepted, 0 duplicates, 1/,
  );
  assert.match(shown.out, /refused 20\S+ a\\b: path must be relative/);
  await world.running(async () => {
    const { out } = await tallylight("agent", "status", "--state", world.state, "--json");
    assert.equal([JSON.parse(out).running, JSON.parse(out).filespace], [true, world.filespace]);
    const second = await run(world);
    assert.equal([second.status, /an agent \(process \d+\) is running|has just started/.test(second.err)], [1, true]);
  });
  const none = await tallylight("agent", "status", "--state", "/nowhere");
  assert.equal([none.status, /is not the state of an agent/.test(none.err)], [1, true]);
});
command.after(async () => {
  for (const world of worlds) world.remove();
  await server.stop();
});
command.run();
