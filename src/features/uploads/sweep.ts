// Removes the uploads that have expired, and moves aside the files that belong to none: when a server starts, and from
// time to time.
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { App } from "../../core/context.ts";
import { isDamage } from "../../core/errors.ts";
import type { Serving } from "../../core/serving.ts";
import { moveToFoundFolder } from "../../core/store/files.ts";
import { resumablePrefix } from "../../core/store/staging.ts";
import { many } from "../../core/store/statements.ts";
import {
  deleteUpload,
  fileOf,
  nowOf,
  type ResumableUpload,
  type ResumableUploads,
  sizeOf,
} from "./resumable_uploads.ts";
import { resumableOf } from "./state.ts";

const listUploads = many<object, Pick<ResumableUpload, "id" | "received" | "used_at" | "expires_at">>("list_uploads");

/**
 * Removes the rows of uploads that have expired or lost bytes. Returns the ids that had rows, and those whose files
 * stay.
 */
function removeRows(uploads: ResumableUploads): { known: Set<string>; kept: Set<string> } {
  const now = nowOf(uploads);
  const kept = new Set([...uploads.creating, ...uploads.writing.keys(), ...uploads.claims.keys()]);
  const known = new Set<string>();
  for (const { id, received, used_at, expires_at } of listUploads(uploads.store, {})) {
    const isLost = used_at === null && sizeOf(fileOf(uploads, id)) < received;
    if ((expires_at <= now || isLost) && !kept.has(id)) deleteUpload(uploads.store, { id });
    else if (used_at === null) kept.add(id);
    known.add(id);
  }
  return { known, kept };
}

/**
 * Removes expired uploads and rows without their bytes. Moves bytes that no row names to found/, and returns how many
 * files. Within a write transaction.
 */
export function sweepUploads(uploads: ResumableUploads): number {
  const { staging } = uploads.blobs;
  const { known, kept } = removeRows(uploads);
  let moved = 0;
  for (const name of readdirSync(staging)) {
    const id = name.slice(resumablePrefix.length);
    if (!name.startsWith(resumablePrefix) || kept.has(id)) continue;
    if (known.has(id) || sizeOf(join(staging, name)) === 0) rmSync(join(staging, name), { force: true });
    else {
      moveToFoundFolder(dirname(dirname(staging)), join(basename(staging), name)); // no row says that it ended
      moved++;
    }
  }
  return moved;
}

export async function runTimer(app: App): Promise<void> {
  if (app.blobs.absence() !== undefined) return; // the files are on a disk that is not mounted
  const sweep = () => sweepUploads(resumableOf(app));
  app.tellMoved(await app.store.write(sweep, { durable: false, reports: true }));
}

export async function start({ app }: Serving): Promise<void> {
  try {
    await runTimer(app);
  } catch (error) {
    // with a full disk the server can still serve reads; the next sweep does what this one did not
    if (isDamage(error)) throw error;
  }
}
