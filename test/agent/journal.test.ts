// The journal: it contains what was settled, through merges, kills, torn writes and damage.
import { spawn } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Entry, JournalDamage, orderOf } from "../../src/agent/journal/entry.ts";
import { Journal } from "../../src/agent/journal/journal.ts";
import { entryOf, type Report } from "../../src/agent/report.ts";
import { temporaryFolder } from "../support/agent_harness.ts";
import { reconcilerReport } from "../support/agent_report.ts";
import { runtime } from "../support/runtime.ts";
import { sampling } from "../support/sampling.ts";

const scratch = temporaryFolder();
let folders = 0;
const newFolder = (): string => join(scratch, `journal-${folders++}`);
const open = (folder: string, mostRecent = 20_000, mostGone = 200_000): Journal =>
  Journal.open(folder, { filespace: "f", mostRecent, mostGone });

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
const all = (journal: Journal): Entry[] => [...journal.scan()];
const reopened = (journal: Journal, folder: string, ...limits: [number?, number?]): Journal => {
  journal.close();
  return open(folder, ...limits);
};

const rules = suite("the journal");

rules("is a map of paths in the order of a pass, through every flush, merge and restart", async () => {
  const path = fc
    .array(fc.constantFrom("a", "b", "a!", "a-", "ü", "z z", "\n", "."), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/"));
  const observation = fc.tuple(path, fc.option(fc.nat(5), { nil: undefined }));
  const step = fc.oneof(fc.array(observation, { maxLength: 6 }), fc.constantFrom("compact", "restart"));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const folder = newFolder();
      const model = new Map<string, Entry>();
      let journal = open(folder, 4);
      for (const taken of steps) {
        if (taken === "restart") journal = reopened(journal, folder, 4);
        else if (taken === "compact") await journal.compact();
        else
          for (const [path, size] of taken as [string, number?][]) {
            const sent = report(journal, path, size, model.get(path));
            if (sent !== undefined) model.set(path, entryOf(sent, false));
            settle(journal, [path, size]);
          }
        const wanted = [...model.values()].sort((a, b) => (orderOf(a.path) < orderOf(b.path) ? -1 : 1));
        assert.equal(all(journal), wanted);
        assert.equal(
          [...journal.scan("a")],
          wanted.filter((entry) => entry.path.startsWith("a/")),
        );
        assert.is(journal.present, wanted.filter(({ state }) => state === "present").length);
        for (const [path, entry] of model) assert.equal(journal.get(path), entry);
      }
      journal.close();
    }),
    sampling(30, 1),
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

rules("contains everything up to the last complete frame if its log is cut anywhere", () => {
  const folder = newFolder();
  const journal = open(folder);
  const log = join(folder, "log-1");
  const ends: [size: number, paths: string[], pending: number][] = [[0, [], 0]];
  for (const path of ["a", "b/ü", "c"]) {
    journal.begin([report(journal, path, 1) as Report]);
    ends.push([statSync(log).size, all(journal).map((entry) => entry.path), 1]);
    journal.settle([]);
    ends.push([statSync(log).size, all(journal).map((entry) => entry.path), 0]);
  }
  journal.close();
  const complete = readFileSync(log);
  for (let size = 0; size <= complete.length; size++) {
    writeFileSync(log, complete.subarray(0, size));
    const torn = open(folder);
    const [, paths, pending] = ends.findLast(([end]) => end <= size) as (typeof ends)[number];
    assert.equal([all(torn).map((entry) => entry.path), torn.pending?.length ?? 0], [paths, pending], `${size} bytes`);
    if (torn.pending === undefined) settle(torn, ["after", 1]);
    torn.close();
  }
});

rules("throws JournalDamage if a byte of a run was changed", async () => {
  const folder = newFolder();
  const journal = open(folder, 2);
  for (let n = 0; n < 9; n++) settle(journal, [`f${n}`, n]);
  await journal.compact();
  journal.close();
  const [file = ""] = globSync(join(folder, "run-*"));
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(file, changed);
    assert.throws(
      () => {
        const damaged = open(folder, 2);
        try {
          all(damaged);
        } finally {
          damaged.close();
        }
      },
      (error: unknown) => error instanceof JournalDamage,
      `byte ${at}`,
    );
  }
  truncateSync(file, 20);
  assert.throws(
    () => open(folder, 2),
    (error: unknown) => error instanceof JournalDamage,
  );
});

rules("removes files that a crash left next to the manifest", () => {
  const folder = newFolder();
  let journal = open(folder, 2);
  for (let n = 0; n < 5; n++) settle(journal, [`f${n}`, n]);
  for (const name of ["run-99", "log-98"]) writeFileSync(join(folder, name), "left over");
  journal = reopened(journal, folder, 2);
  assert.equal([globSync(join(folder, "*-9*")), all(journal).length], [[], 5]);
});

rules("forgets gone paths over its limit without ever repeating a key", async () => {
  const folder = newFolder();
  let journal = open(folder, 4, 8);
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
      await journal.compact();
    }
    assert.ok(all(journal).length < 30, `${all(journal).length} entries`);
    journal = reopened(journal, folder, 4, 8);
  }
  assert.ok(journal.floor > 0);
});

rules("belongs to one filespace and to one version of the format", () => {
  const folder = newFolder();
  open(folder).close();
  assert.throws(() => Journal.open(folder, { filespace: "g" }), /is the state of the filespace f, not of g/);
  writeFileSync(join(folder, "journal.json"), '{"version":2}');
  assert.throws(() => open(folder), /newer version/);
  writeFileSync(join(folder, "journal.json"), "{");
  assert.throws(
    () => open(folder),
    (error: unknown) => error instanceof JournalDamage,
  );
});

rules("changes nothing if it is opened read-only", () => {
  const folder = newFolder();
  assert.equal([...Journal.open(folder, { filespace: "f", readonly: true }).scan()], []);
  assert.equal(globSync(folder), []);
});

const rounds = Number(process.env.ROUNDS ?? 4);

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
    const journal = open(copy, 50);
    const counter = journal.get("counter")?.size ?? 0;
    assert.ok(counter === last || counter === last + 1, `settled ${last}, found ${counter}`);
    assert.is(all(journal).filter(({ path }) => path !== "counter").length, Math.min(counter, 3500));
    journal.close();
  }
});
rules.after(() => rmSync(scratch, { recursive: true, force: true }));
rules.run();
