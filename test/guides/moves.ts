// Makes the approved moves of files, on the client beside it: curl -O $TALLYLIGHT_URL/docs/tallylight.mjs
// node moves.ts FILESPACE FOLDER (Node 22.18 or newer) or deno run -A moves.ts: fingerprint, move, acknowledge, report.
// A key of the production with the scope write.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Tallylight } from "./tallylight.mjs";

const [filespace = "", root = ""] = process.argv.slice(2);
if (root === "" || !process.env.TALLYLIGHT_URL || !process.env.TALLYLIGHT_KEY) {
  console.error("set TALLYLIGHT_URL and TALLYLIGHT_KEY; node moves.ts FILESPACE FOLDER");
  process.exit(2);
}
const tally = new Tallylight(process.env.TALLYLIGHT_URL, process.env.TALLYLIGHT_KEY);
const seen = (path: string) => stat(join(root, path), { bigint: true }).catch(() => undefined);

/** The same event always has the same dedupe_key; the client sends every digit of a bigint. */
async function event(event_type: "create" | "delete", path: string) {
  const { size, mtimeNs: mtime_ns } = (await seen(path)) ?? { size: null, mtimeNs: null };
  const dedupe_key = `${event_type}:${path}:${mtime_ns ?? "gone"}`;
  const detected_at = new Date().toISOString();
  return { event_type, path, source: "reconciler" as const, dedupe_key, detected_at, size, mtime_ns } as never;
}

for (const { task_id, src, dst } of (await tally.listStorageTasks()).tasks) {
  if ((await seen(src)) === undefined) {
    await tally.acknowledgeStorageTask({ task_id, ok: false, note: "the source is not there" });
    console.log(`task ${task_id}: ${src} is not there`);
    continue;
  }
  const content = await readFile(join(root, src));
  await tally.acknowledgeStorageTask({ task_id, src_sha256: createHash("sha256").update(content).digest("hex") });
  await mkdir(dirname(join(root, dst)), { recursive: true });
  await rename(join(root, src), join(root, dst));
  await tally.acknowledgeStorageTask({ task_id, ok: true });
  const events = [await event("delete", src), await event("create", dst)];
  const { accepted } = await tally.postStorageEvents({ filespace, events });
  console.log(`task ${task_id}: ${src} -> ${dst}, ${accepted} events accepted`);
}
