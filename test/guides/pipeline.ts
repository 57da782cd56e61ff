// Four pipeline jobs on a Tallylight server, in TypeScript without a library: node pipeline.ts (22.18 or newer) or
// deno run -A pipeline.ts.
//
//   export TALLYLIGHT_URL=http://127.0.0.1:8787 TALLYLIGHT_KEY=tl_...
//   pipeline.ts poll 22 [SECONDS] [TIMES]        a scene's bundle, fetched again only if it changed
//   pipeline.ts stills 22 stills                 the stills of its released versions, as files in a folder
//   pipeline.ts submit 1 comp_v4.mov [MORE...]
//   pipeline.ts storage main-raid /mnt/show [SECONDS] [TIMES]
//
// poll and stills take a production's key or a vendor's, submit a vendor's with the scope submit:turnover, storage a
// production's with the scope write.
//
// Its types are the server's own: npx openapi-typescript $TALLYLIGHT_URL/api/v1/openapi.json -o tallylight.ts
import { createHash } from "node:crypto";
import { createReadStream, openAsBlob } from "node:fs";
import { access, mkdir, rename, stat, writeFile } from "node:fs/promises";
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

/** Submits files on a delivery; they are streamed from the disk. */
async function submit(delivery: string, files: string[]): Promise<void> {
  const path = `/turnovers/${delivery}/submissions`;
  const body = new FormData();
  const fingerprints: [name: string, sha256: string][] = [];
  for (const file of files) {
    body.append("files", await openAsBlob(file), basename(file));
    fingerprints.push([basename(file), await fingerprintOf(file)]);
  }
  const headers = { "idempotency-key": keyOf(path, fingerprints) };
  const response = await call(path, { method: "POST", headers, body });
  const { id, title, status, media } = (await response.json()) as Schemas["TurnoverSubmission"];
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
if (command === "poll" && first) await repeat(rest[0], rest[1], () => poll(first));
else if (command === "stills" && first && rest[0]) await stills(first, rest[0]);
else if (command === "submit" && first && rest.length > 0) await submit(first, rest);
else if (command === "storage" && first && rest[0])
  await repeat(rest[1], rest[2], () => storage(first, rest[0] as string));
else {
  console.error(
    "usage: pipeline.ts poll SCENE | stills SCENE FOLDER | submit DELIVERY FILE... | storage FILESPACE FOLDER",
  );
  exit(2);
}
