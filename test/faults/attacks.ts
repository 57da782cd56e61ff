// Known attacks on a server in its own process, each alone and then two at a time, for at most MINUTES (8). Prints a
// table: the longest time that /healthz took in another process, the longest time that the server's event loop was
// blocked and the most processor time of one of its turns, as ratios to 250 ms; the peak of the memory as a ratio to
// 700 MB; the jobs and requests that are left; and the statuses of the answers. On a loaded machine the first two also
// count how long a process waited for a processor. SECONDS bounds one attack, ONLY names some, ALONE=1 leaves out
// pairs. SMALL=1 makes each attack small and checks everything but the times.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runAgent } from "../../src/agent/agent.ts";
import { agentSettingsOf } from "../../src/agent/settings.ts";
import { scopes } from "../../src/core/access/callers.ts";
import { openStore } from "../../src/core/store/database.ts";
import { deleteWebhook, insertWebhook } from "../../src/features/webhooks/webhook_rows.ts";
import { demoFolder, mint, one, type TestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { editFields, signIn } from "../support/pages.ts";
import { runtimeOf } from "../support/runtime.ts";
import { encodeMsd } from "../support/scheduling.ts";
import { seedDataOf } from "../support/seed_data.ts";

const [maxGap, maxPeak] = [250, 700e6];
const seconds = Number(process.env.SECONDS ?? 60);
const until = performance.now() + 60_000 * Number(process.env.MINUTES ?? 8);
const isSmall = process.env.SMALL === "1";
/** A count of an attack. */
const sized = (count: number): number => (isSmall ? Math.ceil(count / 20) : count);
const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const seedData = seedDataOf(store);
const { production: production_id, submitter: engagement_id } = seedData;
const adminOf = (production_id: number) => mint(store, { production_id, scopes: ["read", "write", "admin"] });
const admin = adminOf(seedData.feature);
const reader = mint(store, { production_id });
const otherThan = (id: number): number => one(store, "SELECT id FROM productions WHERE id <> ? ORDER BY id", id);
const otherAdmin = adminOf(otherThan(seedData.feature)); // an attack must not wait for the lock
const storageAdmin = adminOf(seedData.storageProduction);
const vendor = mint(store, { production_id, engagement_id, scopes });
const storage = mint(store, { production_id: seedData.storageProduction });
const filespace = one<string>(store, "SELECT filespace FROM storage_installs WHERE active = 1");

/** Copies an event 300,000 times. */
function fillEvents(): void {
  const { database } = store;
  const columns = database.prepare("SELECT name FROM pragma_table_info('events') WHERE name <> 'id'").pluck().all();
  database.exec(
    `INSERT INTO events (${columns}) SELECT ${columns} FROM (SELECT * FROM events ORDER BY id DESC LIMIT 1),
     (WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${sized(300_000)}) SELECT i FROM n)`,
  );
}
if (one<number>(store, "SELECT count(*) FROM events") === 0) {
  const now = new Date().toISOString();
  const { recordEvent } = await import("../../src/core/store/events.ts");
  const subject = { kind: "storage_install", id: 1 } as const;
  const happening = { type: "storage.installed", subject, data: { filespace } } as const;
  store.writeSync(() => recordEvent(store, { ...happening, production_id, actor: "test", activity_id: null }, now));
}
fillEvents();

function start(file: string, ...args: string[]) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { ...process.env, MALLOC_ARENA_MAX: "2", TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1" }; // as the service has it
  const child = spawn(process.execPath, [...runtimeOf(path), path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value as string };
}
const server = start("../support/server_process.ts", folder, "delay");
const url = await server.line();
const prober = start("../support/prober.ts", url, reader, `/bundles/scene/${seedData.scene}`);
async function longestGap(): Promise<number> {
  prober.child.stdin?.write("\n");
  return JSON.parse(await prober.line()).gap;
}
async function longestBlock(): Promise<[elapsed: number, used: number]> {
  server.child.stdin?.write("\n");
  const [elapsed, used] = (await server.line()).split(" ");
  return [Number(elapsed), Number(used)];
}
const peak = (): number =>
  1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]);
const resetPeak = (): void => writeFileSync(`/proc/${server.child.pid}/clear_refs`, "5");

/** How many threads the server has besides those that it always has: those of imports. */
const threads = (): number => readdirSync(`/proc/${server.child.pid}/task`).length;
let ownThreads = Number.POSITIVE_INFINITY;
const jobsLeft = (): number => Math.max(0, threads() - ownThreads);

/** How many answers had each status. */
let statuses = new Map<number, number>();
function answered({ status }: Pick<Response, "status">): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}
/**
 * A request without an answer has the status 0: in a pair one attack may make the server refuse the connections of the
 * other.
 */
function unanswered(name: string, error: unknown): void {
  answered({ status: 0 });
  const { message, cause } = error as Error;
  console.log(`     ${name}: ${cause instanceof Error ? cause.message : message}`);
}

const json = "application/json";
const form = "application/x-www-form-urlencoded";
async function post(
  key: string | undefined,
  path: string,
  body: string | FormData,
  type?: string,
  more?: Record<string, string>,
): Promise<string> {
  const headers = {
    ...(type !== undefined && { "content-type": type }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...more,
  };
  const response = await fetch(url + path, { method: "POST", body, headers });
  answered(response);
  return response.text();
}
const times = (count: number, work: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));
const documentOf = (section: string, count: number, item: (at: number) => object) =>
  JSON.stringify({ [section]: Array.from({ length: count }, (_, at) => item(at)) });
/** Imports a file of a form, so that its size is that of a file and not of a JSON body. */
function importFile(content: string | Uint8Array<ArrayBuffer>, name: string, query = "", key = admin) {
  const body = new FormData();
  body.append("files", new Blob([content]), name);
  return post(key, `/api/v1/admin/import${query}`, body);
}

/** What an attack did that no status tells: each sentence is a failure. */
let faults: string[] = [];
/** Moves files into a folder that another program swaps for a link all the time. */
async function moveBesideSwaps(count: number): Promise<void> {
  const [root, outside, state] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const name = `swapped-${round}`;
  const own = otherThan(seedData.storageProduction); // the other attacks on storage need their install
  const paths = Array.from({ length: count }, (_, at) => `${at}`);
  for (const folder of ["in", "new"]) mkdirSync(join(root, folder));
  for (const path of paths) writeFileSync(join(root, "in", path), `the bytes of ${path} `.repeat(500));
  store.writeSync(() => {
    const now = new Date().toISOString();
    const insert = "INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (?, ?, 1, ?)";
    store.database.prepare("UPDATE storage_installs SET active = 0 WHERE production_id = ?").run(own);
    const { lastInsertRowid: install_id } = store.database.prepare(insert).run(own, name, now);
    const task = store.database.prepare(
      "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (?, ?, ?, ?, 'pending', ?)",
    );
    for (const path of paths) task.run(own, install_id, `in/${path}`, `new/${path}`, now);
  });
  const key = mint(store, { production_id: own, scopes: ["write"] });
  const settings = agentSettingsOf({ url, key, filespace: name, root, state }, {});
  const script = 'while :; do mv new aside; ln -s "$1" new; rm new; mv aside new; done';
  const swapper = spawn("sh", ["-c", script, "sh", outside], { cwd: root, stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => swapper.once("exit", resolve));
  try {
    await runAgent({ settings, log: () => {}, signal: new AbortController().signal, once: true });
  } finally {
    process.kill(-(swapper.pid as number), "SIGKILL"); // with the program that it runs just now
    await ended;
  }
  const landed = readdirSync(outside).length;
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  // a moved file may keep its former name
  const kept = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name)).size;
  console.log(`     ${landed} of ${count} moved files landed outside, ${kept} are below the root`);
  for (const made of [root, outside, state]) rmSync(made, { recursive: true, force: true });
  if (landed > 0) faults.push(`${landed} files landed outside`);
  if (kept !== count) faults.push(`${kept} of ${count} files are below the root`);
}

let round = 0;
const scenesOf = (count: number) =>
  documentOf("scenes", sized(count), (at) => ({ number: `N${round}x${at}`, slugline: "INT. X - DAY" }));
const dry = "?dry_run=1";
/** The largest imports need more memory than an import has. */
const stored = [200, 413];
/**
 * Adds scenes, does something beside them, and takes them back, so that each round begins with the same production. In
 * a pair, it may have too many scenes.
 */
async function withScenes(count: number, name: string, work: () => Promise<unknown> = async () => {}) {
  const { change_set } = JSON.parse(await importFile(scenesOf(count), name, "?limit=1"));
  await work();
  if (change_set !== undefined) await post(admin, `/api/v1/admin/history/${change_set}/undo?limit=1`, "");
}
/** The statuses that an attack must have, one of them at least, and what it does. */
const attacks: Record<string, [expected: readonly number[], attack: () => Promise<unknown>]> = {
  "200 forms of 255 KiB without a key": [
    [413, 403],
    () => times(sized(200), () => post(undefined, "/signin", "a&".repeat(130_560), form)),
  ],
  "4 MiB to a page of settings": [[200], () => post(undefined, "/settings/import", "a&".repeat(2 << 20), form)],
  "the import page with a session": [
    [200, 422, 413],
    async () => {
      const browser = await signIn({ url } as TestServer, admin);
      const page = await browser.text("/settings/import");
      const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? "";
      for (const size of [sized(5 << 20), 17 << 20]) {
        const body = new FormData();
        body.append("proof", proof);
        body.append("action", "preview");
        body.append("files", new Blob([scenesOf(40_000).padEnd(size)]), "a.json");
        await post(undefined, "/settings/import", body, undefined, { cookie: browser.cookies(), accept: "text/html" });
      }
    },
  ],
  "submissions of 1,000 files, then their lists": [
    [200],
    async () => {
      const path = `/api/v1/turnovers/${seedData.delivery}/submissions`;
      for (let at = 0; at < sized(10); at++) {
        const body = new FormData();
        for (let file = 0; file < sized(1_000); file++)
          body.append("files", new Blob(["x"]), `${file}`.padEnd(240, "n"));
        await post(vendor, path, body);
      }
      const headers = { authorization: `Bearer ${vendor}` };
      await times(10, async () => answered(await fetch(url + path, { headers })));
    },
  ],
  "a form, a decision, the export and the undo of 20,000 scenes": [
    [200],
    () =>
      withScenes(20_000, "u.json", async () => {
        const read = async (path: string) => {
          const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${admin}` } });
          answered(response);
          return response;
        };
        const browser = await signIn({ url } as TestServer, admin);
        const scene = one<number>(
          store,
          "SELECT min(id) FROM nodes WHERE production_id = ? AND kind = 'scene'",
          seedData.feature,
        );
        for (const section of ["scenes", "schedule", "deliveries"]) answered(await browser.get(`/edit/${section}`));
        const path = `/edit/scenes/${scene}`;
        const fields = await editFields(browser, path);
        answered(await browser.send(path, { ...fields, slugline: `INT. ROUND ${round} - DAY` }));
        const changes = (await (await read("/script-changes?all_episodes=1")).json()) as {
          id: number;
          status: string;
        }[];
        const pending = changes.find(({ status }) => status === "pending");
        const decision = JSON.stringify({ decision: "approved" });
        if (pending !== undefined) await post(admin, `/api/v1/script-changes/${pending.id}/decide`, decision, json);
        await (await read("/admin/export")).arrayBuffer();
      }),
  ],
  "an import of 25,000 new scenes": [[...stored, 422], () => withScenes(25_000, "a.json")],
  "two imports of two productions": [
    [...stored, 422],
    () =>
      Promise.all([
        withScenes(25_000, "a.json"),
        importFile(
          documentOf("people", sized(70_000), (at) => ({ name: `P${round}x${at}`, role: "x" })),
          "b.json",
          dry,
          otherAdmin,
        ),
      ]),
  ],
  "an import of 2,600,000 empty scenes": [
    [413],
    () => importFile(`{"scenes":[${"{},".repeat(2_600_000)}{}]}`, "b.json"),
  ],
  "an import of 280,000 vendors": [
    isSmall ? [200] : [413],
    () =>
      importFile(
        documentOf("vendors", sized(280_000), (at) => `L${at}` as unknown as object),
        "v.json",
        dry,
      ),
  ],
  "an import of numbers that JSON cannot keep": [
    [422],
    () => importFile(`{"$comment":[${"1e999,".repeat(sized(299_000))}1]}`, "c.json", dry),
  ],
  "labels with 200 equal characters": [
    [200],
    () =>
      importFile(
        documentOf("assets", sized(20_000), (at) => ({ label: `${"a".repeat(200)}${round}x${at}`, kind: "prop" })),
        "d.json",
        dry,
      ),
  ],
  "the same 20,000 storage rows again": [
    [200],
    async () => {
      const created_at = "2026-01-05T08:00:00.000Z";
      const file = (at: number) => ({ path: `r/${at}.mov`, state: "present", size: at, detected_at: created_at });
      const files = Array.from({ length: sized(20_000) }, (_, at) => file(at));
      const text = JSON.stringify({ storage: [{ filespace, files }] });
      for (let time = 0; time < 2; time++) await importFile(text, "e.json", "", storageAdmin);
    },
  ],
  "a script whose tags name one definition": [
    [...stored, 422],
    () => {
      const count = sized(5_000);
      const each = (text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join("");
      const heading = (at: number) =>
        `<Paragraph Type="Scene Heading" Number="${at + 1}"><Text TagNumber="${at}">INT. SET - DAY</Text></Paragraph>`;
      const data = `<TagCategories><TagCategory Id="c" Name="Props"/></TagCategories><TagDefinitions>${each((at) => `<TagDefinition Id="${at}" CatId="c" Label="L${at}"/>`)}</TagDefinitions><Tags>${each((at) => `<Tag Number="${at}"><DefId>1</DefId></Tag>`)}</Tags>`;
      const text = `<FinalDraft Version="5"><Content>${each(heading)}</Content><TagData>${data}</TagData></FinalDraft>`;
      return importFile(text, "f.fdx", dry);
    },
  ],
  "a .msd of ranges": [
    [...stored, 422],
    () => {
      const sheet = (at: number) => ({
        id: String(at),
        scenes: "1-64",
        attributes: { Set: `Set ${at}` },
        elements: [],
      });
      const sheets = Array.from({ length: sized(10_000) }, (_, at) => sheet(at));
      const boards = { Board: { days: [["0"]], loose: sheets.map(({ id }) => id) } };
      const bytes = encodeMsd({ sheets, boards, active: "Board", calendars: {} });
      return importFile(new Uint8Array(bytes), "g.msd", dry);
    },
  ],
  "a .uss of 1 MiB of mentions": [
    [200, 422],
    () => {
      const ids = Array.from({ length: 1_000 }, (_, at) => `e${at}`);
      const all = Array.from({ length: sized(400) }, (_, at) => at);
      const breakdowns = all.map((id) => ({
        id,
        type: "scene",
        scene: String(id),
        pages: 1,
        elements: ids.slice(0, 400),
      }));
      const elements = ids.map((id) => ({ id, name: `Thing ${id}` }));
      const categories = [{ id: "c", ucid: 100, name: "Cast", elements: ids }];
      const text = JSON.stringify({ universalScheduleStandard: { breakdowns, categories, elements } });
      return importFile(text, "h.uss", dry);
    },
  ],
  "bodies with a value named staged": [
    [422],
    () =>
      times(sized(500), (at) => {
        const staged = at % 2 === 0 ? null : Array.from({ length: 1_000 }, () => ({ sha256: at }));
        const body = JSON.stringify({ label: 5, $comment: { staged } });
        return post(admin, "/api/v1/assets", body, json, { "idempotency-key": `${round} ${at}` });
      }),
  ],
  "500 streams of a type that never occurs": [
    [200],
    async () => {
      const headers = { accept: "text/event-stream", authorization: `Bearer ${reader}` };
      const end = new AbortController();
      const address = `${url}/api/v1/events?types=engagement.ended&after=start`;
      const open = times(sized(500), () => fetch(address, { headers, signal: end.signal }).then(answered, () => {}));
      await pause(isSmall ? 1_000 : 5_000);
      end.abort();
      await open;
    },
  ],
  "2,100 idle sockets": [
    [],
    async () => {
      const port = Number(new URL(url).port);
      const sockets = Array.from({ length: sized(2_100) }, () => connect(port, "127.0.0.1"));
      for (const socket of sockets) socket.on("error", () => {});
      await pause(isSmall ? 1_000 : 5_000);
      for (const socket of sockets) socket.destroy();
    },
  ],
  "60 moves of the agent into a folder that is swapped for a link": [[], () => moveBesideSwaps(60)],
  "100 webhooks whose receivers send informational answers without end": [
    [],
    async () => {
      const count = sized(100);
      let left = 0;
      const receiver = createServer((socket) => {
        const part = "HTTP/1.1 102 x\r\n\r\n".repeat(10_000);
        const write = () => {
          while (socket.writable && socket.write(part));
        };
        socket.on("error", () => {}).resume();
        socket.on("close", () => left++);
        socket.on("drain", write);
        socket.once("data", write);
      });
      await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const adding = {
        production_id,
        url,
        types: null,
        secret: "whsec_YQ==",
        position: 1,
        now: new Date().toISOString(),
      };
      const ids = store.writeSync(() => Array.from({ length: count }, () => insertWebhook(store, adding).id));
      while (left < count) await pause(50);
      store.writeSync(() => ids.map((id) => deleteWebhook(store, { id })));
      receiver.close();
    },
  ],
  "30 storage batches of 1,000 at once": [
    [200],
    () =>
      times(sized(30), (batch) => {
        const event = (at: number) => ({
          event_type: "create",
          path: `a/${batch}/${at}`,
          source: "reconciler",
          size: at,
          dedupe_key: `${round} ${batch} ${at}`,
          detected_at: "2026-11-20T08:00:00Z",
        });
        const events = Array.from({ length: 1_000 }, (_, at) => event(at));
        return post(storage, "/api/v1/storage/events", JSON.stringify({ filespace, events }), json);
      }),
  ],
};

// Starts the threads that stay for some time: of imports and of exports.
await importFile(scenesOf(1), "first.json", dry);
await (await fetch(`${url}/api/v1/admin/export`, { headers: { authorization: `Bearer ${admin}` } })).arrayBuffer();
await pause(1_000);
ownThreads = threads();
let failed = 0;
console.log("      gap  loop   cpu  peak left  time  attack");
async function measure(names: readonly string[]): Promise<void> {
  round++;
  await longestGap();
  resetPeak();
  await longestBlock();
  statuses = new Map();
  faults = [];
  const begun = performance.now();
  const late = pause(seconds * 1_000, "late", { ref: false });
  const all = Promise.all(names.map((name) => attacks[name]?.[1]().catch((error) => unanswered(name, error))));
  const outcome = await Promise.race([all, late]);
  const gap = (await longestGap()) / maxGap;
  const ofPeak = peak() / maxPeak;
  const [block = 0, used = 0] = (await longestBlock()).map((milliseconds) => milliseconds / maxGap);
  const took = (performance.now() - begun) / 1_000;
  for (let waited = 0; jobsLeft() > 0 && waited < 2_400; waited++) await pause(50);
  const left = jobsLeft() + (outcome === "late" ? 1 : 0);
  const wrong = [...statuses.keys()].filter((status) => status >= 500 && status !== 503);
  const missing = names.filter((name) => {
    const [expected = []] = attacks[name] ?? [];
    return expected.length > 0 && !expected.some((status) => statuses.has(status));
  });
  const isBad =
    faults.length > 0 || left > 0 || ofPeak > 1 || wrong.length > 0 || missing.length > 0 || (!isSmall && block > 1);
  if (isBad) failed++;
  const figures = [gap, block, used, ofPeak].map((ratio) => ratio.toFixed(2).padStart(5));
  const counted = [...statuses].sort().map(([status, count]) => `${count} × ${status}`);
  const row = [isBad ? "FAIL" : "ok  ", ...figures, String(left).padStart(4), took.toFixed(1).padStart(5)];
  console.log(`${row.join(" ")}  ${names.join(" + ")}: ${[...counted, ...faults].join(", ") || "no answer"}`);
}

const words = (process.env.ONLY ?? "").split("|");
const chosen = Object.keys(attacks).filter((name) => words.some((word) => name.includes(word)));
const pairs = chosen.flatMap((name, at) => chosen.slice(at + 1).map((other) => [name, other]));
// Those that are far apart in the list come first: every attack is in one of the first pairs.
pairs.sort(([a = "", b = ""], [c = "", d = ""]) => {
  const distance = (one: string, other: string) =>
    Math.abs(chosen.indexOf(other) - chosen.indexOf(one) - chosen.length / 2);
  return distance(a, b) - distance(c, d);
});
const runs = [...chosen.map((name) => [name]), ...(process.env.ALONE === undefined ? pairs : [])];
let done = 0;
try {
  for (const names of runs) {
    if (performance.now() > until - 20_000) break;
    await measure(names);
    done++;
  }
} finally {
  store.close();
  for (const { child } of [prober, server]) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${done - failed} passed, ${failed} failed, ${runs.length - done} not run in the time`);
process.exit(failed === 0 ? 0 : 1);
