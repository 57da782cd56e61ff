// The storage agent's reports: what happened to the files of the active filespace. The agent may be slow, late and
// repetitive: a report is recognised by its dedupe_key, and an older one never undoes what a newer one said.
import * as v from "valibot";
import type { Context } from "../context.ts";
import { conflict, unprocessable } from "../errors.ts";
import * as input from "../inputs.ts";
import { count, record, text } from "../records.ts";
import { change, one } from "../store/statements.ts";
import { recordActivity } from "./activity.ts";
import { operation } from "./operation.ts";

const storageEventAck = record(
  "StorageEventAck",
  v.object({
    accepted: count,
    duplicates: count,
    refused: v.optional(v.array(v.object({ index: count, reason: text }))),
  }),
);

export interface Install {
  id: number;
  filespace: string;
}

interface MoveAway {
  install_id: number;
  path: string;
  detected_at: string;
}

export const activeInstallOf = one<{ production_id: number }, Install>("get_active_install");
const lastMoveOf = one<{ install_id: number }, { settled_at: string | null }>("get_last_moved");
const moveAwayOf = one<MoveAway, { id: number }>("get_move_away");
const insertEvent = change<readonly unknown[]>("post_storage_events");
const putFile = change<readonly unknown[]>("put_asset_file");

/** The production's active install. Throws 409 if it has none. */
export function requireInstall({ app, caller }: Context): Install {
  const install = activeInstallOf(app.store, { production_id: caller.production_id });
  if (install === undefined) throw conflict("the production has no active storage");
  return install;
}

/** The active install, whose filespace must be `filespace`. Throws 409, and 422 for another filespace. */
export function installOf(context: Context, filespace: string): Install {
  const install = requireInstall(context);
  if (install.filespace !== filespace)
    throw unprocessable("filespace must be the one that is active for this production");
  return install;
}

/**
 * Records one event and what it says of its path; false if its dedupe_key was there before. An event that was detected before
 * the file of its path was moved away changes no file: it would bring the file back to where it was. When the file moved is
 * known only as the time of the acknowledgement, so a new file that was seen at the old path between the move and its
 * acknowledgement appears with the next event about it.
 */
function recordEvent(context: Context, install_id: number, event: input.StorageEvent, lastMoved: string): boolean {
  const { app, caller, now } = context;
  const { production_id } = caller;
  const { event_type, path, source, dedupe_key, detected_at, size = null, mtime_ns = null } = event;
  const fact = [dedupe_key, event_type, path, source, detected_at, size, mtime_ns];
  if (insertEvent(app.store, [production_id, install_id, ...fact, now]).changes === 0) return false;
  if (detected_at < lastMoved && moveAwayOf(app.store, { install_id, path, detected_at }) !== undefined) return true;
  const state = event_type === "delete" ? "gone" : "present";
  putFile(app.store, [production_id, install_id, path, state, size, mtime_ns, detected_at]);
  return true;
}

export const postStorageEvents = operation({
  name: "post_storage_events",
  summary:
    "Takes up to 1,000 file events of the active filespace; replays count as duplicates, and a bad event is refused alone.",
  method: "POST",
  path: "/storage/events",
  scope: "write",
  reach: "production",
  body_limit: 8 << 20,
  input: v.object({
    filespace: input.describe(input.text(300), "The active install's filespace."),
    events: input.storageEvents,
  }),
  output: storageEventAck,
  errors: [409, 413],
  authorize: requireInstall,
  run: (context, { filespace, events }) =>
    context.write((context) => {
      const { store } = context.app;
      const install = installOf(context, filespace); // again: the body took its time
      const lastMoved = lastMoveOf(store, { install_id: install.id })?.settled_at ?? "";
      let accepted = 0;
      let duplicates = 0;
      const refused: { index: number; reason: string }[] = [];
      for (const [index, event] of events.entries()) {
        if ("reason" in event) refused.push({ index, reason: event.reason });
        else if (recordEvent(context, install.id, event, lastMoved)) accepted++;
        else duplicates++;
      }
      if (accepted > 0) {
        const summary = `Reported ${accepted} file ${accepted === 1 ? "event" : "events"} in ${filespace}`;
        recordActivity(context, { verb: "storage.reported", summary });
      }
      return { accepted, duplicates, ...(refused.length > 0 && { refused }) };
    }),
});
