// Runs the settled clock beside a server, and removes old copies of the database: once the server listens, and from
// time to time.
import type { App } from "../../core/context.ts";
import type { Serving } from "../../core/serving.ts";
import { minute } from "../../core/times.ts";
import { removeOldCopies } from "./old_copies.ts";
import { settledClockOf } from "./settled_clock.ts";

/** How often old copies are looked for, in milliseconds. */
const interval = 10 * minute;

/** Removes the old copies of the database, if the folder can be written to. */
export function sweepCopies(app: App): void {
  const settled = settledClockOf(app);
  if (app.store.unwritable !== undefined && app.copy === undefined) return;
  try {
    removeOldCopies(app.store.file, settled.now());
  } catch {
    // the disk reports an error; the next time does what this one did not
  }
}

export function start({ app }: Serving): void {
  sweepCopies(app);
  const sweeping = setInterval(() => sweepCopies(app), interval).unref();
  app.onClose(() => clearInterval(sweeping));
}
