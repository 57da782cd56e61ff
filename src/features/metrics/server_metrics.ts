// The metrics of a running server besides its requests: connections, uploads, the sizes of its files, what was written,
// memory.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { App } from "../../core/context.ts";
import type { FigureSource } from "../../core/feature.ts";
import { figureOf } from "../../core/feature.ts";
import type { Connections } from "../../core/http/connections.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import type { Store } from "../../core/store/store.ts";
import { settledClockOf } from "../clock/settled_clock.ts";

const gauge = figureOf.bind(undefined, "gauge");
const counter = figureOf.bind(undefined, "counter");

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Prepares the figures of a store. Each look-up is the end of an index, whatever the size of the table. */
function openFigures({ database, file }: Store) {
  const highest = database.prepare<[], Record<"events" | "storage_events" | "activity", number>>(
    `SELECT (SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'events') AS events,
       max(ifnull((SELECT max(id) FROM storage_events), 0), ifnull((SELECT id FROM last_ids WHERE part = 'storage_events'), 0)) AS storage_events,
       max(ifnull((SELECT max(id) FROM activity), 0), ifnull((SELECT id FROM last_ids WHERE part = 'activity'), 0)) AS activity`,
  );
  return () => {
    return {
      database: sizeOf(file),
      journal: sizeOf(`${file}-wal`),
      free: freeBytes(dirname(file)),
      ...(highest.get() ?? { events: 0, storage_events: 0, activity: 0 }),
    };
  };
}

/** Opens the figures of a server. They are read at each call. */
export function openServerMetrics(app: App, connections: Connections): FigureSource {
  const { store, blobs, copy } = app;
  const settled = settledClockOf(app);
  const figures = openFigures(store);
  const started = Date.now() / 1000;
  return () => {
    const { database, journal, free, events, storage_events, activity } = figures();
    const age = copy?.age() ?? undefined;
    const { open, busy } = connections.counts();
    const clock = settled.state();
    return [
      gauge("connections", "Open connections.", open),
      gauge("readers", "Connections with a request in progress, such as a download or a stream of events.", busy),
      gauge("uploads", "Uploads in progress.", blobs.uploads.running()),
      gauge("database_bytes", "The size of the database.", database),
      gauge("wal_bytes", "The size of the write-ahead log of the database.", journal),
      gauge("disk_free_bytes", "The free space of the disk of the data directory.", free),
      counter("events", "Entries of the event log that were written.", events),
      counter("storage_events", "Storage events that were accepted.", storage_events),
      counter("activity", "Entries of the activity feed that were written.", activity),
      ...(age === undefined ? [] : [gauge("replica_age_seconds", "How old the copy of a replica is.", age)]),
      counter("clock_jumps", "Jumps of the clock by more than 5 minutes.", clock.jumps),
      gauge(
        "clock_lead_seconds",
        "How far the clock is ahead of the time by which old things are deleted.",
        clock.lead,
      ),
      gauge("resident_memory_bytes", "The memory of the process.", process.memoryUsage.rss()),
      gauge("start_time_seconds", "When the server started, as a Unix time.", started),
    ];
  };
}
