// What the journal knows of a path, and the report about it: the event, its key, and the entry that the journal stores
// after the server has the event.
import { hash } from "node:crypto";
import type { StorageEvent } from "../graph/storage_events.ts";

/** `refused`: the file is there, but the server did not take it, so it is not sent again until it changes. */
export type State = "present" | "gone" | "refused";
/** Whether a stand-in is to be made; `settled` is made, or not possible. */
export type StandIn = "none" | "wanted" | "settled";

export interface JournalEntry {
  /** Relative to the root, parts joined by /. */
  path: string;
  state: State;
  /** In bytes. */
  size: number;
  /** Decimal digits: 64 bits, which no number holds. */
  mtime_ns: string;
  /** How often the path has come back: from being gone, or to a time that is not later than the one before. */
  returns: number;
  stand_in: StandIn;
}

/**
 * The key of a path in the database, which sorts keys part by part, so that the content of a folder stays together. No
 * name has a NUL in it.
 */
export const sortKeyOf = (path: string): string => path.replaceAll("/", "\0");
/** The folder of a path; empty for the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
export const pathOf = (position: string): string => position.replaceAll("\0", "/");

export type ReportSource = StorageEvent["source"];

/** What a look at a file shows. */
export interface Facts {
  /** In bytes. */
  size: number;
  /** Decimal digits. */
  mtime_ns: string;
}

export interface Report {
  event_type: StorageEvent["event_type"];
  path: string;
  source: ReportSource;
  dedupe_key: string;
  detected_at: string;
  /** Null for a delete. */
  facts: Facts | null;
  returns: number;
  /** Whether a stand-in is made for such a file. */
  pictured: boolean;
}

const isLater = (digits: string, than: string): boolean => BigInt(digits) > BigInt(than);

/** How often a path has come back if it now shows `facts`: the same facts never make the same key twice. */
function returnsOf(known: JournalEntry | undefined, facts: Facts, floor: number): number {
  if (known === undefined) return floor;
  const back = known.state === "gone" || !isLater(facts.mtime_ns, known.mtime_ns);
  return known.returns + (back ? 1 : 0);
}

/** The key of an event, which does not depend on how the event was noticed: 43 characters. */
const eventKeyOf = (event_type: string, path: string, facts: Facts | null, returns: number): string =>
  hash("sha256", JSON.stringify([event_type, path, facts?.size, facts?.mtime_ns, returns]), "base64url");

export interface Observation {
  path: string;
  /** Undefined if no file is there. */
  facts: Facts | undefined;
  source: ReportSource;
  detected_at: string;
  pictured: boolean;
}

/**
 * The report of what was seen at a path, given what the journal knows of it; undefined if the server knows already.
 * `floor` is the number of returns of a path that the journal does not know.
 */
export function reportOf(sight: Observation, known: JournalEntry | undefined, floor: number): Report | undefined {
  const { path, facts, source, detected_at, pictured } = sight;
  const shared = { path, source, detected_at, pictured };
  if (facts === undefined) {
    if (known === undefined || known.state === "gone") return undefined;
    const { returns } = known;
    return {
      ...shared,
      event_type: "delete",
      dedupe_key: eventKeyOf("delete", path, null, returns),
      facts: null,
      returns,
    };
  }
  const same = known !== undefined && known.size === facts.size && known.mtime_ns === facts.mtime_ns;
  if (same && known.state !== "gone") return undefined;
  const returns = returnsOf(known, facts, floor);
  const event_type = known?.state === "present" ? "modify" : "create";
  const { size, mtime_ns } = facts;
  const dedupe_key = eventKeyOf(event_type, path, facts, returns);
  return { ...shared, event_type, dedupe_key, facts: { size, mtime_ns }, returns };
}

/** The entry that a report leaves once the server has answered. */
export function entryOf({ path, facts, returns, pictured }: Report, refused: boolean): JournalEntry {
  if (facts === null) return { path, state: "gone", size: 0, mtime_ns: "0", returns, stand_in: "none" };
  const state = refused ? "refused" : "present";
  const stand_in = pictured && !refused ? "wanted" : "none";
  return { path, state, ...facts, returns, stand_in };
}

/** The event as the wire has it: JSON text, since no number holds the digits of mtime_ns. */
export function wireOf({ event_type, path, source, dedupe_key, detected_at, facts }: Report): string {
  const text = JSON.stringify({ event_type, path, source, dedupe_key, detected_at, size: facts?.size ?? null });
  return `${text.slice(0, -1)},"mtime_ns":${facts?.mtime_ns ?? "null"}}`;
}
