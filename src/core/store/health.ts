// Says whether the database can be read and written, for /healthz. Looks at a few pages and at the disk, whatever the
// size.
import { statSync } from "node:fs";
import { codeOf, isDamage, isDiskError, isDiskFull } from "../errors.ts";
import { commandText } from "../program.ts";
import { damageAdvice } from "./database.ts";
import { epoch } from "./database_mark.ts";
import { writeProblemOf } from "./disk_space.ts";
import { value } from "./statements.ts";
import type { Store } from "./store.ts";

/** What /healthz says of the database. docs/operating.md, "Health". */
type HealthState =
  | { ok: false; reason: string }
  | { ok: true; epoch: string }
  | { ok: true; epoch: string; writable: false; reason: string };

/** Of a database that is damaged. It names no folder, because everybody may ask. */
const damagedReason = `the database is damaged; stop the server; ${damageAdvice("DIR")}`;

/** Watches the database of a server. */
export interface Health {
  /** Notes an error of a request. After damage, nothing is written any more. */
  failed(error: unknown): void;
  state(): HealthState;
}

/** Reads the last rows of the tables that every request needs. */
const probe = value<object, number>("probe_database");

/** Why a write failed, as far as the disk is the reason. */
function diskProblemOf(error: unknown): string | undefined {
  if (isDiskFull(error)) return "the disk is full";
  const code = codeOf(error);
  if (isDiskError(code)) return "the disk reports an error";
  return code.startsWith("SQLITE_READONLY") || code === "EROFS" ? "the disk is read-only" : undefined;
}

/** Opens the health of a store. It notices the file that is there now being replaced. */
export function openHealth(store: Store): Health {
  const { file } = store;
  const inodeOf = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;
  const served = inodeOf();
  let damaged = false;
  /** Of the last write that failed; undefined after one that succeeded. */
  let problem: string | undefined;
  store.afterTransaction((wrote) => {
    if (wrote) problem = undefined;
  });

  function failed(error: unknown): void {
    problem = diskProblemOf(error) ?? problem;
    if (!isDamage(error)) return;
    damaged = true;
    store.stopWriting();
  }

  return {
    failed,
    state() {
      if (inodeOf() !== served)
        return {
          ok: false,
          reason: "the database file was removed or replaced while it was served; restart the server",
        };
      try {
        probe(store, {});
        const now = { ok: true as const, epoch: epoch(store) };
        if (damaged) return { ok: false, reason: damagedReason };
        if (store.unwritable !== undefined)
          return {
            ...now,
            writable: false,
            reason: `${store.unwritable}; ${commandText("serve")} writes again once it can be written to`,
          };
        const reason = writeProblemOf(file)?.sentence ?? problem;
        return reason === undefined ? now : { ...now, writable: false, reason };
      } catch (error) {
        failed(error);
        const reason = damaged ? damagedReason : "the database cannot be read";
        return { ok: false, reason };
      }
    },
  };
}
