// kill -9 during a stream of writes from 8 clients: acknowledged writes are stored, others are stored completely or not
// at all, a retry with the same Idempotency-Key stores them once, and no file is left over. ROUNDS=20 kills 20 times.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { markName } from "../../src/core/store/database_mark.ts";
import type { Store } from "../../src/core/store/store.ts";
import { demoFolder, mint, one } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { roundsOf } from "../support/rounds.ts";
import { serverRuntime } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const rounds = roundsOf(6);
const clients = 8;
const folder = await demoFolder();
const opened = async <T>(work: (store: Store) => T): Promise<T> => {
  const store = openStore(join(folder, "tallylight.db"));
  try {
    return work(store);
  } finally {
    store.close();
  }
};
const seedData = await opened((store) => {
  const [production_id, filespace] = store.database
    .prepare("SELECT production_id, filespace FROM storage_installs WHERE active = 1")
    .raw()
    .get() as [number, string];
  const node_id = one(
    store,
    "SELECT id FROM nodes WHERE production_id = ? AND kind = 'costume' LIMIT 1",
    production_id,
  );
  return { token: mint(store, { production_id }), filespace, node_id };
});

/** The running server, so that a failed case can stop it. */
let running: ChildProcess | undefined;
async function start(): Promise<{ child: ChildProcess; url: string }> {
  const file = fileURLToPath(new URL("../support/server_process.ts", import.meta.url));
  const args = [...serverRuntime, file, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  running = child;
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return { child, url };
  throw new Error("the server did not start");
}
async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** One write; everything that it stores contains `name`. */
interface Write {
  name: string;
  kind: "asset" | "note" | "version" | "events";
}
const kinds = ["asset", "note", "version", "events"] as const;
const batch = 20;
const picture = (name: string) => Buffer.concat([jpeg(32, 32), Buffer.from(name)]);

async function send(url: string, { name, kind }: Write): Promise<void> {
  const headers: Record<string, string> = { authorization: `Bearer ${seedData.token}`, "idempotency-key": name };
  let path = "/assets";
  let body: string | FormData = JSON.stringify({ label: name });
  if (kind === "note") [path, body] = [`/assets/${seedData.node_id}/notes`, JSON.stringify({ text: name })];
  if (kind === "events") {
    const event = { event_type: "create", source: "audit_tail", detected_at: "2026-11-20T10:00:00Z" };
    const events = Array.from({ length: batch }, (_, at) => ({
      ...event,
      path: `${name}/${at}`,
      dedupe_key: `${name}/${at}`,
    }));
    [path, body] = ["/storage/events", JSON.stringify({ filespace: seedData.filespace, events })];
  }
  if (kind === "version") {
    path = `/assets/${seedData.node_id}/versions`;
    body = new FormData();
    body.append("file", new Blob([picture(name)]), name);
  } else headers["content-type"] = "application/json";
  const response = await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body });
  const text = await response.text();
  assert.is(response.status, 200, text);
}

/** Writes until the server is gone; returns the acknowledged writes and the interrupted one. */
async function stream(
  url: string,
  round: number,
  client: number,
  wrote: () => void,
): Promise<{ done: Write[]; open: Write[] }> {
  const done: Write[] = [];
  for (let number = 0; ; number++) {
    const write = {
      name: `w${round}-${client}-${number}.`,
      kind: kinds[(number + client) % kinds.length] as Write["kind"],
    };
    try {
      await send(url, write);
    } catch (error) {
      if (error instanceof assert.Assertion) throw error;
      return { done, open: [write] };
    }
    done.push(write);
    wrote();
  }
}

/** How often a write is stored, 0 or 1; fails if only a part of it is stored. */
function countOf(store: Store, { name, kind }: Write): number {
  const rows = (sql: string, ...given: unknown[]) => one(store, `SELECT count(*) FROM ${sql}`, ...given);
  const entries = (summary: string) => rows("activity WHERE summary = ?", summary);
  const label = one<string>(store, "SELECT label FROM nodes WHERE id = ?", seedData.node_id);
  let counts: number[] = [];
  if (kind === "asset") counts = [rows("nodes WHERE label = ?", name), entries(`Created the asset ${name}`)];
  if (kind === "note")
    counts = [rows("notes WHERE text = ?", name), rows("activity WHERE summary LIKE ?", `Note on ${label}%: ${name}`)];
  if (kind === "events") {
    const files = rows("asset_files WHERE path GLOB ?", `${name}/*`);
    assert.is(files % batch, 0, "a batch is stored in part");
    counts = [files / batch, rows("storage_events WHERE path GLOB ?", `${name}/*`) / batch];
  }
  if (kind === "version") {
    const sha256 = hash("sha256", picture(name));
    const at = rows("versions v JOIN media m ON m.version_id = v.id WHERE m.label = ? AND m.sha256 = ?", name, sha256);
    if (at > 0) assert.is(hash("sha256", readFileSync(join(folder, "media", sha256.slice(0, 2), sha256))), sha256);
    counts = [at, rows("media WHERE label = ?", name), rows("blobs WHERE sha256 = ?", sha256)];
  }
  counts.push(rows("idempotent_answers WHERE idempotency_key = ?", name));
  assert.is(new Set(counts).size, 1, `${kind} ${name} is stored in part: ${counts}`);
  return counts[0] as number;
}

function assertNoStrays(store: Store): void {
  const files = readdirSync(join(folder, "media"), { recursive: true, withFileTypes: true });
  const storedFiles = files.flatMap((entry) => (entry.isFile() && entry.name !== markName ? [entry.name] : []));
  const rows = store.database.prepare("SELECT sha256 FROM blobs").pluck().all();
  assert.equal(storedFiles.sort(), rows.sort());
}

const killing = suite("kill -9 during writes");

killing(`no acknowledged write is lost and none is stored in part or twice, in ${rounds} rounds`, async () => {
  let server = await start();
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) {
    let written = 0;
    const wrote = () => void written++;
    const streams = Array.from({ length: clients }, (_, client) => stream(server.url, round, client, wrote));
    // Somewhere within the writes that follow, because the clients go on.
    await until(() => written > clients + ((round * 7) % 20));
    await kill(server.child);
    const results = await Promise.all(streams);
    const done = results.flatMap((result) => result.done);
    const open = results.flatMap((result) => result.open);
    acknowledged += done.length;
    server = await start();
    await opened((store) => {
      for (const write of done)
        assert.is(countOf(store, write), 1, `${write.kind} ${write.name} was acknowledged and lost`);
      for (const write of open) assert.ok(countOf(store, write) <= 1);
      assertNoStrays(store);
    });
    for (const write of open) await send(server.url, write);
    await opened((store) => {
      for (const write of open) assert.is(countOf(store, write), 1);
    });
  }
  await kill(server.child);
  assert.ok(acknowledged > rounds * clients, `only ${acknowledged} writes were acknowledged`);
  await opened((store) => {
    assert.is(store.database.pragma("integrity_check", { simple: true }), "ok");
    assert.equal(store.database.pragma("foreign_key_check"), []);
    const [most, count] = store.database
      .prepare("SELECT max(version), count(*) FROM versions WHERE node_id = ?")
      .raw()
      .get(seedData.node_id) as [number, number];
    assert.is(most, count, "version numbers are consecutive");
  });
});
killing.after(() => {
  running?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
killing.run();
