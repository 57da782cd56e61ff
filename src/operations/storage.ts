// The storage agent's reports: what happened to the files of the active filespace. The agent may be slow, late and
// repetitive: a report is told by its dedupe_key, and an older one never undoes what a newer one said.
import type { Context } from "../context.ts";
import { conflict, unprocessable } from "../errors.ts";
import type { RefusedEvent, StorageEvent } from "../inputs.ts";
import { recordActivity } from "./activity.ts";

export interface Install {
  id: number;
  filespace: string;
}

/** The production's active install. Throws 409 where it has none. */
export function requireInstall({ app, caller }: Context): Install {
  const install = app.store.get<Install>("get_active_install", { production_id: caller.production_id });
  if (install === undefined) throw conflict("the production has no active storage");
  return install;
}

/** The active install, of which `filespace` must be the name. Throws 409, and 422 for another filespace. */
export function installOf(context: Context, filespace: string): Install {
  const install = requireInstall(context);
  if (install.filespace !== filespace)
    throw unprocessable("filespace must be the one that is active for this production");
  return install;
}

interface Batch {
  filespace: string;
  events: (StorageEvent | RefusedEvent)[];
}

interface Moved {
  settled_at: string | null;
}

/**
 * Whether the event is older than a move that took the file of its path elsewhere: it would bring the file back to where it
 * was. The file moved at some moment between the approval and the acknowledgement, and the acknowledgement is the only one
 * that the server knows; so everything detected before it is taken for the file that has moved. What cannot be decided: a new
 * file that was seen at the old path after the real move and before its acknowledgement (or that the agent's clock dates
 * before it) looks the same, and appears only with the next event about it. Events detected later always hold.
 */
function isOutrun({ app }: Context, install_id: number, { path, detected_at }: StorageEvent): boolean {
  return app.store.get("get_move_away", { install_id, path, detected_at }) !== undefined;
}

/** Records one event and what it says of its path; false where its dedupe_key was there before. */
function recordEvent(context: Context, install_id: number, event: StorageEvent, lastMoved: string): boolean {
  const { app, caller, now } = context;
  const { production_id } = caller;
  const { event_type, path, source, dedupe_key, detected_at, size = null, mtime_ns = null } = event;
  const said = [dedupe_key, event_type, path, source, detected_at, size, mtime_ns];
  if (app.store.run("post_storage_events", [production_id, install_id, ...said, now]).changes === 0) return false;
  if (detected_at < lastMoved && isOutrun(context, install_id, event)) return true;
  const state = event_type === "delete" ? "gone" : "present";
  app.store.run("put_asset_file", [production_id, install_id, path, state, size, mtime_ns, detected_at]);
  return true;
}

/** POST /storage/events. The whole batch in one transaction; refused events leave nothing, the others stand. */
export function postStorageEvents(context: Context, { filespace, events }: Batch) {
  return context.write((context) => {
    const install = installOf(context, filespace); // again: the body took its time
    const { settled_at } = context.app.store.get("get_last_moved", { install_id: install.id }) as Moved;
    let accepted = 0;
    let duplicates = 0;
    const refused: { index: number; reason: string }[] = [];
    for (const [index, event] of events.entries()) {
      if ("reason" in event) refused.push({ index, reason: event.reason });
      else if (recordEvent(context, install.id, event, settled_at ?? "")) accepted++;
      else duplicates++;
    }
    if (accepted > 0) {
      const summary = `Reported ${accepted} file ${accepted === 1 ? "event" : "events"} in ${filespace}`;
      recordActivity(context, { verb: "storage.reported", summary });
    }
    return { accepted, duplicates, ...(refused.length > 0 && { refused }) };
  });
}
