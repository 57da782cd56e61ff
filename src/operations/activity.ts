// The activity feed's writing side: every write through any door leaves one entry.
import type { Context } from "../context.ts";

/** Adds an entry that names the key's label and its accountable person. Inside the write's own transaction. */
export function recordActivity(
  { app, caller, now }: Context,
  entry: { verb: string; summary: string; node_id?: number | null },
): void {
  app.store.run("create_activity", {
    production_id: caller.production_id,
    verb: entry.verb,
    summary: entry.summary,
    actor: caller.label,
    actor_person_id: caller.person_id,
    node_id: entry.node_id ?? null,
    created_at: now,
  });
}
