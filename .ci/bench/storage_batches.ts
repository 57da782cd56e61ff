// Batches of storage events, as the storage agent posts them.
import { type SeedData, withStore } from "./seed_data.ts";

/** The active filespace of the production; it is created if there is none. */
export const openFilespace = (seedData: SeedData): string =>
  withStore(seedData, ({ database }) => {
    const sql = "SELECT filespace FROM storage_installs WHERE production_id = ? AND active = 1";
    const found = database.prepare(sql).pluck().get(seedData.production_id) as string | undefined;
    if (found !== undefined) return found;
    const install =
      "INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (?, 'bench', 1, '2026-01-01T00:00:00.000Z')";
    database.prepare(install).run(seedData.production_id);
    return "bench";
  });

let batches = 0;

/** The body of a batch of `size` events that no other batch contains. */
export function batchOf(filespace: string, size: number): string {
  const number = batches++;
  return JSON.stringify({
    filespace,
    events: Array.from({ length: size }, (_, n) => ({
      event_type: "modify",
      path: `reels/${String((number * size + n) % 20_000).padStart(7, "0")}.mov`,
      source: "audit_tail",
      dedupe_key: `${process.pid}-${number}-${n}`,
      detected_at: "2026-03-01T00:00:00.000Z",
      size: n,
      mtime_ns: 1_767_571_200_000_000,
    })),
  });
}
