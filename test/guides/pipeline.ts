// Six pipeline jobs on a Tallylight server, in TypeScript without a library: node pipeline.ts (22.18 or newer) or
// deno run -A pipeline.ts.
//
//   export TALLYLIGHT_URL=http://127.0.0.1:8787 TALLYLIGHT_KEY=tl_...
//   pipeline.ts scenes                           the scenes that the key reaches
//   pipeline.ts day 2026-11-30                   what shoots on a date, and what is not ready for it
//   pipeline.ts poll 22 [SECONDS] [TIMES]        a scene's bundle, fetched again only if it changed
//   pipeline.ts stills 22 stills                 the stills of its released versions, as files in a folder
//   pipeline.ts submit 1 comp_v4.mov [MORE...]
//   pipeline.ts storage main-raid /mnt/show [SECONDS] [TIMES]
//
// scenes, poll and stills take a production's key or a vendor's, day a production's, submit a vendor's with the scope
// submit:turnover, storage a production's with the scope write. Files above 8 MiB are uploaded in parts, and continue after a
// failure where they were.
//
// Its types are the server's own: npx openapi-typescript $TALLYLIGHT_URL/api/v1/openapi.json -o tallylight.ts
import { createHash } from "node:crypto";
import { createReadStream, openAsBlob } from "node:fs";
import { access, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { argv, env, exit } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { components, paths } from "./tallylight.ts";

type Schemas = components["schemas"];
type Events = paths["/storage/events"]["post"]["requestBody"]["content"]["application/json"];
type Acknowledgement = paths["/storage/tasks/ack"]["post"]["requestBody"]["content"]["application/json"];

const base = `${env.TALLYLIGHT_URL ?? "http://127.0.0.1:8787"}/api/v1`;
/** Statuses that are retried, like every response with Retry-After; other errors are final. */
const retried = new Set([408, 429, 500, 502, 503, 504]);
const tries = 5;
/** A file above this size is uploaded in parts of this size, in bytes. */
const partSize = 8 << 20;

/** Sends a request. Retries after network failures and temporary errors. */
async function call(path: string, init: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    let pause = Math.min(30, 2 ** attempt) * (0.5 + Math.random() / 2);
    try {
      const headers = { authorization: `Bearer ${env.TALLYLIGHT_KEY}`, ...(init.headers as Record<string, string>) };
      const response = await fetch(base + path, { ...init, headers, signal: AbortSignal.timeout(60_000) });
      if (response.ok || response.status === 304) return response;
      const { detail } = (await response.json()) as Schemas["Problem"];
      const after = response.headers.get("retry-after");
      if ((!retried.has(response.status) && after === null) || attempt === tries) {
        console.error(`${path}: ${response.status} ${detail}`);
        exit(1);
      }
      pause = Number(after ?? pause);
    } catch (failure) {
      if (attempt === tries) throw failure;
    }
    await sleep(pause * 1000);
  }
}

/**
 * An Idempotency-Key computed from the request. A job that crashed and is run again within a day sends the same key, and the
 * server returns its first response instead of doing the work twice.
 */
const keyOf = (...request: unknown[]) => createHash("sha256").update(JSON.stringify(request)).digest("hex");

/** POSTs JSON with an Idempotency-Key, so that retries do the work only once. */
async function send<Answer>(path: string, document: object): Promise<Answer> {
  const headers = { "content-type": "application/json", "idempotency-key": keyOf(path, document) };
  return (await (await call(path, { method: "POST", headers, body: JSON.stringify(document) })).json()) as Answer;
}

/** Prints the scenes that the key reaches: those of its grants, or all of them for a production's key. */
async function scenes(): Promise<void> {
  const { reach } = (await (await call("/me")).json()) as Schemas["Me"];
  if (reach === null) {
    const all = (await (await call("/scenes")).json()) as Schemas["Scene"][];
    for (const { node_id, number, slugline } of all) console.log(`${node_id}: ${number} ${slugline}`);
  } else for (const { node_id, kind, label } of reach.nodes) if (kind === "scene") console.log(`${node_id}: ${label}`);
}

/** Prints what shoots on a date, the assets without a released version, and what is pending, with one request. */
async function day(date: string): Promise<void> {
  const bundle = (await (await call(`/bundles/day?date=${date}`)).json()) as Schemas["DayBundle"];
  console.log(`day ${bundle.day.day_number}, ${bundle.day.date}, call ${bundle.day.general_call}`);
  for (const { number, slugline, assets } of bundle.scenes) {
    console.log(`  scene ${number} ${slugline}`);
    for (const { ready, label, department, newest } of assets)
      if (!ready) {
        const state = newest === null ? "no version" : `v${newest.version} is ${newest.status}`;
        console.log(`    not ready: ${label} (${department}), ${state}`);
      }
  }
  for (const { title, status } of bundle.approvals) console.log(`  approvals: ${title}, ${status}`);
  for (const { title, status } of bundle.deliveries) console.log(`  deliveries: ${title}, ${status}`);
  for (const { summary, status } of bundle.script_changes) console.log(`  script_changes: ${summary}, ${status}`);
}

/** Prints a scene's assets if its bundle has changed. An unchanged bundle is a 304 without a body. */
async function poll(scene: string): Promise<void> {
  const headers: Record<string, string> = etags.has(scene) ? { "if-none-match": etags.get(scene) as string } : {};
  const response = await call(`/bundles/scene/${scene}`, { headers });
  if (response.status === 304) return console.log("unchanged");
  etags.set(scene, response.headers.get("etag") as string);
  const bundle = (await response.json()) as Schemas["SceneBundle"];
  const labels = bundle.assets.map(({ label }) => label).join(", ");
  console.log(`scene ${bundle.scene.number}, ${bundle.scene.slugline}: ${labels}`);
}
const etags = new Map<string, string>();

const suffixes: Record<string, string> = { "image/jpeg": ".jpg", "image/png": ".png", "video/mp4": ".mp4" };

/** Downloads the still of every released version in a scene's bundle. media_id works with a vendor's key too. */
async function stills(scene: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const bundle = (await (await call(`/bundles/scene/${scene}`)).json()) as Schemas["SceneBundle"];
  for (const { node_id, label, released_versions } of bundle.assets)
    for (const { version, media_id } of released_versions) {
      if (media_id === null) continue;
      const response = await call(`/media/${media_id}/content`);
      const suffix = suffixes[response.headers.get("content-type") ?? ""] ?? "";
      const name = `${node_id}_v${String(version).padStart(3, "0")}${suffix}`;
      await writeFile(join(folder, name), new Uint8Array(await response.arrayBuffer()));
      console.log(`${name}: ${label}`);
    }
}

/** A refusal of the upload protocol tus. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(`${status} ${detail}`);
    this.status = status;
  }
}

/** Sends one request of the upload protocol tus and returns the response's headers. */
async function tus(method: string, path: string, headers: Record<string, string>, body?: Blob): Promise<Headers> {
  const every = { authorization: `Bearer ${env.TALLYLIGHT_KEY}`, "tus-resumable": "1.0.0", ...headers };
  const signal = AbortSignal.timeout(60_000);
  const response = await fetch(base + path, { method, headers: every, signal, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Refusal(response.status, text);
  return response.headers;
}

async function createUpload(file: string, size: number): Promise<string> {
  const name = Buffer.from(basename(file)).toString("base64");
  const headers = { "upload-length": String(size), "upload-metadata": `filename ${name}` };
  return (await tus("POST", "/uploads", headers)).get("location")?.split("/").at(-1) as string;
}

/** Sends what the server does not have of an upload, in parts. Calls `onPart` after each of them. */
async function continueUpload(id: string, content: Blob, onPart: () => void): Promise<void> {
  let offset = Number((await tus("HEAD", `/uploads/${id}`, {})).get("upload-offset"));
  while (offset < content.size) {
    const headers = { "content-type": "application/offset+octet-stream", "upload-offset": String(offset) };
    const part = content.slice(offset, offset + partSize, headers["content-type"]);
    offset = Number((await tus("PATCH", `/uploads/${id}`, headers, part)).get("upload-offset"));
    onPart();
  }
}

/**
 * Uploads a file in parts. Returns the upload's id, and the file that remembers it, so that a job that crashed and is run again
 * within a day continues the upload, or names the finished one again.
 */
async function upload(file: string, sha256: string): Promise<{ id: string; memory: string }> {
  const memory = join(tmpdir(), `tallylight-${keyOf(base, env.TALLYLIGHT_KEY, basename(file), sha256)}`);
  const isRecent = await stat(memory).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < 80_000_000,
    () => false,
  );
  let [id, done] = isRecent ? (await readFile(memory, "utf8")).split(" ") : [];
  const content = await openAsBlob(file);
  for (let failures = 0; done !== "yes"; ) {
    try {
      id ??= await createUpload(file, content.size);
      await writeFile(memory, `${id} no`);
      await continueUpload(id, content, () => {
        failures = 0;
      });
      done = "yes";
      await writeFile(memory, `${id} yes`);
    } catch (failure) {
      const status = failure instanceof Refusal ? failure.status : undefined;
      if (status === 404) id = undefined; // it has expired
      const isFinal = status !== undefined && status !== 404 && status !== 409 && !retried.has(status);
      if (isFinal || ++failures === tries) {
        console.error(`${file}: ${(failure as Error).message}`);
        exit(1);
      }
      await sleep(Math.min(30, 2 ** failures) * (500 + Math.random() * 500));
    }
  }
  return { id: id as string, memory };
}

/** Submits files on a delivery: small ones in one form, larger ones as finished uploads. */
async function submit(delivery: string, files: string[]): Promise<void> {
  const path = `/turnovers/${delivery}/submissions`;
  const fingerprints: [name: string, sha256: string][] = [];
  for (const file of files) fingerprints.push([basename(file), await fingerprintOf(file)]);
  const headers: Record<string, string> = { "idempotency-key": keyOf(path, fingerprints) };
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const memories: string[] = [];
  let body: FormData | string = new FormData();
  if (Math.max(...sizes) > partSize) {
    const upload_ids: string[] = [];
    for (const [at, file] of files.entries()) {
      const { id, memory } = await upload(file, fingerprints[at]?.[1] as string);
      upload_ids.push(id);
      memories.push(memory);
    }
    body = JSON.stringify({ upload_ids });
    headers["content-type"] = "application/json";
  } else for (const file of files) body.append("files", await openAsBlob(file), basename(file));
  const response = await call(path, { method: "POST", headers, body });
  const { id, title, status, media } = (await response.json()) as Schemas["TurnoverSubmission"];
  for (const memory of memories) await rm(memory, { force: true });
  console.log(`submission ${id}, ${title}: ${status}`);
  for (const medium of media) console.log(`  medium ${medium.id}: ${medium.label}`);
}

/** A 64-bit integer with every digit in JSON; a double would round it. */
const exactly = (value: bigint) => (JSON as typeof JSON & { rawJSON(text: string): number }).rawJSON(String(value));

/** An event for POST /storage/events. The same event always has the same dedupe_key. */
async function event(event_type: "create" | "delete", path: string, file: string): Promise<Events["events"][number]> {
  const seen = await stat(file, { bigint: true }).catch(() => undefined);
  const mtime = seen?.mtimeNs;
  return {
    event_type,
    path,
    source: "reconciler",
    dedupe_key: `${event_type}:${path}:${mtime ?? "gone"}`,
    detected_at: new Date().toISOString(),
    size: seen === undefined ? null : Number(seen.size),
    mtime_ns: mtime === undefined ? null : exactly(mtime),
  };
}

async function fingerprintOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

const acknowledge = (document: Acknowledgement) => send<Schemas["StorageTaskAck"]>("/storage/tasks/ack", document);

/** Carries out the approved moves: fingerprint, move, acknowledge, report. */
async function storage(filespace: string, root: string): Promise<void> {
  const { tasks } = (await (await call("/storage/tasks")).json()) as Schemas["StorageTasks"];
  for (const { task_id, src, dst } of tasks) {
    const [source, target] = [join(root, src), join(root, dst)];
    if (
      !(await access(source).then(
        () => true,
        () => false,
      ))
    ) {
      await acknowledge({ task_id, ok: false, note: "the source is not there" });
      console.log(`task ${task_id}: ${src} is not there`);
      continue;
    }
    await acknowledge({ task_id, src_sha256: await fingerprintOf(source) });
    await mkdir(dirname(target), { recursive: true });
    await rename(source, target);
    await acknowledge({ task_id, ok: true });
    const events: Events = {
      filespace,
      events: [await event("delete", src, source), await event("create", dst, target)],
    };
    const { accepted } = await send<Schemas["StorageEventAck"]>("/storage/events", events);
    console.log(`task ${task_id}: ${src} -> ${dst}, ${accepted} events accepted`);
  }
}

async function repeat(
  seconds: string | undefined,
  times: string | undefined,
  command: () => Promise<void>,
): Promise<void> {
  for (let left = Number(times ?? Number.POSITIVE_INFINITY); left > 0; left--) {
    await command();
    if (left > 1) await sleep(Number(seconds ?? 10) * 1000);
  }
}

const [command, first, ...rest] = argv.slice(2);
if (command === "scenes") await scenes();
else if (command === "day" && first) await day(first);
else if (command === "poll" && first) await repeat(rest[0], rest[1], () => poll(first));
else if (command === "stills" && first && rest[0]) await stills(first, rest[0]);
else if (command === "submit" && first && rest.length > 0) await submit(first, rest);
else if (command === "storage" && first && rest[0])
  await repeat(rest[1], rest[2], () => storage(first, rest[0] as string));
else {
  console.error(
    "usage: pipeline.ts scenes | day DATE | poll SCENE | stills SCENE FOLDER | submit DELIVERY FILE... | storage FILESPACE FOLDER",
  );
  exit(2);
}
