// kill -9 while tus-js-client uploads: the upload continues at the last acknowledged offset, the bytes are equal, and
// nothing staged remains. ROUNDS=20 kills 20 times.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as tus from "tus-js-client";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { demoFolder, mint, one } from "../support/app.ts";
import { type BreakingProxy, openBreakingProxy } from "../support/breaking_proxy.ts";
import { randomOf, seed } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { serverRuntime } from "../support/runtime.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const random = randomOf(seed);
const rounds = roundsOf(4);
const folder = await demoFolder();
const opened = openStore(join(folder, "tallylight.db"));
const { production: production_id, submitter: engagement_id, delivery } = seedDataOf(opened);
const token = mint(opened, { production_id, engagement_id, scopes: ["read", "submit:turnover"] });
opened.close();
const authorization = `Bearer ${token}`;
const chunkSize = 250_000;
const staged = () => readdirSync(join(folder, "media", "staging"));

let running: ChildProcess | undefined;
let port = 0;
async function start(): Promise<void> {
  const file = fileURLToPath(new URL("../support/server_process.ts", import.meta.url));
  const args = [...serverRuntime, file, folder];
  running = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface({ input: running.stdout as NodeJS.ReadableStream })) {
    port = Number(new URL(url).port);
    return;
  }
  throw new Error("the server did not start");
}
async function kill(): Promise<void> {
  const ended = new Promise((resolve) => running?.once("exit", resolve));
  running?.kill("SIGKILL");
  await ended;
}

const head = async (path: string): Promise<number> => {
  const headers = { authorization, "tus-resumable": "1.0.0" };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "HEAD", headers });
  assert.is(response.status, 200);
  return Number(response.headers.get("upload-offset"));
};

/** Submits an upload and checks its bytes; afterwards nothing is staged. */
async function submitted(path: string, bytes: Buffer): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/turnovers/${delivery}/submissions`, {
    method: "POST",
    body: JSON.stringify({ upload_ids: [path.split("/").at(-1)] }),
    headers: { authorization, "content-type": "application/json" },
  });
  const { media } = (await response.json()) as { media: { id: number }[] };
  const content = await fetch(`http://127.0.0.1:${port}/api/v1/media/${media[0]?.id}/content`, {
    headers: { authorization },
  });
  const hash = createHash("sha256").update(Buffer.from(await content.arrayBuffer()));
  assert.is(hash.digest("hex"), createHash("sha256").update(bytes).digest("hex"));
  assert.equal(staged(), [], "nothing staged remains");
}

const killing = suite("kill -9 during an upload");

killing(`tus-js-client continues after ${rounds} kills where the last answer was`, async () => {
  await start();
  const proxy: BreakingProxy = await openBreakingProxy(() => port);
  const bytes = randomBytes(30_000_000 * Math.ceil(rounds / 4));
  let accepted = 0;
  let address = "";
  const done = new Promise<void>((resolve, reject) => {
    const sending = new tus.Upload(bytes, {
      endpoint: `http://127.0.0.1:${proxy.port}/api/v1/uploads`,
      headers: { authorization },
      chunkSize,
      retryDelays: Array.from({ length: 600 }, () => 100),
      storeFingerprintForResuming: false,
      onError: reject,
      onSuccess: () => resolve(),
      onChunkComplete: (_, bytesAccepted) => {
        accepted = bytesAccepted;
        address = new URL(sending.url as string).pathname;
      },
    });
    sending.start();
  });
  let kills = 0;
  for (; kills < rounds && accepted < bytes.length; kills++) {
    const some = accepted + random() * 10 * chunkSize;
    await until(() => accepted > some, 5);
    await kill();
    const acknowledged = accepted;
    await start();
    if (acknowledged < bytes.length) assert.ok((await head(address)) >= acknowledged, "an acknowledged byte is lost");
  }
  await done;
  proxy.close();
  await submitted(address, bytes);
  await kill();
  assert.is(kills, rounds, "the upload was finished before the last kill");
});

killing("a part that still arrives is acknowledged every 64 MiB", async () => {
  await start();
  const bytes = randomBytes(80 << 20);
  const version = { authorization, "tus-resumable": "1.0.0" };
  const headers = { ...version, "upload-length": String(bytes.length) };
  const created = await fetch(`http://127.0.0.1:${port}/api/v1/uploads`, { method: "POST", headers });
  const path = created.headers.get("location") as string;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
      `Content-Type: application/offset+octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.write(bytes.subarray(0, 75 << 20), resolve));
  const store = openStore(join(folder, "tallylight.db"));
  await until(() => one(store, "SELECT received FROM uploads WHERE id = ?", path.split("/").at(-1)) > 0);
  store.close();
  await kill();
  socket.destroy();
  await start();
  const offset = await head(path);
  assert.ok(offset >= 64 << 20 && offset < bytes.length, String(offset));
  const part = { ...version, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) };
  const rest = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "PATCH",
    headers: part,
    body: bytes.subarray(offset),
  });
  assert.is(rest.status, 204, await rest.text());
  await submitted(path, bytes);
  await kill();
});

killing.after(() => {
  running?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
killing.run();
