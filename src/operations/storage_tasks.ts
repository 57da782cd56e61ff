// The file moves that an admin approved: the agent polls them, fingerprints the source, moves it, and says how it went.
import type { Context } from "../context.ts";
import { notFound, unprocessable } from "../errors.ts";
import { recordActivity } from "./activity.ts";
import type { AssetFile } from "./media_proxy.ts";

interface Task {
  id: number;
  install_id: number;
  src: string;
  dst: string;
  status: "pending" | "done" | "failed";
}

interface Acknowledgement {
  task_id: number;
  ok?: boolean | undefined;
  note?: string | undefined;
  src_sha256?: string | undefined;
}

/** Hands what stood at the source's path over to the row at the destination: its facts where newer, its stand-in where newest. */
function mergeFiles({ app, caller }: Context, from: AssetFile, to: AssetFile): void {
  const { production_id } = caller;
  const { store, blobs } = app;
  store.run("inherit_asset_file", { production_id, id: to.id, from_id: from.id });
  if (from.media_id !== null) {
    const isNewer = to.media_id === null || (from.media_created_at ?? "") > (to.media_created_at ?? "");
    const former = isNewer ? to : from;
    if (former.media_id !== null) {
      store.run("delete_media", { production_id, media_id: former.media_id });
      if (former.sha256 !== null) blobs.forget(former.sha256);
    }
    if (isNewer) store.run("give_media", { production_id, media_id: from.media_id, asset_file_id: to.id });
  }
  store.run("delete_asset_file", { production_id, id: from.id });
}

/** Moves the library's row of a file that was moved. Its events may have been here before: then the two rows become one. */
function moveFile(context: Context, { install_id, src, dst }: Task): void {
  const { store } = context.app;
  const { production_id } = context.caller;
  const from = store.get<AssetFile>("get_asset_file", { install_id, path: src });
  const to = store.get<AssetFile>("get_asset_file", { install_id, path: dst });
  if (from === undefined || from.id === to?.id) return;
  if (to === undefined) store.run("move_asset_file", { production_id, id: from.id, path: dst });
  else mergeFiles(context, from, to);
}

/** POST /storage/tasks/ack. Throws 422 without ok and src_sha256, 404 for an unknown task. A settled task stays as it is. */
export function acknowledgeStorageTask(context: Context, { task_id, ok, note, src_sha256 }: Acknowledgement) {
  if (ok === undefined && src_sha256 === undefined)
    throw unprocessable("ok is required, or src_sha256 to fingerprint the source before the move");
  return context.write((context) => {
    const { app, caller, now } = context;
    const { production_id } = caller;
    const task = app.store.get<Task>("get_storage_task", { production_id, task_id });
    if (task === undefined) throw notFound();
    if (task.status !== "pending") return { ok: true };
    const fingerprinted = src_sha256 !== undefined;
    if (fingerprinted) app.store.run("fingerprint_storage_task", { production_id, task_id, src_sha256 });
    if (ok !== undefined) {
      const status = ok ? "done" : "failed";
      app.store.run("acknowledge_storage_task", { production_id, task_id, status, note: note ?? null, now });
      if (ok) moveFile(context, task);
    }
    const [verb, said] =
      ok === undefined
        ? ["storage.fingerprinted", "Fingerprinted, before its move,"]
        : ok
          ? ["storage.moved", "Moved"]
          : ["storage.move_failed", "Could not move"];
    const why = ok === false && note !== undefined ? `: ${note}` : "";
    recordActivity(context, {
      verb,
      summary: `${said} ${task.src} to ${task.dst}${why}`.slice(0, 10_000).toWellFormed(),
    });
    return { ok: true, ...(fingerprinted && { fingerprinted }) };
  });
}
