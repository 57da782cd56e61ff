// Weighs productions, freezes and thaws them, and deletes them.
import { conflict, unprocessable } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { commandText } from "../../core/program.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { change, many, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { frozenSince } from "../../core/store/transactions.ts";
import { type Admin, recordDone } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";
import { listProductions, type ProductionRow } from "../../graph/find_production.ts";
import { deleteProductionRows, productionWeight, withoutTraces } from "../backup/production_rows.ts";
import { tableWeights } from "../soundness/table_weights.ts";

const freeze = change("freeze_production");
const thaw = change("thaw_production");

interface Use {
  frozen_at: string | null;
  /** The last change through any transport. */
  changed_at: string;
  media_bytes: number;
  /** The last change, or the last use of one of its keys. */
  last_use: string;
}
export type ProductionSize = ProductionRow & Use & { database_bytes: number };

const useOf = one<{ production_id: ProductionId }, Use>("get_production_use");
/** When a backup was made or downloaded last; null if none was. */
export const lastBackup = value<object, string | null>("get_last_backup");
const mediaHashes = many<{ production_id: ProductionId }, { sha256: string }>("list_media_hashes");

/** Every production with its last use and what it weighs: its media, and its share of the database. */
export function measureProductions(store: Store): ProductionSize[] {
  const weights = tableWeights(store.database);
  return listProductions(store).map((row) => {
    const use = useOf(store, { production_id: row.id }) as Use; // the row was just read
    return { ...row, ...use, database_bytes: productionWeight(store.database, weights, row.id) };
  });
}

/** Freezes a production, or thaws it. Returns since when it was frozen before; undefined if it was not. */
export function setFrozen(admin: Admin, production_id: ProductionId, frozen: boolean): string | undefined {
  const { store, now } = admin;
  return store.writeSync(() => {
    const since = frozenSince(store, { production_id });
    if ((since !== undefined) === frozen) return since;
    if (frozen) freeze(store, { production_id, now });
    else thaw(store, { production_id });
    const action = frozen ? "production.frozen" : "production.thawed";
    recordDone(admin, action, { production_id, summary: `${frozen ? "Froze" : "Thawed"} the production`, detail: {} });
    return since;
  });
}

/**
 * Deletes a production with everything that belongs to it; bytes of media that another production has stay, and so does
 * the audit log. Throws 422 if `confirmed` is not its title, 409 if there is no backup newer than its last change and
 * `withoutBackup` is not set. A backup of the future is of a wrong clock, and says nothing.
 */
export async function deleteProduction(
  admin: Admin,
  blobs: Blobs,
  { id: production_id, title }: { id: number; title: string },
  { confirmed, withoutBackup }: { confirmed: string; withoutBackup: boolean },
): Promise<void> {
  const { store } = admin;
  if (confirmed !== title)
    throw unprocessable(`--confirm must be the title of production ${production_id}, which is ${title}`);
  const remove = (): void => {
    const changed = useOf(store, { production_id })?.changed_at as string; // the caller has found it
    const backup = lastBackup(store, {}) ?? undefined;
    if (!withoutBackup && (backup === undefined || backup <= changed || backup > admin.now))
      throw conflict(
        `production ${production_id} was changed at ${changed}, and the last backup is ${backup === undefined ? "missing" : `of ${backup}`}; make one with ${commandText("backup")}, or delete it with --no-backup`,
      );
    const media = mediaHashes(store, { production_id });
    deleteProductionRows(store.database, production_id);
    for (const { sha256 } of media) blobs.removeIfUnneeded(sha256);
    recordAction(admin, { action: "production.deleted", production_id, detail: { title, media: media.length } });
  };
  try {
    withoutTraces(store, () => store.writeSync(remove));
  } finally {
    await blobs.removeUnneeded();
  }
}
