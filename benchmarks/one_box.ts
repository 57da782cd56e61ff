// How far one box goes: what a request, a start, a commit, a backup and a check cost with more productions, keys, event
// streams and media, each as a ratio to the smallest of the same run. Prints a table for each; figures of the server
// are seconds of a processor and resident memory, so that other programs change them little. `node
// benchmarks/one_box.ts [productions] [keys] [streams] [media]`; needs Linux, and for the media a file system with
// sparse files.

import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { authorization, log } from "../.ci/bench/cases.ts";
import { median } from "../.ci/bench/median.ts";
import { cleanUp, copyOf, scratch } from "../.ci/bench/seed_data.ts";
import { type Subject, startSubject } from "../.ci/bench/subject.ts";
import { openBlobs } from "../src/core/store/blobs.ts";
import { openStore } from "../src/core/store/database.ts";
import { sha256OfFile } from "../src/core/store/files.ts";
import { importDocument } from "../src/features/documents/changes/creating.ts";
import { readDocument } from "../src/features/documents/read/whole.ts";
import { createMedia } from "../src/graph/media_rows.ts";
import { importedAt, mint } from "../test/support/app.ts";
import { writeLarger } from "../test/support/larger.ts";
import { openData } from "../test/support/template.ts";

const rounds = 3;
const launcher = fileURLToPath(new URL("../bin/tallylight.js", import.meta.url));

/** Prints the rows of a table: each figure as a ratio to that of the first column, which is also given as it is. */
function print(
  title: string,
  sizes: readonly number[],
  rows: Record<string, { unit: string; figures: number[] }>,
): void {
  console.log(`\n| ${title} | ${sizes[0]} | ${sizes.slice(1).join(" | ")} |\n|---|${"---|".repeat(sizes.length)}`);
  for (const [name, { unit, figures }] of Object.entries(rows)) {
    const [first = Number.NaN, ...others] = figures;
    const ratios = others.map((figure) => (figure / first).toFixed(2));
    console.log(`| ${name} | ${first.toPrecision(3)} ${unit} | ${ratios.join(" | ")} |`);
  }
}

interface Folder {
  folder: string;
  /** The scenes of its first production. */
  scenes: number[];
  key: string;
}

const firstOf = (folder: string): Folder => {
  const { store } = openData(folder);
  const listed = store.database.prepare("SELECT node_id FROM scenes WHERE production_id = 1 ORDER BY script_order");
  const scenes = listed.pluck().all() as number[]; // safe: the column has integers
  const key = mint(store, { production_id: 1, scopes: ["read", "write"] });
  store.close();
  return { folder, scenes, key };
};

/** Data directories with so many productions of 200 scenes and 400 assets. */
async function foldersOf(sizes: readonly number[]): Promise<Folder[]> {
  const folder = mkdtempSync(join(scratch, "shows-"));
  const made: string[] = [];
  let count = 0;
  for (const size of sizes) {
    for (; count < size; count++) {
      const file = join(scratch, "show.json");
      await writeLarger(file, { title: `Show ${count + 1}`, scenes: 200, assets: 400, versions: 2, engagements: 5 });
      const { store, blobs } = openData(folder);
      await importDocument(store, blobs, readDocument(file), { now: importedAt });
      store.close();
    }
    made.push(copyOf(folder));
  }
  return made.map(firstOf);
}

/** Requests `paths` one after the other, each with a key in turn, and returns the server's milliseconds for each. */
async function costOf(subject: Subject, keys: readonly string[], paths: readonly string[], init: RequestInit = {}) {
  const before = subject.processorTime();
  for (const [at, path] of paths.entries()) {
    const headers = { ...authorization(keys[at % keys.length] ?? ""), ...init.headers };
    const response = await fetch(`${subject.url}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  return (1000 * (subject.processorTime() - before)) / paths.length;
}

const bundlesOf = (scenes: readonly number[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => `/api/v1/bundles/scene/${scenes[at % scenes.length]}`);

/** Creates `count` assets one after the other and returns the server's milliseconds for each. */
const commits = (subject: Subject, key: string, count: number): Promise<number> => {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ label: "A lamp" }) };
  return costOf(subject, [key], Array<string>(count).fill("/api/v1/assets"), init);
};

/** Measures each size in turn, so often, and returns the medians. */
async function inTurns<T>(sizes: readonly T[], measure: (size: T) => Promise<number>): Promise<number[]> {
  const figures = sizes.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, size] of sizes.entries()) figures[at]?.push(await measure(size));
  return figures.map(median);
}

async function productions(): Promise<void> {
  const sizes = [1, 10, 50];
  const folders = await foldersOf(sizes);
  const start = await inTurns(folders, async ({ folder, key, scenes }) => {
    const subject = await startSubject("node", "ours", [folder], log);
    await costOf(subject, [key], bundlesOf(scenes, 1));
    const used = subject.processorTime();
    await subject.stop();
    return used;
  });
  const running = await Promise.all(
    folders.map(async (one) => ({ ...one, subject: await startSubject("node", "ours", [one.folder], log) })),
  );
  for (const { subject, key, scenes } of running) await costOf(subject, [key], bundlesOf(scenes, 500));
  const warm = await inTurns(running, ({ subject, key, scenes }) =>
    costOf(subject, [key], bundlesOf(scenes.slice(0, 1), 2_000)),
  );
  // A write before each request makes every kept answer of the production old.
  const cold = await inTurns(running, async ({ subject, key, scenes }) => {
    let used = 0;
    for (const path of bundlesOf(scenes, 100)) {
      await commits(subject, key, 1);
      used += await costOf(subject, [key], [path]);
    }
    return used / 100;
  });
  const commit = await inTurns(running, ({ subject, key }) => commits(subject, key, 200));
  const memory = running.map(({ subject }) => subject.memory());
  for (const { subject } of running) await subject.stop();
  print("productions", sizes, {
    "start to the first answer": { unit: "s", figures: start },
    memory: { unit: "MiB", figures: memory },
    "a warm bundle": { unit: "ms", figures: warm },
    "a bundle after a write": { unit: "ms", figures: cold },
    "a write": { unit: "ms", figures: commit },
  });
}

async function keys(): Promise<void> {
  const sizes = [1, 100, 1_000];
  const [first] = await foldersOf([1]);
  if (first === undefined) throw new Error("no folder was made");
  const running = await Promise.all(
    sizes.map(async (size) => {
      const folder = copyOf(first.folder);
      const { store } = openData(folder);
      const tokens = Array.from({ length: size }, () => mint(store, { production_id: 1, scopes: ["read", "write"] }));
      store.close();
      return { ...first, tokens, subject: await startSubject("node", "ours", [folder], log) };
    }),
  );
  for (const { subject, tokens, scenes } of running) await costOf(subject, tokens, bundlesOf(scenes, 2_000));
  const warm = await inTurns(running, ({ subject, tokens, scenes }) =>
    costOf(subject, tokens, bundlesOf(scenes.slice(0, 1), 2_000)),
  );
  const commit = await inTurns(running, ({ subject, tokens }) => commits(subject, tokens[0] ?? "", 200));
  const memory = running.map(({ subject }) => subject.memory());
  for (const { subject } of running) await subject.stop();
  print("keys", sizes, {
    memory: { unit: "MiB", figures: memory },
    "a warm bundle, each with another key": { unit: "ms", figures: warm },
    "a write": { unit: "ms", figures: commit },
  });
}

/** Opens a stream of events; counts what it gets. */
const openStream = (url: URL, key: string, got: () => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(Number(url.port), url.hostname);
    socket.on("error", reject);
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`,
    );
    socket.on("data", (chunk: Buffer) => {
      const text = chunk.toString("latin1");
      if (text.startsWith("HTTP/1.1 200")) resolve(socket);
      else if (text.startsWith("HTTP/1.1")) reject(new Error(text));
      for (const _ of text.matchAll(/"label":"A lamp"/g)) got();
    });
  });

async function streams(): Promise<void> {
  const sizes = [10, 100, 500, 2_000];
  const [first] = await foldersOf([1]);
  if (first === undefined) throw new Error("no folder was made");
  process.env.TALLYLIGHT_CONNECTIONS = "2200";
  process.env.TALLYLIGHT_EVENT_READERS = "2200";
  const memory: number[] = [];
  const write: number[] = [];
  const warm: number[] = [];
  for (const size of sizes) {
    const subject = await startSubject("node", "ours", [copyOf(first.folder)], log);
    let events = 0;
    const sockets: Socket[] = [];
    while (sockets.length < size)
      sockets.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(100, size - sockets.length) }, () =>
            openStream(new URL(subject.url), first.key, () => events++),
          ),
        )),
      );
    warm.push(await costOf(subject, [first.key], bundlesOf(first.scenes.slice(0, 1), 2_000)));
    const before = subject.processorTime();
    await commits(subject, first.key, 100);
    for (let waited = 0; events < 100 * size && waited < 60_000; waited += 50) await pause(50);
    if (events < 100 * size) throw new Error(`${size} streams got ${events} of ${100 * size} events`);
    write.push(10 * (subject.processorTime() - before));
    memory.push(subject.memory());
    for (const socket of sockets) socket.destroy();
    await subject.stop();
  }
  print("event streams", sizes, {
    memory: { unit: "MiB", figures: memory },
    "a warm bundle beside them": { unit: "ms", figures: warm },
    "a write and its event at each": { unit: "ms", figures: write },
  });
}

const gibibyte = 2 ** 30;

/** Adds media of a gibibyte each, up to `count`: sparse files, each a byte longer than the one before. */
async function addMedia(folder: string, backups: string, from: number, count: number): Promise<void> {
  const store = openStore(join(folder, "tallylight.db"));
  const blobs = openBlobs(join(folder, "media"), store, { ceiling: 2 ** 40, role: "command" });
  for (let at = from; at < count; at++) {
    const file = blobs.stagingFile();
    const size = gibibyte + at;
    const handle = openSync(file, "wx");
    ftruncateSync(handle, size);
    closeSync(handle);
    const sha256 = await sha256OfFile(file);
    const media = { production_id: 1, kind: "plate", label: `plate ${at}.mov` };
    const staged = { file, sha256, size, content_type: "application/octet-stream" };
    store.writeSync(() => createMedia(store, blobs, staged, media, importedAt));
    // The folder of backups has it already, sparse too: a first backup would write every byte.
    const source = blobs.fileOf(sha256);
    const copy = join(backups, "media", sha256.slice(0, 2), sha256);
    mkdirSync(dirname(copy), { recursive: true });
    execFileSync("cp", ["--sparse=always", "--preserve=timestamps", source, copy]);
  }
  store.close();
}

/** Runs a command and returns the seconds of a processor that it and its threads used. */
function run(...words: string[]): number {
  const { cutime, cstime } = childTimes();
  execFileSync(process.execPath, [launcher, ...words], { stdio: ["ignore", "ignore", "inherit"] });
  const after = childTimes();
  return after.cutime + after.cstime - cutime - cstime;
}

/** The seconds of a processor of this process's ended children, at 100 ticks a second. */
function childTimes(): { cutime: number; cstime: number } {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(") ")).split(" ");
  return { cutime: Number(fields[14]) / 100, cstime: Number(fields[15]) / 100 };
}

async function media(): Promise<void> {
  const sizes = [1, 10, 100];
  const [first] = await foldersOf([1]);
  if (first === undefined) throw new Error("no folder was made");
  const backups = join(scratch, "backups");
  mkdirSync(join(backups, "media"), { recursive: true });
  const backup: number[] = [];
  const verify: number[] = [];
  const doctor: number[] = [];
  let count = 0;
  for (const size of sizes) {
    await addMedia(first.folder, backups, count, size);
    count = size;
    run("backup", "--to", backups, "--data", first.folder);
    backup.push(run("backup", "--to", backups, "--data", first.folder));
    verify.push(run("backup", "verify", backups));
    doctor.push(run("doctor", "--data", first.folder));
  }
  print("GiB of media", sizes, {
    "the next backup": { unit: "s", figures: backup },
    "backup verify, which reads everything": { unit: "s", figures: verify },
    doctor: { unit: "s", figures: doctor },
  });
}

const cases = { productions, keys, streams, media };
const asked = process.argv.slice(2);
try {
  for (const [name, measure] of Object.entries(cases)) if (asked.length === 0 || asked.includes(name)) await measure();
} finally {
  cleanUp();
}
