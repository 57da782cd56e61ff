// Who administers, when, and what they may touch: what every function of this folder is handed.
import { userInfo } from "node:os";
import * as v from "valibot";
import type { Context } from "../context.ts";
import { HttpError, unprocessable } from "../errors.ts";
import { detailOf } from "../inputs.ts";
import { createActivity } from "../operations/activity.ts";
import type { Answer } from "../operations/operation.ts";
import type { Store } from "../store/database.ts";
import type { EventType } from "../store/event_types.ts";
import { type Happening, recordEvent } from "../store/events.ts";
import { type Action, recordAction } from "./audit.ts";

export interface Admin {
  store: Store;
  /** The time of the call, as stored timestamps are written. */
  now: string;
  /** Who acts, for the audit: the system's user at the command line, else the key's label. */
  actor: string;
  /** Who acts, for the activity feed. */
  label: string;
  /** The person accountable; null at the command line. */
  person_id: number | null;
  /** The key that the admin acts through; null if there is none. */
  key_id: number | null;
  /** Whether the admin is at the command line of the machine, the only place where keys with the admin scope are minted. */
  local: boolean;
  /** The one production that may be touched; undefined at the command line: every production of the data directory. */
  production_id: number | undefined;
}

/** The name of the system's user; "admin" if the system does not tell. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "admin";
  }
}

/** The admin at the command line. */
export const localAdmin = (store: Store, now: string): Admin => ({
  ...{ store, now, actor: systemUser(), label: "admin", person_id: null, key_id: null, local: true },
  production_id: undefined,
});

/** The admin of a call through the API: the key of the call, for its own production. */
export const adminOf = ({ app, caller, now }: Context): Admin & { production_id: number } => ({
  ...{ store: app.store, now, actor: caller.label, label: caller.label, person_id: caller.person_id },
  ...{ key_id: caller.key_id, local: false, production_id: caller.production_id },
});

/** Runs `work` in the write transaction of a call through the API, as the admin that the key of the call is. */
export const writeAsAdmin = <T extends Answer>(
  context: Context,
  work: (admin: Admin & { production_id: number }) => T,
): Promise<T> => context.write((context) => work(adminOf(context)));

/**
 * 404: the thing does not exist or the admin may not touch it; both have the same text. `listing` is the command that lists what
 * exists; only the command line mentions it.
 */
export const noSuch = ({ local }: Admin, thing: string, listing?: string): HttpError =>
  new HttpError(
    404,
    `there is no ${thing}${local && listing !== undefined ? `; \`tallylight ${listing}\` shows all of them` : ""}`,
  );

/** Whether the admin may touch a production. */
export const mayTouch = ({ production_id }: Admin, other: number | undefined): boolean =>
  other !== undefined && (production_id === undefined || production_id === other);

/** The value as the schema makes it. Throws 422 with a sentence for each problem. */
export function check<T extends v.GenericSchema>(schema: T, value: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, value);
  if (!result.success) throw unprocessable(detailOf(result.issues));
  return result.output;
}

/** Writes the audit row and the event of a change. Within the transaction of the change. */
export function recordAudited<T extends EventType>(
  admin: Admin,
  { detail, production_id }: Omit<Action, "action"> & { production_id: number },
  happening: Happening<T>,
  activity_id: number | null = null,
): void {
  const { store, now, label: actor } = admin;
  recordAction(admin, { action: happening.type, production_id, detail });
  recordEvent(store, { ...happening, production_id, actor, activity_id }, now);
}

interface Change {
  production_id: number;
  node_id?: number;
  summary: string;
  detail: Readonly<Record<string, unknown>>;
}

/** Writes the activity entry, the audit row and the event of a change. Within the transaction of the change. */
export function recordChange<T extends EventType>(
  admin: Admin,
  { production_id, node_id, summary, detail }: Change,
  happening: Happening<T>,
): void {
  const { store, now, label, person_id } = admin;
  const { id } = createActivity(store, {
    ...{ production_id, verb: happening.type, summary, node_id: node_id ?? null, created_at: now },
    ...{ actor: label, actor_person_id: person_id },
  });
  recordAudited(admin, { production_id, detail }, happening, id);
}
