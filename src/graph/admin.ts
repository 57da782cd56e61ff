// The admin of a command or of an /admin call: who acts, when, and which productions they may change. Every function
// that changes keys, engagements, grants, releases or storage takes one.
import { userInfo } from "node:os";
import * as v from "valibot";
import type { Scope } from "../core/access/callers.ts";
import type { Context } from "../core/context.ts";
import { HttpError, unprocessable } from "../core/errors.ts";
import type { DeliveryId, KeyId, NodeId, PersonId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import type { Answer } from "../core/operation.ts";
import { commandText } from "../core/program.ts";
import type { ActivityVerb, EventType } from "../core/store/event_types.ts";
import { type EventContent, recordEvent } from "../core/store/events.ts";
import type { Store } from "../core/store/store.ts";
import { refuseFrozen } from "../core/store/transactions.ts";
import { timestampAt } from "../core/times.ts";
import { cut } from "../core/wording.ts";
import { endOfDate, type Zone } from "../core/zones.ts";
import { createActivity } from "./activity_entries.ts";
import { recordAction } from "./audit.ts";

export interface Admin {
  store: Store;
  /** The time of the call, in the format of stored timestamps. */
  now: string;
  /** Who acts, for the audit log: the user of the machine on the command line, otherwise the label of the key. */
  actor: string;
  /** Who acts, for the activity feed. */
  label: string;
  /** The person who is accountable; null on the command line. */
  person_id: PersonId | null;
  /** The key that the admin acts through; null if there is none. */
  key_id: KeyId | null;
  /** Whether the key has the scope edit, but not admin: it changes the show's own content only. */
  is_editor: boolean;
  /** The scope that the key needs for what it does; admin or edit by default. */
  scope?: Scope | undefined;
  /** Whether the admin uses the command line of the machine. Only there, keys with the admin scope can be minted. */
  local: boolean;
  /**
   * The only production that the admin may change; undefined on the command line, which may change every production.
   */
  production_id: ProductionId | undefined;
}

/**
 * The name of the machine's user; "admin" if the system has no name for the user. With sudo also who called it: "maria
 * as tallylight".
 */
function systemUser(): string {
  let user = "admin";
  try {
    user = userInfo().username;
  } catch {
    // a container's user may have no name
  }
  const caller = process.env.SUDO_USER;
  return caller === undefined || caller === "" || caller === user ? user : `${caller} as ${user}`;
}

/** The admin on the command line. */
export const localAdmin = (store: Store, now: string): Admin => ({
  store,
  now,
  actor: systemUser(),
  label: "admin",
  person_id: null,
  key_id: null,
  local: true,
  production_id: undefined,
  is_editor: false,
});

/** The admin of a call: its key, or the admin of this server in a browser, for its own production. */
export const adminOf = ({ app, caller, now }: Context): Admin & { production_id: ProductionId } => ({
  store: app.store,
  now,
  actor: caller.label,
  label: caller.label,
  person_id: caller.person_id,
  key_id: caller.key_id,
  local: false,
  production_id: caller.production_id,
  is_editor: !caller.scopes.includes("admin"),
});

/** Runs `work` in the write transaction of a call through the API. The admin is that of the key of the call. */
export const writeAsAdmin = <T extends Answer>(
  context: Context,
  work: (admin: Admin & { production_id: ProductionId }) => T,
): Promise<T> => context.write((context) => work(adminOf(context)));

/**
 * Returns a 404: the thing does not exist, or the admin may not change it; both have the same text. `listing` is the
 * command that lists such things; only messages on the command line name it.
 */
export const noSuch = ({ local }: Admin, thing: string, listing?: string): HttpError =>
  new HttpError(
    404,
    `there is no ${thing}${local && listing !== undefined ? `; ${commandText(listing)} shows all of them` : ""}`,
  );

/** Whether the admin may change a production. */
export const mayChange = ({ production_id }: Admin, other: number | undefined): boolean =>
  other !== undefined && (production_id === undefined || production_id === other);

/** What was found, if the admin may change its production. Throws the 404 of noSuch otherwise. */
export function requireChangeable<T extends { production_id: ProductionId }>(
  admin: Admin,
  found: T | undefined,
  thing: string,
  listing?: string,
): T {
  if (found === undefined || !mayChange(admin, found.production_id)) throw noSuch(admin, thing, listing);
  return found;
}

/**
 * The stored timestamp of an expiry that an admin writes as a date or an ISO timestamp; a date means its last
 * millisecond in `zone`. Null if nothing is given. Throws 422 for anything else, and for a time that is not after
 * `now`. docs/reference.md, "Where the specification is silent".
 */
export function expiryOf(written: string | undefined, now: string, zone: Zone): string | null {
  if (written === undefined) return null;
  const lastMoment = v.is(input.date, written) ? timestampAt(endOfDate(zone, written) - 1) : written;
  const { success, output } = v.safeParse(input.timestamp, lastMoment);
  if (!success)
    throw unprocessable("expires must be a date such as 2027-03-01 or a timestamp such as 2027-03-01T09:00:00Z");
  if (output <= now) throw unprocessable(`expires must be in the future: ${cut(written)} is in the past`);
  return output;
}

/** What a change is recorded with: what it is about, as a sentence for the feed, and in detail for the audit log. */
interface Change {
  production_id: ProductionId;
  node_id?: NodeId | null;
  delivery_id?: DeliveryId | null;
  summary: string;
  detail: Readonly<Record<string, unknown>>;
}

/**
 * Writes the activity entry and the audit row of a change; `verb` names it in both. Must run in the transaction of the
 * change. Returns the id of the entry.
 */
export function recordDone(admin: Admin, verb: ActivityVerb, { detail, ...entry }: Change): number {
  const { store, now, label: actor, person_id: actor_person_id } = admin;
  recordAction(admin, { action: verb, production_id: entry.production_id, detail });
  return createActivity(store, { ...entry, verb, created_at: now, actor, actor_person_id }).id;
}

/**
 * The same, with the event of the change, whose type is the verb. Throws 409 if the production is frozen, except for
 * keys.
 */
export function recordChange<T extends EventType & ActivityVerb>(
  admin: Admin,
  change: Change,
  eventContent: EventContent<T>,
): void {
  const { store, now, label } = admin;
  const { production_id } = change;
  // docs/operating.md, "Freeze, archive, delete": who may read can be changed anyway
  if (!eventContent.type.startsWith("key.")) refuseFrozen(store, production_id);
  const activity_id = recordDone(admin, eventContent.type, change);
  recordEvent(store, { ...eventContent, production_id, actor: label, activity_id }, now);
}
