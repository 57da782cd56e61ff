// Reads figures of the data directory for the metrics: the sizes of its files, free space, and how much was written.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "./database.ts";
import { freeBytes } from "./writable.ts";

export interface StoreFigures {
  /** In bytes. */
  database: number;
  journal: number;
  free: number;
  /** How many entries the event log, the storage events and the activity have had. */
  events: number;
  storage_events: number;
  activity: number;
  /** The age in seconds of the oldest event that is not yet delivered to an active webhook; 0 if there is none. */
  webhook_lag: number;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Prepares the figures of a store. Each look-up is the end of an index, whatever the size of the table. */
export function openFigures({ database, file }: Store): () => StoreFigures {
  const highest = database.prepare(
    `SELECT (SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'events') AS events,
       max(ifnull((SELECT max(id) FROM storage_events), 0), ifnull((SELECT id FROM last_ids WHERE part = 'storage_events'), 0)) AS storage_events,
       max(ifnull((SELECT max(id) FROM activity), 0), ifnull((SELECT id FROM last_ids WHERE part = 'activity'), 0)) AS activity`,
  );
  const oldestDue = database
    .prepare(
      `SELECT min(e.created_at) FROM webhooks w JOIN events e ON e.id =
         (SELECT min(id) FROM events WHERE production_id = w.production_id AND id > w.position)
       WHERE w.paused_at IS NULL`,
    )
    .pluck();
  return () => {
    const due = oldestDue.get() as string | null;
    const written = highest.get() as Pick<StoreFigures, "events" | "storage_events" | "activity">;
    return {
      database: sizeOf(file),
      journal: sizeOf(`${file}-wal`),
      free: freeBytes(dirname(file)),
      ...written,
      webhook_lag: due === null ? 0 : Math.max(0, (Date.now() - Date.parse(due)) / 1000),
    };
  };
}
