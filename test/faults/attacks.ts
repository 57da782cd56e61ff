// Known attacks at full size, each alone and two at a time, on a server in its own process. For each it prints the longest time that
// /healthz took in another process, as a ratio to 250 ms and next to the same without an attack; the longest time that the server's event loop
// was blocked, as a ratio to 250 ms; the peak of the memory as a ratio to 700 MB; and whether every request ended. On a loaded machine, the
// first one also counts how long the other process waited for a processor. SECONDS bounds one attack, ONLY names some, ALONE=1 leaves out pairs.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { scopes } from "../../src/inputs.ts";
import { openStore } from "../../src/store/database.ts";
import { demoFolder, mint, one } from "../support/app.ts";
import { runtime } from "../support/runtime.ts";
import { seedDataOf } from "../support/seed_data.ts";

const [maxGap, maxPeak] = [250, 700e6];
const seconds = Number(process.env.SECONDS ?? 120);
const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const seedData = seedDataOf(store);
const { production: production_id, submitter: engagement_id } = seedData;
const admin = mint(store, { production_id, scopes: ["read", "write", "admin"] });
const vendor = mint(store, { production_id, engagement_id, scopes });
const storage = mint(store, { production_id: seedData.storageProduction });
const filespace = one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");

/** Copies an event 300,000 times. */
function fillEvents(): void {
  const { database } = store;
  const columns = database.prepare("SELECT name FROM pragma_table_info('events') WHERE name <> 'id'").pluck().all();
  database.exec(
    `INSERT INTO events (${columns}) SELECT ${columns} FROM (SELECT * FROM events ORDER BY id DESC LIMIT 1),
     (WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n)`,
  );
}
if (one<number>(store, "SELECT count(*) FROM events") === 0) {
  const now = new Date().toISOString();
  const { recordEvent } = await import("../../src/store/events.ts");
  const subject = { kind: "storage_install", id: 1 } as const;
  const happening = { type: "storage.installed", subject, data: { filespace } } as const;
  store.writeSync(() => recordEvent(store, { ...happening, production_id, actor: "test", activity_id: null }, now));
}
fillEvents();

function start(file: string, ...args: string[]) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...runtime, path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value as string };
}
const server = start("../support/server_process.ts", folder, "delay");
const url = await server.line();
const prober = start("../support/prober.ts", url, admin, `/bundles/scene/${seedData.scene}`);
async function longestGap(): Promise<number> {
  prober.child.stdin?.write("\n");
  return JSON.parse(await prober.line()).gap;
}
async function longestBlock(): Promise<number> {
  server.child.stdin?.write("\n");
  return Number(await server.line());
}
const peak = (): number =>
  1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]);
const resetPeak = (): void => writeFileSync(`/proc/${server.child.pid}/clear_refs`, "5");

const json = "application/json";
const form = "application/x-www-form-urlencoded";
async function post(
  key: string | undefined,
  path: string,
  body: string | FormData,
  type?: string,
  signal?: AbortSignal,
) {
  const headers = {
    ...(type !== undefined && { "content-type": type }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const response = await fetch(url + path, { method: "POST", body, headers, signal: signal ?? null });
  await response.arrayBuffer();
  return response.status;
}
const times = (count: number, work: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const documentOf = (section: string, count: number, item: (at: number) => object) =>
  JSON.stringify({ [section]: Array.from({ length: count }, (_, at) => item(at)) });
/** Imports a file of a form, so that its size is that of a file and not of a JSON body. */
function importFile(text: string, name: string, query = "") {
  const body = new FormData();
  body.append("files", new Blob([text]), name);
  return post(admin, `/api/v1/admin/import${query}`, body);
}

let round = 0;
const attacks: Record<string, () => Promise<unknown>> = {
  "200 forms of 255 KiB without a key": () => times(200, () => post(undefined, "/signin", "a&".repeat(130_560), form)),
  "4 MiB to a page of settings": () => post(undefined, "/settings/import", "a&".repeat(2 << 20), form),
  "submissions of 1,000 files, then their lists": async () => {
    const path = `/api/v1/turnovers/${seedData.delivery}/submissions`;
    for (let at = 0; at < 20; at++) {
      const body = new FormData();
      for (let file = 0; file < 1_000; file++) body.append("files", new Blob(["x"]), `${file}`.padEnd(240, "n"));
      await post(vendor, path, body);
    }
    await times(10, async () => (await fetch(url + path, { headers: { authorization: `Bearer ${vendor}` } })).text());
  },
  "an import of 40,000 new scenes": () =>
    importFile(
      documentOf("scenes", 40_000, (at) => ({ number: `N${round}x${at}`, slugline: "INT. X - DAY" })),
      "a.json",
    ),
  "an import of 2,600,000 empty scenes": () => importFile(`{"scenes":[${"{},".repeat(2_600_000)}{}]}`, "b.json"),
  "an import of numbers that JSON cannot keep": () =>
    importFile(`{"$comment":[${"1e999,".repeat(1_100_000)}1]}`, "c.json", "?dry_run=1"),
  "labels with 200 equal characters": () =>
    importFile(
      documentOf("assets", 20_000, (at) => ({ label: `${"a".repeat(200)}${round}x${at}`, kind: "prop" })),
      "d.json",
      "?dry_run=1",
    ),
  "500 streams of a type that never occurs": async () => {
    const headers = { accept: "text/event-stream", authorization: `Bearer ${admin}` };
    const end = new AbortController();
    const open = times(500, () =>
      fetch(`${url}/api/v1/events?types=engagement.ended&after=0`, { headers, signal: end.signal }).catch(() => {}),
    );
    await pause(10_000);
    end.abort();
    await open;
  },
  "2,100 idle sockets": async () => {
    const sockets = Array.from({ length: 2_100 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => {});
    await pause(10_000);
    for (const socket of sockets) socket.destroy();
  },
  "30 storage batches of 1,000 at once": () =>
    times(30, (batch) => {
      const event = (at: number) => ({
        ...{ event_type: "create", path: `a/${batch}/${at}`, source: "reconciler", size: at },
        ...{ dedupe_key: `${round} ${batch} ${at}`, detected_at: "2026-11-20T08:00:00Z" },
      });
      const events = Array.from({ length: 1_000 }, (_, at) => event(at));
      return post(storage, "/api/v1/storage/events", JSON.stringify({ filespace, events }), json);
    }),
};

let failed = 0;
async function measure(names: readonly string[]): Promise<void> {
  round++;
  await longestGap();
  await pause(2_000);
  const without = await longestGap();
  resetPeak();
  await longestBlock();
  const begun = performance.now();
  const late = pause(seconds * 1_000, "late", { ref: false });
  const all = Promise.allSettled(names.map((name) => attacks[name]?.()));
  const outcome = await Promise.race([all, late]);
  const gap = await longestGap();
  const ratios = [gap / maxGap, peak() / maxPeak, without / maxGap, (await longestBlock()) / maxGap] as const;
  const isBad = outcome === "late" || ratios[3] > 1 || ratios[1] > 1;
  if (isBad) failed++;
  const [ofGap, ofPeak, ofQuiet, ofBlock] = ratios.map((ratio) => ratio.toFixed(2));
  const ended = outcome === "late" ? `not ended after ${seconds} s` : "every request ended";
  const took = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(
    `${isBad ? "FAIL" : "ok  "} ${names.join(" + ")}: gap ${ofGap} (without ${ofQuiet}), event loop ${ofBlock}, peak ${ofPeak}, ${ended}, ${took} s`,
  );
}

const chosen = Object.keys(attacks).filter((name) => name.includes(process.env.ONLY ?? ""));
try {
  for (const name of chosen) await measure([name]);
  for (const [at, name] of chosen.entries())
    for (const other of chosen.slice(at + 1)) if (process.env.ALONE === undefined) await measure([name, other]);
} finally {
  store.close();
  for (const { child } of [prober, server]) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
