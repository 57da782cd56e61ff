// Benchmarks of writes: storage events in batches of 1,000, compared with a bare better-sqlite3 loop that inserts the
// same rows with the same durability, and a decision while 16 readers send requests. Both sides in alternating rounds.

import { join } from "node:path";
import Database from "better-sqlite3";
import { median } from "../.ci/bench/median.ts";
import { mint, one, openTestServer, temporaryFolder } from "../test/support/app.ts";

const server = await openTestServer();
const { store } = server;
const [install_id, production_id, filespace] = store.database
  .prepare("SELECT id, production_id, filespace FROM storage_installs WHERE active = 1")
  .raw()
  .get() as [number, number, string];
const token = mint(store, { production_id });
const post = (path: string, body: string) =>
  server.ask(token, `/api/v1${path}`, { method: "POST", body, headers: { "content-type": "application/json" } });

const bare = new Database(join(temporaryFolder(), "bare.db"));
bare.pragma("journal_mode = WAL");
bare.pragma("synchronous = FULL");
bare.pragma("foreign_keys = OFF"); // the bare database has only the two tables
for (const table of ["storage_events", "asset_files"])
  bare.exec(one<string>(store, "SELECT sql FROM sqlite_schema WHERE name = ?", table));
const columns =
  "production_id, install_id, dedupe_key, event_type, path, source, detected_at, size, mtime_ns, received_at";
const insertEvent = bare.prepare(`INSERT INTO storage_events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
const insertFile = bare.prepare(
  "INSERT INTO asset_files (production_id, install_id, path, state, size, mtime_ns, detected_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
);
const at = "2026-11-20T10:00:00.000Z";
const digits = 1772355600123456789n;

interface Event {
  path: string;
  dedupe_key: string;
}
const insertBatch = bare.transaction((events: Event[]) => {
  for (const { path, dedupe_key } of events) {
    insertEvent.run(production_id, install_id, dedupe_key, "create", path, "audit_tail", at, 48318382080, digits, at);
    insertFile.run(production_id, install_id, path, "present", 48318382080, digits, at);
  }
});
const eventsOf = (round: string): Event[] =>
  Array.from({ length: 1000 }, (_, n) => ({
    path: `camera/day-${round}/A${n}.mxf`,
    dedupe_key: `agent/${round}/${n}`,
  }));
const bodyOf = (events: Event[]): string => {
  const rest = `"event_type":"create","source":"audit_tail","detected_at":"${at}","size":48318382080,"mtime_ns":${digits}`;
  const list = events.map((event) => `{${JSON.stringify(event).slice(1, -1)},${rest}}`);
  return `{"filespace":"${filespace}","events":[${list.join(",")}]}`;
};

const overHttp: number[] = [];
const loop: number[] = [];
for (let round = 0; round < 40; round++) {
  const events = eventsOf(String(round));
  const body = bodyOf(events);
  let started = performance.now();
  await (await post("/storage/events", body)).text();
  overHttp.push(performance.now() - started);
  started = performance.now();
  insertBatch.immediate(events);
  loop.push(performance.now() - started);
}
const [viaHttp, inLoop] = [median(overHttp.slice(5)), median(loop.slice(5))];
console.log(
  `1,000 storage events: ${viaHttp.toFixed(1)} ms over HTTP, ${inLoop.toFixed(1)} ms in a bare loop: ${(inLoop / viaHttp).toFixed(2)} of its speed`,
);

const person = one(store, "SELECT id FROM people WHERE production_id = ? LIMIT 1", production_id);
const approval = store.database.prepare(
  "INSERT INTO approvals (production_id, title, status, mode) VALUES (?, 'Bench', 'pending', 'decision')",
);
const step = store.database.prepare(
  "INSERT INTO approval_steps (production_id, approval_id, position, person_id, status) VALUES (?, ?, 1, ?, 'pending')",
);
async function decide(): Promise<number> {
  const id = store.writeSync(() => {
    const { lastInsertRowid } = approval.run(production_id);
    step.run(production_id, lastInsertRowid, person);
    return lastInsertRowid;
  });
  const started = performance.now();
  const response = await post(`/approvals/${id}/decide`, `{"decision":"approved","decided_by":"${person}"}`);
  await response.text();
  if (response.status !== 200) throw new Error(`decide answered ${response.status}`);
  return performance.now() - started;
}
const withoutReaders: number[] = [];
const withReaders: number[] = [];
for (let round = 0; round < 5; round++) {
  for (let number = 0; number < 30; number++) withoutReaders.push(await decide());
  let reading = true;
  const readers = Array.from({ length: 16 }, async () => {
    while (reading) await (await server.ask(token, "/api/v1/assets")).text();
  });
  for (let number = 0; number < 30; number++) withReaders.push(await decide());
  reading = false;
  await Promise.all(readers);
}
const [quiet, busy] = [median(withoutReaders), median(withReaders)];
console.log(
  `a decision: ${quiet.toFixed(2)} ms alone, ${busy.toFixed(2)} ms among 16 readers of /assets: ${(busy / quiet).toFixed(1)} times`,
);
bare.close();
await server.stop();
