// The state of an agent of version 1.1: it is read once, whatever ends the process meanwhile, and replaced.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isStateDamage } from "../../src/agent/errors.ts";
import { Journal } from "../../src/agent/journal/journal.ts";
import type { Report } from "../../src/agent/report.ts";
import { Spool } from "../../src/agent/spool.ts";
import { openState, readState, setStateAside } from "../../src/agent/state.ts";
import { AgentHarness, openTestServer, put, temporaryFolder } from "../support/agent_harness.ts";
import { reconcilerReport } from "../support/agent_report.ts";
import { intentsOf, openJournal } from "../support/agent_state.ts";

/** Recorded with version 1.1: three runs, a log with a batch that has no answer, two hints, and a move under way. */
const recorded = fileURLToPath(new URL("../support/agent_state_1_1", import.meta.url));
const scratch = temporaryFolder();
let folders = 0;
function newState(): string {
  const folder = join(scratch, `state-${folders++}`);
  cpSync(recorded, folder, { recursive: true });
  return folder;
}

/** What a journal holds, as lines. */
const linesOf = (journal: Journal): string[] =>
  [...journal.scan()].map(({ path, state, size, returns }) => `${path} ${state} ${size} ${returns}`);
const before = [
  "a present 14 0",
  "back\\slash refused 10 0",
  "day 1/b present -1 1",
  "day 1/roll/c present 13 1",
  "day-1/d present 4 0",
  "e present -1 1",
  "f gone 0 0",
  "z\n present 12 0",
  "ü/日本 present 6 0",
  "ü/！ present 7 0",
  "ü/😀 present 8 0",
];

const former = suite("a state of version 1.1");

former("is read with its pending batch, hints and moves, and replaced by one file", () => {
  const state = newState();
  for (let round = 0; round < 2; round++) {
    const journal = openJournal(state);
    assert.equal(linesOf(journal), before);
    assert.is(journal.present, 9);
    assert.equal([journal.root, journal.clock], [{ dev: "64", ino: "4711" }, "2026-11-20T10:00:00.000Z"]);
    assert.is(journal.get("a")?.mtime_ns, "1700000000123456803");
    assert.equal(
      journal.pending?.map(({ event_type, path }) => `${event_type} ${path}`),
      ["create g", "delete a", "modify e"],
    );
    journal.close();
    assert.equal(readdirSync(state), ["state.db"]);
  }
  assert.equal(
    intentsOf({ state, filespace: "f" }).map(({ task_id, src }) => [task_id, src]),
    [[7, "in/a.wav"]],
  );
  const database = openState(state, "f");
  const spool = new Spool({ database, now: () => 0, settle: 0, patience: 0 });
  assert.equal(spool.ready(9), [
    { path: "day 2/x", source: "audit_tail", named: true, merged: false },
    { path: "day 3", source: "watch", named: true, merged: true },
  ]);
  const journal = new Journal(database);
  journal.settle([]);
  assert.equal([journal.get("a")?.state, journal.get("g")?.state, journal.get("e")?.size], ["gone", "present", -1]);
  database.close();
});

former("is read again if a crash left parts of it, and if version 1.1 was used again", () => {
  const state = newState();
  openJournal(state).close();
  cpSync(join(recorded, "moves"), join(state, "moves"), { recursive: true });
  assert.equal(linesOf(openJournal(state)), before);
  const journal = openJournal(state);
  journal.settle([]);
  journal.begin([reconcilerReport(journal, "later", { size: 1, mtime_ns: "1" }) as Report]);
  journal.settle([]);
  journal.close();
  cpSync(recorded, state, { recursive: true });
  const again = openJournal(state);
  assert.equal([linesOf(again), again.pending?.length], [before, 3]);
  again.close();
});

former("is not changed by a reader, nor if it is of another filespace or in use", () => {
  const state = newState();
  const names = readdirSync(state);
  const database = readState(state, "f");
  assert.equal(linesOf(new Journal(database)), before);
  database.close();
  assert.equal(readdirSync(state), names);
  assert.throws(() => openState(state, "g"), /is the state of the filespace f, not of g/);
  const lock = join(state, "agent.lock");
  writeFileSync(lock, JSON.stringify({ pid: process.ppid, token: "x" }));
  assert.throws(() => openState(state, "f"), /an agent of version 1\.1 \(process \d+\) is running on/);
  utimesSync(lock, 1, 1); // the process has ended, and another one has its number
  openState(state, "f").close();
  assert.equal(readdirSync(state), ["state.db"]);
});

former("is set aside if it is damaged, with its moves kept", () => {
  for (const [name, change] of [
    ["run-2", (bytes: Buffer) => bytes.fill(0x78, 0, 3)],
    ["run-6", (bytes: Buffer) => bytes.subarray(0, 60)],
    ["journal.json", () => Buffer.from("{")],
  ] as [string, (bytes: Buffer) => Buffer][]) {
    const state = newState();
    const file = join(state, "journal", name);
    writeFileSync(file, change(readFileSync(file)));
    assert.throws(() => openState(state, "f"), isStateDamage, name);
    assert.match(setStateAside(state), /journal\.damaged-\d+$/);
    const journal = openJournal(state);
    assert.equal([linesOf(journal), intentsOf({ state, filespace: "f" }).length], [[], 1]);
    journal.close();
  }
});

former("is continued by an agent, which reports only what has changed", async () => {
  const server = await openTestServer();
  const harness = await AgentHarness.open(server, "f");
  cpSync(join(recorded, "journal"), join(harness.state, "journal"), { recursive: true });
  mkdirSync(join(harness.root, "ü"));
  put(harness.root, "new");
  const { created, modified, held } = await harness.once({ confirmDeletes: true });
  assert.equal([created, modified, held], [2, 1, null]); // g and e are of the pending batch
  harness.assertInSync();
  harness.remove();
  await server.stop();
});
former.after(() => rmSync(scratch, { recursive: true, force: true }));
former.run();
