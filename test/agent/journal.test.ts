// The journal: it contains what was settled, through kills, torn writes and damage.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isStateDamage } from "../../src/agent/errors.ts";
import { Journal } from "../../src/agent/journal/journal.ts";
import { entryOf, type JournalEntry, type Report } from "../../src/agent/report.ts";
import { openState, readState } from "../../src/agent/state.ts";
import { temporaryFolder } from "../support/agent_harness.ts";
import { reconcilerReport } from "../support/agent_report.ts";
import { type OpenJournal, openJournal } from "../support/agent_state.ts";
import { roundsOf } from "../support/rounds.ts";
import { runtime } from "../support/runtime.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

const scratch = temporaryFolder();
let folders = 0;
const newFolder = (): string => join(scratch, `journal-${folders++}`);
const open = (folder: string, mostGone?: number): OpenJournal => openJournal(folder, "f", mostGone);

/** The report for a path with a size, or for one that is gone. */
const report = (journal: Journal, path: string, size?: number, known = journal.get(path)): Report | undefined => {
  const facts = size === undefined ? undefined : { size, mtime_ns: String(1_700_000_000_000_000_000n + BigInt(size)) };
  return reconcilerReport(journal, path, facts, known);
};
const settle = (journal: Journal, ...observations: [path: string, size?: number | undefined][]): void => {
  const reports = observations.flatMap(([path, size]) => report(journal, path, size) ?? []);
  if (reports.length === 0) return;
  journal.begin(reports);
  journal.settle([]);
};
const all = (journal: Journal): JournalEntry[] => [...journal.scan()];
/** The order of paths in the journal: by the bytes of their parts. */
const byPosition = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a.replaceAll("/", "\0")), Buffer.from(b.replaceAll("/", "\0")));
const reopened = (journal: OpenJournal, folder: string, mostGone?: number): OpenJournal => {
  journal.close();
  return open(folder, mostGone);
};

const rules = suite("the journal");

rules("lists the entries whose stand-in is wanted, the newest first, by look-ups of its index alone", () => {
  const folder = newFolder();
  const journal = open(folder);
  const entry = (at: number, stand_in: "wanted" | "settled"): JournalEntry => ({
    path: `roll/${String(at).padStart(3, "0")}`,
    state: "present",
    size: 1,
    returns: 0,
    stand_in,
    mtime_ns: String(at < 200 ? 9_000_000_000 : 10_000_000_000 + at),
  });
  for (let at = 0; at < 300; at++) journal.put(entry(at, at % 3 === 0 ? "settled" : "wanted"));
  const wanted = Array.from({ length: 300 }, (_, at) => at).filter((at) => at % 3 !== 0);
  assert.equal(
    [...journal.wanted()].map(({ path }) => Number(path.slice(5))),
    wanted.reverse(),
  );
  journal.close();
  const database = readState(folder, "f");
  const { source } = new Journal(database).wantedStatement;
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${source}`).all({ time: 1, position: "", most: 1 });
  database.close();
  const steps = (plan as { detail: string }[]).map(({ detail }) => detail).filter((detail) => /files/.test(detail));
  assert.equal(
    steps.map((detail) => /^SEARCH files USING INDEX wanted/.test(detail)),
    [true, true],
  );
});

rules("is a map of paths in the order of a pass, through every restart", () => {
  const path = fc
    .array(fc.constantFrom("a", "b", "a!", "a-", "ü", "！", "😀", "z z", "\n", "."), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/"));
  const observation = fc.tuple(path, fc.option(fc.nat(5), { nil: undefined }));
  const step = fc.oneof(fc.array(observation, { maxLength: 6 }), fc.constant("restart"));
  assertProperty(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const folder = newFolder();
      const model = new Map<string, JournalEntry>();
      let journal = open(folder);
      for (const taken of steps) {
        if (taken === "restart") journal = reopened(journal, folder);
        else
          for (const [path, size] of taken as [string, number?][]) {
            const sent = report(journal, path, size, model.get(path));
            if (sent !== undefined) model.set(path, entryOf(sent, false));
            settle(journal, [path, size]);
          }
        const wanted = [...model.values()].sort((a, b) => byPosition(a.path, b.path));
        assert.equal(all(journal), wanted);
        assert.equal(
          [...journal.scan("a")],
          wanted.filter((entry) => entry.path.startsWith("a/")),
        );
        for (const folder of ["", "a", "a/a"]) {
          const { files, folders } = journal.folder(folder);
          const below = folder === "" ? "" : `${folder}/`;
          const inside = wanted.filter(({ path, state }) => path.startsWith(below) && state !== "gone");
          const parts = inside.map((entry) => ({ entry, parts: entry.path.slice(below.length).split("/") }));
          assert.equal(
            [...files],
            parts.flatMap(({ entry, parts: [name, inner] }) => (inner === undefined ? [[name, entry]] : [])),
          );
          assert.equal(
            [...folders],
            [...new Set(parts.flatMap(({ parts: [name, inner] }) => (inner === undefined ? [] : [name])))],
          );
        }
        assert.is(journal.present, wanted.filter(({ state }) => state === "present").length);
        for (const [path, entry] of model) assert.equal(journal.get(path), entry);
      }
      journal.close();
    }),
    sampling(30),
  );
});

rules("keeps a batch without a response pending across a restart, and settles it after the response", () => {
  const folder = newFolder();
  let journal = open(folder);
  const batch = [report(journal, "a", 1), report(journal, "b", 2)] as Report[];
  journal.begin(batch);
  journal = reopened(journal, folder);
  assert.equal(journal.pending, batch);
  assert.equal(all(journal), []);
  journal.settle([1]);
  journal = reopened(journal, folder);
  assert.is(journal.pending, undefined);
  assert.equal([journal.get("a")?.state, journal.get("b")?.state], ["present", "refused"]);
  assert.throws(() => [journal.begin(batch), journal.begin(batch)], /pending already/);
});

rules("reports a forgotten path again with another key, also if the response to its batch arrives later", () => {
  const folder = newFolder();
  let journal = open(folder);
  const sent = report(journal, "a", 1) as Report;
  journal.begin([sent, report(journal, "b", 1) as Report]);
  journal.forget(["a", "c"]);
  journal = reopened(journal, folder);
  journal.settle([]);
  journal = reopened(journal, folder);
  for (const path of ["a", "c"]) {
    const again = report(journal, path, 1) as Report;
    assert.equal([again.event_type, again.dedupe_key === sent.dedupe_key], ["modify", false]);
    assert.is(report(journal, path)?.event_type, "delete");
    settle(journal, [path, 1]);
  }
  assert.equal([report(journal, "a", 1), report(journal, "b", 1), journal.present], [undefined, undefined, 3]);
});

rules("contains everything up to the last complete change if its log is cut anywhere", () => {
  const folder = newFolder();
  const journal = open(folder);
  const log = join(folder, "state.db-wal");
  const ends: [size: number, paths: string[], pending: number][] = [[statSync(log).size, [], 0]];
  for (const path of ["a", "b/ü", "c"]) {
    journal.begin([report(journal, path, 1) as Report]);
    ends.push([statSync(log).size, all(journal).map((entry) => entry.path), 1]);
    journal.settle([]);
    ends.push([statSync(log).size, all(journal).map((entry) => entry.path), 0]);
  }
  const [first, complete] = [ends[0]?.[0] as number, readFileSync(log)];
  for (let size = first; size <= complete.length; size += 509) {
    const copy = newFolder();
    mkdirSync(copy);
    cpSync(join(folder, "state.db"), join(copy, "state.db"));
    writeFileSync(join(copy, "state.db-wal"), complete.subarray(0, size));
    const torn = open(copy);
    const [, paths, pending] = ends.findLast(([end]) => end <= size) as (typeof ends)[number];
    assert.equal([all(torn).map((entry) => entry.path), torn.pending?.length ?? 0], [paths, pending], `${size} bytes`);
    if (torn.pending === undefined) settle(torn, ["after", 1]);
    torn.close();
  }
  journal.close();
});

rules("scans while entries change, and knows a folder of many files and folders", () => {
  const journal = open(newFolder());
  const paths = Array.from({ length: 5000 }, (_, n) => (n < 2000 ? `roll ${Math.floor(n / 100)}/${n}` : `take ${n}`));
  settle(journal, ...paths.map((path): [string, number] => [path, 1]));
  const found: string[] = [];
  for (const { path } of journal.scan()) {
    if (found.push(path) % 10 === 0) settle(journal, [path, 2 + found.length]);
  }
  assert.equal(found, paths.sort(byPosition));
  const { files, folders } = journal.folder("");
  assert.equal([files.size, folders.size, journal.folder("roll 2").files.size], [3000, 20, 100]);
  journal.close();
});

rules("forgets gone paths over its limit without ever repeating a key", () => {
  const folder = newFolder();
  let journal = open(folder, 8);
  const keys = new Set<string>();
  const see = (path: string, size?: number) => {
    const sent = report(journal, path, size);
    assert.ok(sent !== undefined && !keys.has(sent.dedupe_key), path);
    keys.add(sent.dedupe_key);
    settle(journal, [path, size]);
  };
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 40; n++) {
      see(`temporary/${n}`, 1);
      see(`temporary/${n}`);
    }
    assert.ok(all(journal).length < 30, `${all(journal).length} entries`);
    journal = reopened(journal, folder, 8);
  }
  assert.ok(journal.floor > 0);
});

rules("belongs to one filespace and to one version of the format", () => {
  const folder = newFolder();
  open(folder).close();
  assert.throws(() => openState(folder, "g"), /is the state of the filespace f, not of g/);
  const database = openState(folder, "f");
  database.pragma("user_version = 2");
  database.close();
  assert.throws(() => openState(folder, "f"), /newer version/);
  truncateSync(join(folder, "state.db"), 5000);
  assert.throws(() => openState(folder, "f"), isStateDamage);
});

rules("changes nothing if it is only read", () => {
  const folder = newFolder();
  const read = (): string[] => {
    const database = readState(folder, "f");
    try {
      return [...new Journal(database).scan()].map(({ path }) => path);
    } finally {
      database.close();
    }
  };
  assert.equal([read(), globSync(folder)], [[], []]);
  const journal = open(folder);
  settle(journal, ["a", 1]);
  assert.equal(read(), ["a"]); // while an agent has it
  journal.close();
  assert.equal([read(), readdirSync(folder)], [["a"], ["state.db"]]);
});

const rounds = roundsOf(4);

rules(`contains exactly what was settled after ${rounds} kills in the middle of writing`, async () => {
  const folder = newFolder();
  mkdirSync(folder);
  const file = fileURLToPath(new URL("../support/journal_writer.ts", import.meta.url));
  for (let round = 0; round < rounds; round++) {
    const child = spawn(process.execPath, [...runtime, file, folder], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
      if (output.length > 200 + 61 * round) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    const last = Number(output.split("\n").at(-2));
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    const journal = open(copy);
    const counter = journal.get("counter")?.size ?? 0;
    assert.ok(counter === last || counter === last + 1, `settled ${last}, found ${counter}`);
    assert.is(all(journal).filter(({ path }) => path !== "counter").length, Math.min(counter, 3500));
    journal.close();
  }
});
rules.after(() => rmSync(scratch, { recursive: true, force: true }));
rules.run();
