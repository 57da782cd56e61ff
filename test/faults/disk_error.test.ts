// The disk refuses every write of a running server with an error of its own, as it does if it fails or if the system
// makes it read-only: reads are answered, writes are 503, /healthz says why, and writing continues when the disk works
// again.
// Thorough: only --all runs it.
import { execFileSync, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { assertRefused, demoFolder, mint, one } from "../support/app.ts";
import { serverRuntime } from "../support/runtime.ts";

/** Limits the size of the files that a process writes, in bytes: a write beyond it fails. */
const limitFiles = (pid: number, bytes: number | "unlimited"): void =>
  void execFileSync("prlimit", ["--pid", `${pid}`, `--fsize=${bytes}:unlimited`], { stdio: "ignore" });

function canLimit(): boolean {
  try {
    limitFiles(process.pid, "unlimited");
    return true;
  } catch {
    return false;
  }
}
const isPossible = canLimit();
const disk = suite(
  isPossible ? "a disk that fails" : "a disk that fails: skipped, there is no prlimit that may be used",
);

(isPossible ? disk : disk.skip)("writes are 503 until the disk works again, and reads are answered", async () => {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const token = mint(store);
  const node_id = one(store, "SELECT id FROM nodes WHERE production_id = 1 AND kind <> 'scene'");
  store.close();
  const file = fileURLToPath(new URL("../support/server_process.ts", import.meta.url));
  // otherwise the limit ends a process instead of failing its write
  const ignoring = ["-c", `trap '' XFSZ; exec "$@"`, "sh"];
  const child = spawn("sh", [...ignoring, process.execPath, ...serverRuntime, file, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const url = (await lines.next()).value as string;
    const authorization = { authorization: `Bearer ${token}` };
    const health = async () => (await (await fetch(`${url}/healthz`)).json()) as Record<string, unknown>;
    const writeAsset = (label: string) => {
      const headers = { ...authorization, "content-type": "application/json" };
      return fetch(`${url}/api/v1/assets`, { method: "POST", headers, body: JSON.stringify({ label }) });
    };
    const upload = () => {
      const body = new FormData();
      body.append("file", new Blob([new Uint8Array(100_000)]), "a.bin");
      return fetch(`${url}/api/v1/assets/${node_id}/versions`, { method: "POST", headers: authorization, body });
    };
    assert.is((await writeAsset("before")).status, 200);
    limitFiles(child.pid as number, 0);
    const sentence = "the server's disk reports an error; contact the administrator";
    await assertRefused(await writeAsset("during"), 503, sentence);
    if (!("Deno" in globalThis)) await assertRefused(await upload(), 503, sentence); // Deno gives such an error no code
    const { ok, writable, reason } = await health();
    assert.equal([ok, writable, reason], [true, false, "the disk reports an error"]);
    const read = await fetch(`${url}/api/v1/assets/${node_id}`, { headers: authorization });
    assert.is(read.status, 200);
    limitFiles(child.pid as number, "unlimited");
    assert.is((await writeAsset("after")).status, 200);
    assert.is((await upload()).status, 200);
    assert.is((await health()).writable, undefined);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
  const after = openStore(join(folder, "tallylight.db"));
  const labels = "SELECT group_concat(label, ' ') FROM nodes WHERE label IN ('before', 'during', 'after')";
  assert.is(one<string>(after, labels), "before after");
  after.close();
  rmSync(folder, { recursive: true });
});

disk.run();
