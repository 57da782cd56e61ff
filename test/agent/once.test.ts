// tallylight agent --once: what a full pass reports, and the errors for invalid input.
// Thorough: only --all runs it.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readStatus } from "../../src/agent/status.ts";
import {
  AgentHarness,
  linkTo,
  type Outcome,
  openTestServer,
  put,
  tallylight,
  temporaryFolder,
} from "../support/agent_harness.ts";

const server = await openTestServer();
const harnesses: AgentHarness[] = [];
const openHarness = async (): Promise<AgentHarness> => {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  return harness;
};
const run = ({ filespace, key, root, state }: AgentHarness, ...rest: string[]): Promise<Outcome> =>
  tallylight(
    ...["agent", "--once", "--url", server.url, "--key", key, "--filespace", filespace],
    ...["--root", root, "--state", state, ...rest],
  );

/** Overwrites the first page of a table in a database. */
function damage(file: string, table: string): void {
  const database = new Database(file, { readonly: true });
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table));
  database.close();
  writeFileSync(file, readFileSync(file).fill(0x78, (page - 1) * 4096, page * 4096));
}

const pass = suite("a full pass");

pass("reports creates, modifies and deletes with size and exact mtime_ns, and nothing twice", async () => {
  const harness = await openHarness();
  for (const path of ["a.mxf", "day 1/b.mxf", "day 1/roll/c.mxf", "day-1/d.mxf", "ü/日本.mxf", "e\u0301.mxf"])
    put(harness.root, path);
  execFileSync("touch", ["-d", "2026-03-01 09:00:00.123456789Z", join(harness.root, "a.mxf")]);
  assert.is((await harness.once()).created, 6);
  harness.assertInSync();
  assert.ok(harness.present().includes("a.mxf 5 1772355600123456789"), String(harness.present()));
  put(harness.root, "a.mxf", "longer than before");
  rmSync(join(harness.root, "day 1/roll"), { recursive: true });
  const { created, modified, deleted, accepted } = await harness.once();
  assert.equal([created, modified, deleted, accepted], [0, 1, 1, 2]);
  harness.assertInSync();
  assert.is((await harness.once()).accepted, 0);
  assert.equal(new Set(harness.events().map(({ source }) => source)), new Set(["reconciler"]));
});

pass("says how many names are not UTF-8, which no path says, and reports all others", async () => {
  const harness = await openHarness();
  put(harness.root, "take 1.mov");
  put(harness.root, "\ufffd.mov", "a name that has this character itself");
  execFileSync("sh", [
    "-c",
    'cd "$1" && touch "$(printf "caf\\351.mov")" && mkdir "$(printf "\\374ber")" && touch "$(printf "\\374ber/in.mov")"',
    "sh",
    harness.root,
  ]);
  const rehearsed = await run(harness, "--dry-run");
  assert.match(rehearsed.err, /^2 names cannot be reported, because they are not UTF-8; /m);
  const first = await harness.once();
  assert.equal([first.created, first.files, first.not_utf8], [2, 2, 2]);
  const second = await run(harness);
  assert.is(second.status, 0, second.err);
  assert.match(second.err, /^2 names cannot be reported, because they are not UTF-8; /m);
  const { out } = await tallylight("agent", "status", "--state", harness.state);
  assert.match(out, /^2 names cannot be reported/m);
  execFileSync("sh", ["-c", 'rm -r "$1"/*ber "$1"/caf*', "sh", harness.root]);
  assert.is((await harness.once()).not_utf8, 0);
});

pass("reports a file again that was away and came back unchanged", async () => {
  const harness = await openHarness();
  for (const path of ["stays", "leaves"]) put(harness.root, path);
  const away = join(harness.state, "leaves");
  for (let round = 0; round < 3; round++) {
    await harness.once();
    renameSync(join(harness.root, "leaves"), away);
    await harness.once();
    assert.is(harness.present().length, 1);
    renameSync(away, join(harness.root, "leaves"));
    await harness.once();
    harness.assertInSync();
  }
  const keys = harness.events().map(({ dedupe_key }) => dedupe_key);
  assert.is(new Set(keys).size, 8);
});

pass("reports a file each time it returns to a former state", async () => {
  const harness = await openHarness();
  const file = join(harness.root, "grade.drx");
  for (const [size, seconds] of [
    [3, 1_800_000_000],
    [5, 1_800_000_009],
    [3, 1_800_000_000],
    [5, 1_800_000_009],
  ] as const) {
    writeFileSync(file, "x".repeat(size));
    utimesSync(file, seconds, seconds);
    assert.is((await harness.once()).accepted, 1);
    harness.assertInSync();
  }
});

pass("reports everything once more, as duplicates, if its state was lost", async () => {
  const harness = await openHarness();
  for (const path of ["a", "b/c"]) put(harness.root, path);
  await harness.once();
  rmSync(harness.state, { recursive: true });
  const { accepted, duplicates } = await harness.once();
  assert.equal([accepted, duplicates], [0, 2]);
});

pass("sets a damaged journal aside whenever the damage is found, and reports everything again", async () => {
  const harness = await openHarness();
  for (const path of ["a", "b", "c"]) put(harness.root, path);
  await harness.once();
  const file = join(harness.state, "state.db");
  writeFileSync(file, "{".repeat(4096));
  assert.is((await harness.once()).duplicates, 3);
  for (const table of ["files", "state"]) {
    damage(file, table);
    assert.is((await harness.once()).duplicates, 3, table);
  }
  assert.is(harness.logged("journal").length, 3);
  damage(file, "intents");
  const sentence = await harness.once().catch((error: Error) => error.message);
  assert.match(
    String(sentence),
    /^the journal was damaged \(.*\) and is set aside as .*; started again, the agent reports/,
  );
  assert.equal([(await harness.once()).duplicates, globSync(`${file}.damaged-*`).length], [3, 4]);
  harness.assertInSync();
});

pass("ignores links, system files, and what the settings name", async () => {
  const harness = await openHarness();
  for (const path of ["kept.mov", ".DS_Store", "day/._kept.mov", ".lucid_audit/n/2026/03/x.log", "cache/x", "a/b.tmp"])
    put(harness.root, path);
  put(harness.root, "proxies/day 1/x.mov");
  mkdirSync(join(harness.root, "empty"));
  linkTo("/etc", join(harness.root, "outside"));
  linkTo(join(harness.root, "kept.mov"), join(harness.root, "link.mov"));
  const config = join(harness.state, "config.json");
  writeFileSync(config, JSON.stringify({ ignore: ["cache", "*.tmp", "/proxies/day */**"] }));
  assert.match((await run(harness, "--config", config)).out, /^1 files: 1 created/);
  assert.equal(
    harness.present().map((line) => line.split(" ")[0]),
    ["kept.mov"],
  );
});

pass("reports no delete for files that become ignored, but for a file that becomes a folder or a link", async () => {
  const harness = await openHarness();
  for (const path of ["a.tmp", "b", "c", "d"]) put(harness.root, path);
  await harness.once();
  const options = harness.options();
  options.settings.ignore = ["*.tmp"];
  for (const path of ["b", "c"]) rmSync(join(harness.root, path));
  put(harness.root, "b/inside");
  linkTo("d", join(harness.root, "c"));
  const { created, deleted } = await harness.once({ settings: options.settings });
  assert.equal([created, deleted], [1, 2]);
  assert.equal(
    harness.present().map((line) => line.split(" ")[0]),
    ["a.tmp", "b/inside", "d"],
  );
});

pass("logs a refused file with the reason and does not send it again until it changes", async () => {
  const harness = await openHarness();
  put(harness.root, "back\\slash.mov");
  put(harness.root, "fine.mov");
  const { refused, accepted } = await harness.once();
  assert.equal([refused, accepted], [1, 1]);
  assert.match(String(harness.logged("refused")[0]?.reason), /path must be relative to the filespace and normalised/);
  assert.is(readStatus(harness.state).refusals[0]?.path, "back\\slash.mov");
  assert.is((await harness.once()).refused, 0);
  put(harness.root, "back\\slash.mov", "other bytes");
  assert.is((await harness.once()).refused, 1);
  rmSync(join(harness.root, "back\\slash.mov"));
  assert.equal([(await harness.once()).deleted, harness.present().length], [1, 1]);
});

pass("logs a line of JSON for each batch of at most 1,000 events", async () => {
  const harness = await openHarness();
  for (let n = 0; n < 2100; n++) put(harness.root, `roll ${n % 3}/${n}`, "");
  await harness.once();
  assert.equal(
    harness.logged("batch").map(({ events }) => events),
    [1000, 1000, 100],
  );
  harness.assertInSync();
});
pass.run();

const command = suite("tallylight agent");

command("prints a summary as text or JSON and takes the key from the environment", async () => {
  const harness = await openHarness();
  put(harness.root, "a");
  const first = await run(harness, "--json");
  assert.equal([first.status, JSON.parse(first.out).created], [0, 1], first.err);
  const { filespace, key, root, state } = harness;
  process.env.TALLYLIGHT_KEY = key;
  const rest = ["--filespace", filespace, "--root", root, "--state", state];
  const second = await tallylight("agent", "--once", "--url", `${server.url}/`, ...rest);
  delete process.env.TALLYLIGHT_KEY;
  assert.equal([second.status, second.out.split("\n")[0]], [0, "1 files: 0 created, 0 modified, 0 deleted, 0 refused"]);
});

command("reads all settings from a configuration file; flags override them", async () => {
  const harness = await openHarness();
  put(harness.root, "a");
  const { filespace, key, root, state } = harness;
  const config = join(temporaryFolder(), "agent.json");
  writeFileSync(config, JSON.stringify({ url: "http://127.0.0.1:1", key, filespace, root, state, moves_seconds: 3 }));
  const { status, out } = await tallylight("agent", "--once", "--config", config, "--url", server.url);
  assert.equal([status, out.split(":")[0]], [0, "1 files"]);
  const shown = await tallylight("agent", "status", "--config", config);
  assert.equal([shown.status, shown.err], [0, ""]);
});

command(
  "prints one sentence, exits with 1 and leaves no journal for a wrong key, filespace, root or setting",
  async () => {
    const harness = await openHarness();
    put(harness.root, "a");
    const config = join(temporaryFolder(), "agent.json");
    const withConfig = (text: string): string[] => {
      writeFileSync(config, text);
      return ["--config", config];
    };
    const cases: [flags: string[], sentence: RegExp][] = [
      [["--key", "tl_wrong"], /^http:\/\/127.0.0.1:\d+ refuses the key: .+\n$/],
      [["--key", "tl wrong"], /^the key contains characters that a key cannot have\n$/],
      [["--filespace", "other"], /^the server refuses the filespace other: filespace must be the active filespace/],
      [["--root", join(harness.root, "none")], /^the root .*none does not exist\n$/],
      [["--root", join(harness.root, "a")], /^the root .* is not a folder\n$/],
      [["--state", join(harness.root, "state")], /^the state .* must not be inside the root; give another --state\n$/],
      [["--url", "ftp://x"], /^--url takes an http or https address, not ftp:\/\/x\n$/],
      [["--url", `${server.url}/nowhere`], /does not answer as a Tallylight server does|not found/],
      [withConfig("{"), /agent\.json cannot be read: it is not JSON\n$/],
      [["--config", "/nowhere.json"], /^\/nowhere.json cannot be read: it, or a folder above it, does not exist\n$/],
    ];
    for (const [flags, sentence] of cases) {
      const { status, out, err } = await run(harness, ...flags);
      assert.equal([status, out], [1, ""], flags.join(" "));
      assert.match(err, sentence);
      assert.is(err.trim().split("\n").length, 1, err);
    }
    for (const [text, sentence] of [
      ['{"roots":"x"}', /roots is not a setting\n$/],
      ['{"ignore":"x"}', /ignore must be a list of texts\n$/],
      ['{"full_pass_hours":0}', /full_pass_hours must be a number from 0.01 to 1000\n$/],
    ] as const)
      assert.match((await run(harness, ...withConfig(text))).err, sentence);
    assert.not.ok(existsSync(join(harness.state, "state.db")));
  },
);

command("exits with 2 and reports nothing if the root is, holds or is inside a data directory", async () => {
  const harness = await openHarness();
  put(harness.root, "a/tallylight.db", "a database");
  put(harness.root, "a/media/ab/cd", "a picture");
  for (const [root, relation] of [
    ["", "holds"],
    ["a", "is"],
    ["a/media/ab", "is inside"],
  ] as const)
    for (const flag of [[], ["--dry-run"]]) {
      const { status, out, err } = await run(harness, "--root", join(harness.root, root), ...flag);
      assert.equal([status, out], [2, ""], root);
      assert.match(err, new RegExp(`^the root \\S+ ${relation} a data directory of a Tallylight server`));
    }
  assert.not.ok(existsSync(join(harness.state, "state.db")));
});

command("exits with 2 if a setting is missing", async () => {
  const { status, out, err } = await tallylight("agent", "--once", "--url", server.url, "--key", "tl_x");
  assert.equal([status, out], [2, ""]);
  assert.is(err, "the filespace is missing: give --filespace or a configuration file; see tallylight agent --help\n");
});

command("refuses the state of another filespace", async () => {
  const harness = await openHarness();
  put(harness.root, "a");
  await harness.once();
  const other = await openHarness();
  const { status, err } = await run(other, "--state", harness.state);
  assert.equal([status, /is the state of the filespace .*; give another --state/.test(err)], [1, true], err);
});

command("fails after a time if the server cannot be reached", async () => {
  const harness = await openHarness();
  const options = { ...harness.options({ url: "http://127.0.0.1:1" }), once: true, patience: 200 };
  const { runAgent } = await import("../../src/agent/agent.ts");
  await runAgent(options).then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, /^http:\/\/127.0.0.1:1 cannot be used: the connection failed: /),
  );
});

command("--dry-run prints what it would report and changes nothing", async () => {
  const harness = await openHarness();
  for (const path of ["a", "b", "c"]) put(harness.root, path);
  rmSync(harness.state, { recursive: true });
  const first = await run(harness, "--dry-run", "--json");
  assert.equal([first.status, existsSync(harness.state), harness.events()], [0, false, []]);
  assert.match(first.err, /"would_report","event_type":"create","path":"a"/);
  await harness.once();
  put(harness.root, "a", "changed");
  rmSync(join(harness.root, "b"));
  const { dry_run, ...counts } = JSON.parse((await run(harness, "--dry-run", "--json")).out);
  assert.equal(
    [dry_run, counts],
    [true, { files: 2, create: 0, modify: 1, delete: 1, stand_ins: 0, not_utf8: 0, held: null }],
  );
  assert.is((await harness.once()).accepted, 2);
});

command("status shows the last contact, counts and refusals, also while an agent runs", async () => {
  const harness = await openHarness();
  put(harness.root, "a\\b");
  await harness.once();
  const shown = await tallylight("agent", "status", "--state", harness.state);
  assert.match(
    shown.out,
    /not running\nlast contact: 20.*\n.*\nfiles present: 0; .*\nevents: 0 accepted, 0 duplicates, 1/,
  );
  assert.match(shown.out, /refused 20\S+ a\\b: path must be relative/);
  await harness.running(async () => {
    const { out } = await tallylight("agent", "status", "--state", harness.state, "--json");
    assert.equal([JSON.parse(out).running, JSON.parse(out).filespace], [true, harness.filespace]);
    const second = await run(harness);
    assert.equal(
      [second.status, /^an agent is running on .*; stop it, or give another --state/.test(second.err)],
      [1, true],
    );
  });
  const none = await tallylight("agent", "status", "--state", "/nowhere");
  assert.equal([none.status, /is not the state of an agent/.test(none.err)], [1, true]);
});
command.after(async () => {
  for (const harness of harnesses) harness.remove();
  await server.stop();
});
command.run();
