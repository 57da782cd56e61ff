// node benchmarks/whole_answers.ts: how long others wait, and how much memory more is used, while 100 pictures of 12
// megapixels are made for the first time, and while a whole list of 20,000 scenes is made with everything that it
// includes. SCENES=n and PICTURES=n make it smaller.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../src/core/store/database.ts";
import { importedAt, mint, one } from "../test/support/app.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { writeLarger } from "../test/support/larger.ts";
import { folderWith } from "../test/support/template.ts";

const scenes = Number(process.env.SCENES ?? 20_000);
const count = Number(process.env.PICTURES ?? 100);

const file = join(temporaryFolder(), "whole.json");
await writeLarger(file, { title: "Whole", scenes, assets: 200, versions: 1, engagements: 1 });
const folder = await folderWith([file], importedAt);
const store = openStore(join(folder, "tallylight.db"));
const token = mint(store, { scopes: ["read", "write"] });

function run(program: string, ...words: string[]): { child: ChildProcess; line: () => Promise<string> } {
  const path = fileURLToPath(new URL(`../test/support/${program}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}
const server = run("server_process.ts", folder);
const url = await server.line();
const prober = run("prober.ts", url, token, "/production");
/** The longest time in which somebody else waited for an answer since the last call, in milliseconds. */
async function longestGap(): Promise<number> {
  prober.child.stdin?.write("\n");
  return JSON.parse(await prober.line()).gap;
}
/** Of the server and the processes that it has started, in MiB. */
function memory(): number {
  const pid = String(server.child.pid);
  const lines = execFileSync("ps", ["-o", "rss=", "-p", pid, "--ppid", pid], { encoding: "utf8" }).trim().split("\n");
  return lines.reduce((sum, line) => sum + Number(line), 0) / 1024;
}
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${url}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });

async function measured(name: string, work: () => Promise<string>): Promise<void> {
  await pause(1_000);
  const [idle, before] = [await longestGap(), memory()];
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memory());
  }, 250);
  const started = performance.now();
  const done = await work();
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1_000;
  const gap = await longestGap();
  console.log(
    `${name}: ${done} in ${seconds.toFixed(1)} s; others waited at most ${gap.toFixed(0)} ms (${idle.toFixed(0)} ms before), ${(most - before).toFixed(0)} MiB more`,
  );
}

const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
const encoder = "sharp"; // not inside import(), because the package is optional and its types may be absent
const { default: sharp } = await import(encoder);
const image = await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: "#777", noise } })
  .jpeg()
  .toBuffer();
const [asset] = (await (await ask("/assets?limit=1")).json()) as { node_id: number }[];
const ids: number[] = [];
for (let at = 0; at < count; at++) {
  const form = new FormData();
  // what follows the image makes it another one
  form.append("file", new Blob([image as Buffer<ArrayBuffer>, String(at)]), `${at}.jpg`);
  const { id } = (await (await ask(`/assets/${asset?.node_id}/versions`, { method: "POST", body: form })).json()) as {
    id: number;
  };
  ids.push(one(store, "SELECT id FROM media WHERE version_id = ?", id));
}
await measured(`${count} pictures of 12 megapixels`, async () => {
  const sizes = await Promise.all(
    ids.map(async (id) => (await (await ask(`/media/${id}/content?width=320`)).arrayBuffer()).byteLength),
  );
  return `at most ${(Math.max(...sizes) / 1_000).toFixed(1)} KB each`;
});
for (const path of [
  "/scenes",
  "/scenes?include=assets,department_notes,shoot_days",
  "/assets?include=versions,notes,still",
])
  await measured(`${path} at ${scenes} scenes`, async () => {
    const bytes = (await (await ask(path)).arrayBuffer()).byteLength;
    return `${(bytes / 1e6).toFixed(1)} MB`;
  });
for (const { child } of [server, prober]) {
  child.kill("SIGKILL");
  await once(child, "close");
}
store.close();
