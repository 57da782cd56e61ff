// A bare better-sqlite3 loop: inserts storage events, one transaction per batch, with the server's durability, for a
// given time. Run with a directory, the batch size and milliseconds; prints how many events a second of a processor is
// enough for.
import { join } from "node:path";
import Database from "better-sqlite3";

const [folder = "", size = "1000", time = "1000"] = process.argv.slice(2);
const database = new Database(join(folder, `bare-${process.pid}.db`));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(
  `CREATE TABLE events (id INTEGER PRIMARY KEY, dedupe_key TEXT NOT NULL UNIQUE, event_type TEXT, path TEXT, source TEXT, detected_at TEXT, size INTEGER, mtime_ns INTEGER);
   CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, state TEXT, size INTEGER, mtime_ns INTEGER, detected_at TEXT)`,
);
const insert = database.prepare(
  "INSERT INTO events (dedupe_key, event_type, path, source, detected_at, size, mtime_ns) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (dedupe_key) DO NOTHING",
);
const upsert = database.prepare(
  `INSERT INTO files (path, state, size, mtime_ns, detected_at) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (path) DO UPDATE SET state = excluded.state, size = excluded.size, mtime_ns = excluded.mtime_ns, detected_at = excluded.detected_at`,
);
let events = 0;
const batch = database.transaction(() => {
  for (let n = 0; n < Number(size); n++) {
    const path = `reels/${String(events % 20_000).padStart(7, "0")}.mov`;
    insert.run(
      `bare-${events}`, // in order, as in the batches for the server
      "modify",
      path,
      "audit_tail",
      "2026-03-01T00:00:00.000Z",
      events,
      1_767_571_200_000_000_000n,
    );
    upsert.run(path, "present", events, 1_767_571_200_000_000_000n, "2026-03-01T00:00:00.000Z");
    events++;
  }
});
const started = performance.now();
const before = process.cpuUsage();
while (performance.now() - started < Number(time)) batch();
const { user, system } = process.cpuUsage(before); // in microseconds
console.log((events / (user + system)) * 1e6);
database.close();
