// Storage tasks: file moves that an admin approved. The storage agent polls them, records the source's fingerprint,
// moves the file and acknowledges the task. docs/agent.md, "Approved moves".
import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { notFound, unprocessable } from "../core/errors.ts";
import type { Id, InstallId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation, reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import type { EventContent } from "../core/store/events.ts";
import { change, one } from "../core/store/statements.ts";
import { refuseFrozen } from "../core/store/transactions.ts";
import { recordActivity } from "./activity.ts";
import { deleteMedia } from "./media_rows.ts";
import { maxNoteLength } from "./note.ts";
import { type AssetFile, assetFileOf } from "./stand_ins.ts";
import type { storageTaskStatuses } from "./values.ts";

const { describe } = input;

const storageTasks = out.record(
  "StorageTasks",
  v.object({ tasks: v.array(v.object({ task_id: out.id, src: out.text, dst: out.text })) }),
);
const storageTaskAck = out.record(
  "StorageTaskAck",
  v.object({ ok: v.boolean(), fingerprinted: v.optional(v.boolean()) }),
);

interface Task {
  id: Id<"task">;
  install_id: InstallId;
  src: string;
  dst: string;
  status: (typeof storageTaskStatuses)[number];
}

type InProduction<T> = T & { production_id: ProductionId };

const taskOf = one<InProduction<{ task_id: number }>, Task>("get_storage_task");
const fingerprintTask = change("fingerprint_storage_task");
const settleTask = change("acknowledge_storage_task");
const moveFileRow = change("move_asset_file");
const inheritFile = change("inherit_asset_file");
const giveMedia = change("give_media");
const deleteFile = change("delete_asset_file");

export const listStorageTasks = reading({
  name: "list_storage_tasks",
  summary: "Lists the approved file moves of the active filespace that are still pending, oldest first.",
  path: "/storage/tasks",
  scope: "write",
  reports: "reads",
  output: storageTasks,
});

/** Merges the file row of the source into that of the destination. The newer facts and the newer stand-in remain. */
function mergeFiles({ app, caller }: Context, from: AssetFile, to: AssetFile): void {
  const { production_id } = caller;
  const { store, blobs } = app;
  inheritFile(store, { production_id, id: to.id, from_id: from.id });
  if (from.media_id !== null) {
    const isNewer = to.media_id === null || (from.media_created_at ?? "") > (to.media_created_at ?? "");
    const older = isNewer ? to : from;
    if (older.media_id !== null) {
      deleteMedia(store, { production_id, media_id: older.media_id });
      if (older.sha256 !== null) blobs.removeIfUnneeded(older.sha256);
    }
    if (isNewer) giveMedia(store, { production_id, media_id: from.media_id, asset_file_id: to.id });
  }
  deleteFile(store, { production_id, id: from.id });
}

/** Moves the file row to the destination. If an event has already created a row there, merges the two. */
function moveFile(context: Context, task: Task): void {
  const { install_id } = task;
  const [src, dst] = [task.src.normalize("NFC"), task.dst.normalize("NFC")];
  const { store } = context.app;
  const { production_id } = context.caller;
  const from = assetFileOf(store, { install_id, path: src });
  const to = assetFileOf(store, { install_id, path: dst });
  if (from === undefined || from.id === to?.id) return;
  refuseFrozen(store, production_id);
  if (to === undefined) moveFileRow(store, { production_id, id: from.id, path: dst });
  else mergeFiles(context, from, to);
}

type MoveEvent = "storage.fingerprinted" | "storage.moved" | "storage.move_failed";

/** The verb of the activity entry and of the event, and the beginning of the entry's summary. */
function activityOf(ok: boolean | undefined): [verb: MoveEvent, done: string] {
  if (ok === undefined) return ["storage.fingerprinted", "Recorded the fingerprint for the move of"];
  return ok ? ["storage.moved", "Moved"] : ["storage.move_failed", "Could not move"];
}

/** The event of an acknowledgement. */
function eventOfTask(
  type: MoveEvent,
  { id, src, dst }: Task,
  { note = null, src_sha256 }: { note?: string | null | undefined; src_sha256: string | undefined },
): EventContent<MoveEvent> {
  const subject = { kind: "storage_move", id } as const;
  if (type === "storage.fingerprinted") return { type, subject, data: { src, dst, src_sha256 } };
  return { type, subject, data: type === "storage.moved" ? { src, dst } : { src, dst, note } };
}

export const acknowledgeStorageTask = operation({
  hints: ["replaces", "repeats"],
  name: "acknowledge_storage_task",
  summary:
    "Settles a file move as done or failed. Without ok, records the fingerprint of the source before the move. A settled move does not change.",
  method: "POST",
  path: "/storage/tasks/ack",
  scope: "write",
  reports: "writes",
  input: v.object({
    task_id: input.id,
    ok: v.optional(describe(input.flag, "Whether the file was moved. If absent, only the fingerprint is recorded.")),
    note: v.optional(input.text(maxNoteLength)),
    src_sha256: v.optional(describe(input.sha256, "The source's SHA-256 before the move, in hex.")),
  }),
  output: storageTaskAck,
  errors: [404],
  run: (context, { task_id, ok, note, src_sha256 }) => {
    if (ok === undefined && src_sha256 === undefined)
      throw unprocessable("ok is required, or src_sha256 to record the fingerprint of the source before the move");
    return context.write((context) => {
      const { app, caller, now } = context;
      const { store } = app;
      const { production_id } = caller;
      const task = taskOf(store, { production_id, task_id });
      if (task === undefined) throw notFound();
      if (task.status !== "pending") return { ok: true };
      if (src_sha256 !== undefined) fingerprintTask(store, { production_id, task_id, src_sha256 });
      if (ok !== undefined) {
        settleTask(store, { production_id, task_id, status: ok ? "done" : "failed", note: note ?? null, now });
        if (ok) moveFile(context, task);
      }
      const [verb, done] = activityOf(ok);
      const why = ok === false && note !== undefined ? `: ${note}` : "";
      const summary = `${done} ${task.src} to ${task.dst}${why}`.slice(0, 10_000).toWellFormed();
      recordActivity(context, { verb, summary }, eventOfTask(verb, task, { note, src_sha256 }));
      return { ok: true, ...(src_sha256 !== undefined && { fingerprinted: true }) };
    });
  },
});
