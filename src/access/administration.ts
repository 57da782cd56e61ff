// What a production's admin does beside the API: versions released and archived, a filespace installed, file moves approved.
// Each change leaves an activity entry and an audit row in the transaction of the change.
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { filePath, sentences, text } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { recordAdminAction } from "./audit.ts";

interface Change {
  production_id: number;
  node_id?: number;
  verb: string;
  summary: string;
  detail: Readonly<Record<string, unknown>>;
}

function record(store: Store, { production_id, node_id, verb, summary, detail }: Change, now: string): void {
  const entry = { production_id, verb, summary, actor: "admin", actor_person_id: null };
  store.run("create_activity", { ...entry, node_id: node_id ?? null, created_at: now });
  recordAdminAction(store, { action: verb, production_id, detail }, now);
}

function check<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const judged = v.safeParse(schema, value);
  if (!judged.success) throw new CliError(sentences(judged.issues).join("; "));
  return judged.output;
}

export interface FlaggedVersion {
  id: number;
  production_id: number;
  node_id: number;
  label: string;
  version: number;
  variant: string;
  released: boolean;
  archived: boolean;
}

/**
 * Releases or archives a version. `summary` says what was done; undefined where the version was so already and nothing
 * changed. Throws CliError where there is no such version.
 */
export function flagVersion(
  store: Store,
  { id, flag }: { id: number; flag: "released" | "archived" },
  now: string,
): { version: FlaggedVersion; summary: string | undefined } {
  return store.writeSync(() => {
    const found = store.get<FlaggedVersion>("find_version", { id });
    if (found === undefined) throw new CliError(`there is no version ${id}`);
    const version = { ...found, released: Boolean(found.released), archived: Boolean(found.archived) };
    if (version[flag]) return { version, summary: undefined };
    const { production_id, node_id, label, variant } = version;
    store.run(flag === "released" ? "release_version" : "archive_version", { id });
    store.run("touch_node", { production_id, node_id, now });
    const deed = flag === "released" ? "Released" : "Archived";
    const summary = `${deed} version ${version.version} (${variant}) of ${label}`;
    record(store, { production_id, node_id, verb: `version.${flag}`, summary, detail: { id } }, now);
    return { version: { ...version, [flag]: true }, summary };
  });
}

export interface Install {
  id: number;
  production_id: number;
  filespace: string;
  active: boolean;
  created_at: string;
}

/** Makes a filespace the production's active one, new or known; `summary` is undefined where it was that already. */
export function installStorage(
  store: Store,
  given: { production_id: number; filespace: string },
  now: string,
): { install: Install; summary: string | undefined } {
  const { production_id } = given;
  const { filespace } = check(v.object({ filespace: text(300) }), { filespace: given.filespace });
  return store.writeSync(() => {
    const former = store.get<{ filespace: string }>("get_active_install", { production_id });
    let summary: string | undefined;
    if (former?.filespace !== filespace) {
      store.run("switch_installs_off", { production_id });
      store.run("switch_install_on", { production_id, filespace, now });
      summary = `Installed the filespace ${filespace}${former === undefined ? "" : ` in place of ${former.filespace}`}`;
      record(store, { production_id, verb: "storage.installed", summary, detail: { filespace } }, now);
    }
    const install = store.all<Install>("list_installs", { production_id }).find(({ active }) => Boolean(active));
    return { install: { ...(install as Install), active: true }, summary };
  });
}

export interface Move {
  id: number;
  filespace: string;
  src: string;
  dst: string;
  status: "pending" | "done" | "failed";
  note: string | null;
  src_sha256: string | null;
  created_at: string;
  settled_at: string | null;
}

/** Every file move of the production, oldest first. */
export const listMoves = (store: Store, { production_id }: { production_id: number }): Move[] =>
  store.all<Move>("list_moves", { production_id });

/**
 * Approves a file move in the active filespace: the storage agent finds it at its next poll. Throws CliError without
 * active storage, for paths that are not relative and normalised, and where a move of `src` is pending already.
 */
export function addMove(store: Store, given: { production_id: number; src: string; dst: string }, now: string): Move {
  const { production_id } = given;
  const { src, dst } = check(v.object({ src: filePath, dst: filePath }), given);
  if (src === dst) throw new CliError("src and dst are the same path");
  return store.writeSync(() => {
    const active = store.get<{ id: number; filespace: string }>("get_active_install", { production_id });
    if (active === undefined)
      throw new CliError(
        `production ${production_id} has no active storage; \`tallylight storage install\` makes a filespace active`,
      );
    const pending = store.get<{ id: number }>("find_pending_move", { install_id: active.id, src });
    if (pending !== undefined) throw new CliError(`move ${pending.id} of ${src} is pending already`);
    const { id } = store.run("create_move", { production_id, install_id: active.id, src, dst, now });
    const summary = `Approved moving ${src} to ${dst} in ${active.filespace}`;
    record(store, { production_id, verb: "storage.move_approved", summary, detail: { id, src, dst } }, now);
    return listMoves(store, { production_id }).find((move) => move.id === id) as Move;
  });
}
