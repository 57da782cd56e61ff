// Makes a filespace the active one, and approves file moves for the storage agent. docs/agent.md, "Approved moves".
import * as v from "valibot";
import { conflict, unprocessable } from "../../core/errors.ts";
import type { Id, Identified, InstallId, ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { validate } from "../../core/inputs.ts";
import { commandText } from "../../core/program.ts";
import * as out from "../../core/records.ts";
import { change, many, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { type Admin, recordChange } from "../../graph/admin.ts";
import { activeInstallOf } from "../../graph/storage.ts";
import { destinationPath, filePath } from "../../graph/storage_events.ts";
import { storageTaskStatuses } from "../../graph/values.ts";

export const storageInstall = out.record(
  "StorageInstall",
  v.object({
    id: out.id,
    production_id: out.id,
    filespace: out.text,
    active: v.boolean(),
    created_at: out.timestamp,
  }),
);
type Install = v.InferOutput<typeof storageInstall>;

export const storageMove = out.record(
  "StorageMove",
  v.object({
    id: out.id,
    filespace: out.text,
    src: out.text,
    dst: out.text,
    status: v.picklist(storageTaskStatuses),
    note: v.nullable(out.text),
    src_sha256: v.nullable(out.text),
    created_at: out.timestamp,
    settled_at: v.nullable(out.timestamp),
  }),
);
type Move = v.InferOutput<typeof storageMove>;

type InProduction = { production_id: ProductionId };
const installsOf = many<InProduction, Identified<Omit<Install, "active">, "install"> & { active: 0 | 1 }>(
  "list_installs",
);
const switchOff = change("switch_installs_off");
const switchOn = change("switch_install_on");
const movesOf = many<InProduction, Identified<Move, "task">>("list_moves");
const pendingMoveOf = one<{ install_id: InstallId; src: string }, { id: Id<"task"> }>("find_pending_move");
const insertMove = change("create_move");

/**
 * Makes a new or a known filespace the production's active one; `summary` is undefined if it was already active. Throws
 * 422 for a name that is empty or has more than 300 characters, 409 if the production is frozen. docs/agent.md, "Try it
 * on the demo".
 */
export function installStorage(
  admin: Admin,
  given: { production_id: ProductionId; filespace: string },
): { install: Install; summary: string | undefined } {
  const { production_id } = given;
  const { filespace } = validate(v.object({ filespace: input.text(300) }), { filespace: given.filespace });
  const { store, now } = admin;
  return store.writeSync(() => {
    const former = activeInstallOf(store, { production_id });
    let summary: string | undefined;
    if (former?.filespace !== filespace) {
      switchOff(store, { production_id });
      switchOn(store, { production_id, filespace, now });
      const { id } = activeInstallOf(store, { production_id }) as { id: number }; // it was just switched on
      summary = `Installed the filespace ${filespace}${former === undefined ? "" : ` in place of ${former.filespace}`}`;
      recordChange(
        admin,
        { production_id, summary, detail: { filespace } },
        { type: "storage.installed", subject: { kind: "storage_install", id }, data: { filespace } },
      );
    }
    const install = installsOf(store, { production_id }).find(({ active }) => active === 1);
    // it was just switched on
    return { install: { ...(install as NonNullable<typeof install>), active: true }, summary };
  });
}

/** Every file move of the production, oldest first. */
export const listMoves = (store: Store, { production_id }: InProduction): Move[] => movesOf(store, { production_id });

/**
 * Approves a file move in the active filespace: the storage agent finds it at its next poll. Throws 409 if no filespace
 * is active or if a move of `src` is already pending, 422 for malformed paths.
 */
export function addMove(admin: Admin, given: { production_id: ProductionId; src: string; dst: string }): Move {
  const { production_id } = given;
  const { src, dst } = validate(v.object({ src: filePath, dst: destinationPath }), given);
  if (src === dst.normalize("NFC")) throw unprocessable("src and dst are the same path");
  const { store, now } = admin;
  return store.writeSync(() => {
    const active = activeInstallOf(store, { production_id });
    if (active === undefined)
      throw conflict(
        `production ${production_id} has no active storage; ${commandText("storage install")} makes a filespace active`,
      );
    const pending = pendingMoveOf(store, { install_id: active.id, src });
    if (pending !== undefined) throw conflict(`move ${pending.id} of ${src} is pending already`);
    const { id } = insertMove(store, { production_id, install_id: active.id, src, dst, now });
    const summary = `Approved moving ${src} to ${dst} in ${active.filespace}`;
    recordChange(
      admin,
      { production_id, summary, detail: { id, src, dst } },
      { type: "storage.move_approved", subject: { kind: "storage_move", id }, data: { src, dst } },
    );
    return listMoves(store, { production_id }).find((move) => move.id === id) as Move; // it was just inserted
  });
}
