// Reads a state of version 1.1, which was a folder of files, into the database of this one, once.
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { AgentError, codeOf, StateDamage } from "./errors.ts";
import { Journal } from "./journal/journal.ts";
import { syncFolder } from "./moves/folder.ts";
import { type Intent, Intents } from "./moves/move.ts";
import type { JournalEntry, Report, StandIn, State } from "./report.ts";

type Frame = { sent: Report[] } | { settled: number[] } | { forgotten: string[] } | { marked: string };

const manifestOf = (folder: string): string => join(folder, "journal", "journal.json");

/** The folder of version 1.1's journal; undefined if there is none. */
export const formerJournal = (folder: string): string | undefined =>
  existsSync(manifestOf(folder)) ? join(folder, "journal") : undefined;

/** Whether a folder has a state of version 1.1, or what was not removed of one. */
export const hasFormer = (folder: string): boolean =>
  [manifestOf(folder), join(folder, "moves"), join(folder, "agent.lock")].some((file) => existsSync(file));

const checksumOf = (bytes: Uint8Array): string => hash("sha256", bytes).slice(0, 16);

const states: Readonly<Record<string, State>> = { p: "present", g: "gone", r: "refused" };
const standIns: Readonly<Record<string, StandIn>> = { n: "none", w: "wanted", s: "settled" };

/** Entries of five fields, each ended by NUL: path, two letters, size, time, returns. */
function* entriesOf(text: string): Generator<JournalEntry> {
  const fields = text.split("\0");
  for (let at = 0; at + 5 < fields.length; at += 5) {
    const [path = "", letters = "", size, mtime_ns = "", returns] = fields.slice(at, at + 5);
    const [state, stand_in] = [states[letters.charAt(0)], standIns[letters.charAt(1)]];
    if (state === undefined || stand_in === undefined) throw new StateDamage("an entry of the journal is not valid");
    yield { path, state, size: Number(size), mtime_ns, returns: Number(returns), stand_in };
  }
}

/** The entries of a run: blocks, an index of them, and where the index is: three fields of 16 characters. */
function* runOf(file: string): Generator<JournalEntry> {
  const bytes = readFileSync(file);
  const trailer = bytes.subarray(-48).toString("latin1");
  const offset = Number.parseInt(trailer.slice(0, 16), 16);
  const index = bytes.subarray(offset, -48);
  if (checksumOf(index) !== trailer.slice(32)) throw new StateDamage(`${file} is not whole`);
  for (const { offset, length, checksum } of JSON.parse(index.toString()).blocks) {
    const block = bytes.subarray(offset, offset + length);
    if (checksumOf(block) !== checksum) throw new StateDamage(`${file} has a damaged block`);
    yield* entriesOf(block.toString());
  }
}

/** The frames of a log, each `<length> <checksum>\n<JSON>\n`, up to the last whole one. */
function* framesOf(file: string): Generator<Frame> {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  for (let at = 0; at < bytes.length; ) {
    const head = /^([0-9a-f]{8}) ([0-9a-f]{16})\n$/.exec(bytes.toString("latin1", at, at + 26));
    if (head === null) return;
    const end = at + 26 + Number.parseInt(head[1] as string, 16);
    const text = bytes.subarray(at + 26, end);
    if (bytes[end] !== 0x0a || checksumOf(text) !== head[2]) return;
    yield JSON.parse(text.toString());
    at = end + 1;
  }
}

function adoptJournal(database: Database.Database, folder: string): void {
  let manifest: Record<"filespace" | "clock" | "log", string> & {
    version: 1;
    root: unknown;
    floor: number;
    runs: string[];
  };
  try {
    manifest = JSON.parse(readFileSync(manifestOf(folder), "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new StateDamage("journal.json is not JSON");
    throw error;
  }
  const { filespace, clock, log, root, floor, runs } = manifest;
  // Whatever is in the database is older: version 1.1 was used again.
  for (const table of ["files", "pending", "hints", "intents"]) database.prepare(`DELETE FROM ${table}`).run();
  database
    .prepare("UPDATE state SET filespace = ?, clock = ?, floor = ?, root = ?")
    .run(filespace, clock, floor, root === null ? null : JSON.stringify(root));
  const journal = new Journal(database);
  for (const run of runs) for (const entry of runOf(join(folder, "journal", run))) journal.put(entry);
  for (const frame of framesOf(join(folder, "journal", log))) {
    if ("sent" in frame) journal.begin(frame.sent);
    else if ("settled" in frame) journal.settle(frame.settled);
    else if ("forgotten" in frame) journal.forget(frame.forgotten);
    else for (const entry of entriesOf(frame.marked)) journal.put(entry);
  }
}

/** The parts of a text that are JSON; the others are passed over, as a torn line is. */
const parsed = <T>(texts: readonly string[]): T[] =>
  texts.flatMap((text) => {
    try {
      return [JSON.parse(text)];
    } catch {
      return [];
    }
  });

/** Throws AgentError if an agent of version 1.1 uses the folder: it touches its lock every ten seconds. */
function refuseRunning(folder: string): void {
  const file = join(folder, "agent.lock");
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (Date.now() - touched > 60_000) return;
  const { pid } = parsed<{ pid: number }>([readFileSync(file, "utf8")])[0] ?? {};
  try {
    if (pid !== undefined && pid !== process.pid) process.kill(pid, 0);
    else return;
  } catch (error) {
    if (codeOf(error) === "ESRCH") return;
  }
  throw new AgentError(`an agent of version 1.1 (process ${pid}) is running on ${folder}; stop it`);
}

/** Reads the state of version 1.1 in a folder. Throws StateDamage if its journal does not hold what was written. */
export function adoptFormer(database: Database.Database, folder: string): void {
  refuseRunning(folder);
  if (formerJournal(folder) !== undefined) adoptJournal(database, folder);
  const [spool, moves] = [join(folder, "spool"), join(folder, "moves")];
  const insert = database.prepare("INSERT OR REPLACE INTO hints VALUES (?, ?, ?, ?)");
  const lines = existsSync(spool) ? readFileSync(spool, "utf8").split("\n") : [];
  for (const { path, source, named, merged } of parsed<Record<"path" | "source" | "named" | "merged", string>>(lines))
    insert.run(path, source, Number(named), Number(merged));
  const names = existsSync(moves) ? readdirSync(moves).filter((name) => /^\d+\.json$/.test(name)) : [];
  const intents = parsed<Intent>(names.map((name) => readFileSync(join(moves, name), "utf8")));
  for (const intent of intents) new Intents(database).save(intent);
}

/** Removes the files of version 1.1; the manifest first, because a journal without it is none. */
export function removeFormer(folder: string): void {
  const journal = formerJournal(folder);
  if (journal !== undefined) {
    rmSync(manifestOf(folder));
    syncFolder(journal);
  }
  for (const name of ["journal", "spool", "moves", "agent.lock"])
    rmSync(join(folder, name), { recursive: true, force: true });
}
