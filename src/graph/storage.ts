// Records the file events that the storage agent reports for the active filespace. Events may arrive late, repeatedly
// and out of order: dedupe_key identifies a repeated event, and an older event never overwrites a newer one.
// docs/agent.md, "What it reports".
import * as v from "valibot";
import { largeJsonBody } from "../core/body_limits.ts";
import type { Context } from "../core/context.ts";
import { conflict, unprocessable } from "../core/errors.ts";
import type { InstallId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, one } from "../core/store/statements.ts";
import { refuseFrozen } from "../core/store/transactions.ts";
import { recordActivity } from "./activity.ts";
import { changeMany } from "./many_rows.ts";
import { type StorageEvent, storageEvents } from "./storage_events.ts";

const storageEventAck = out.record(
  "StorageEventAck",
  v.object({
    accepted: out.count,
    duplicates: out.count,
    refused: v.optional(v.array(v.object({ index: out.count, reason: out.text }))),
  }),
);

/** A filespace that a production has or had as its active one. */
export interface Install {
  id: InstallId;
  filespace: string;
}

/** The active install of a production; undefined if it has none. */
export const activeInstallOf = one<{ production_id: ProductionId }, Install>("get_active_install");
/** The ids from which those of new rows are counted. */
interface LastId {
  /** The highest id of a row; 0 if there is none. */
  id: number;
  /** The highest id that was ever removed; 0 if none was. No new row may get it again. */
  removed: number;
}
const lastEventOf = one<object, LastId>("get_last_storage_event");
const lastFileOf = one<object, LastId>("get_last_asset_file");
const insertEvents = changeMany<{ production_id: ProductionId; install_id: InstallId; now: string }>(
  "post_storage_events",
);
const putFiles = change("put_asset_files");

/** The production's active install. Throws 409 if it has none. */
export function requireInstall({ app, caller }: Context): Install {
  const install = activeInstallOf(app.store, { production_id: caller.production_id });
  if (install === undefined) throw conflict("the production has no active storage");
  return install;
}

/** The active install. Throws 409 if the production has none, 422 if its filespace is not `filespace`. */
export function installOf(context: Context, filespace: string): Install {
  const install = requireInstall(context);
  if (install.filespace !== filespace) throw unprocessable("filespace must be the active filespace of this production");
  return install;
}

/** The id of the new row at a position; null, so that SQLite counts on, unless a row with a higher id was removed. */
const newId = ({ id, removed }: LastId, at: number): number | null => (removed > id ? removed + 1 + at : null);

/**
 * Records the events whose dedupe_key is not recorded yet, and updates the files at their paths. Returns how many it
 * recorded. The time of a move is only known as the time of its acknowledgement. A new file that was detected at the
 * old path between the move and the acknowledgement therefore appears with its next event.
 */
function recordEvents({ app, caller, now }: Context, install_id: InstallId, events: readonly StorageEvent[]): number {
  const { store } = app;
  const { production_id } = caller;
  refuseFrozen(store, production_id);
  const last = lastEventOf(store, {}) as LastId; // it always has a row
  const rows = events.map(({ event_type, path, source, dedupe_key, detected_at, size = null, mtime_ns = null }, at) => [
    newId(last, at),
    dedupe_key,
    event_type,
    path,
    source,
    detected_at,
    size,
    mtime_ns,
  ]);
  const recorded = insertEvents(store, rows, { production_id, install_id, now });
  const lastFile = lastFileOf(store, {}) as LastId; // it always has a row
  if (recorded > 0)
    putFiles(store, { install_id, first_id: newId(lastFile, 0), after: Math.max(last.id, last.removed) });
  return recorded;
}

export const postStorageEvents = operation({
  hints: ["replaces", "repeats"],
  name: "post_storage_events",
  summary:
    "Records up to 1,000 file events of the active filespace. Repeated events count as duplicates; an invalid event is refused and the others are accepted.",
  method: "POST",
  path: "/storage/events",
  scope: "write",
  reports: "writes",
  body_limit: largeJsonBody,
  input: v.object({
    filespace: input.describe(input.text(300), "The active install's filespace."),
    events: storageEvents,
  }),
  output: storageEventAck,
  errors: [409, 413],
  authorize: requireInstall,
  run: (context, { filespace, events }) =>
    context.write((context) => {
      const install = installOf(context, filespace); // checked again, because the body may have taken long
      const valid: StorageEvent[] = [];
      const refused: { index: number; reason: string }[] = [];
      for (const [index, event] of events.entries())
        if ("reason" in event) refused.push({ index, reason: event.reason });
        else valid.push(event);
      const accepted = recordEvents(context, install.id, valid);
      const duplicates = valid.length - accepted;
      if (accepted > 0) {
        const summary = `Reported ${accepted} file ${accepted === 1 ? "event" : "events"} in ${filespace}`;
        recordActivity(
          context,
          { verb: "storage.reported", summary },
          {
            type: "storage.reported",
            subject: { kind: "storage_install", id: install.id },
            data: { filespace, accepted },
          },
        );
      }
      return { accepted, duplicates, ...(refused.length > 0 && { refused }) };
    }),
});
