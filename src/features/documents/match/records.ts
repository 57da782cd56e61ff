// Merges what is recorded in an update. Stored entries, decided steps and revoked grants stay, missing entries are added, and a
// document may have fewer or older ones.
import { isDeepStrictEqual } from "node:util";
import { isBefore } from "../../../core/inputs.ts";
import { grantTargetFields } from "../check/thing_rules.ts";
import { isRecord, type Raw, type RawOf, rawsOf } from "../sections/form.ts";
import type { SectionName } from "../sections/sections.ts";
import { Claims } from "./claims.ts";
import { type Merging, report, thingAt, warnUnchanged } from "./matching.ts";

export interface Recorded {
  /** What a sentence calls the thing. */
  thing: string;
  /** The field that says when it was recorded. */
  time: string;
  /** Whether the value of a field may be that of an older document, which is ignored. */
  outdated?: (field: string, given: Raw, stored: Raw) => boolean;
  /** The sentence of a warning about such a value. */
  stays?: string;
}

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

/** Reports every field of a document that says something else than what is recorded. `field` is the place of the thing below its item. */
export function mergeRecord(
  { thing, time, outdated = () => false, stays = "" }: Recorded,
  stored: Raw,
  given: Raw,
  field: string,
  { place }: Merging,
): void {
  for (const [key, value] of Object.entries(given)) {
    if (key === "was" || value === undefined || isDeepStrictEqual(value ?? undefined, stored[key])) continue;
    if (value === false && stored[key] === undefined) continue; // the default of a flag
    if (Array.isArray(value) && value.length === 0) continue; // less than what is stored
    if (outdated(key, given, stored)) {
      warnUnchanged(place, stays, field === "" ? thingAt(place) : `${thing} of ${thingAt(place)}`);
      continue;
    }
    const when = stored[time] === undefined ? "" : ` of ${String(stored[time])}`;
    report(place, `contradicts what was recorded: ${thing}${when} has ${shown(stored[key])}`, `${field}.${key}`);
  }
}

/** Media that a document gives, with the stored one in place of each that has the same bytes, label and kind. */
export function withStoredMedia(given: unknown, stored: unknown): unknown {
  if (!Array.isArray(given)) return sameMedium(given, stored) ? stored : given;
  const media = rawsOf(stored);
  const claims = new Claims(media);
  return rawsOf(given).map((medium) => media[claims.claim(medium, ["file", "label", "kind"]) ?? -1] ?? medium);
}

const sameMedium = (one: unknown, other: unknown): boolean =>
  isRecord(one) && isRecord(other) && one.file === other.file && one.label === other.label && one.kind === other.kind;

/** How the items of a recorded list are known again, and what becomes of one. */
interface RecordedList {
  keys: readonly string[];
  merge(stored: Raw, given: Raw, field: string, merging: Merging): Raw;
}

/** Merges a recorded list: each given item that is stored by the same key must agree with it, the others are added. */
export function mergeList(
  name: string,
  { keys, merge }: RecordedList,
  stored: readonly Raw[],
  given: readonly Raw[],
  merging: Merging,
): Raw[] {
  const list = [...stored];
  const claims = new Claims(stored);
  for (const [at, item] of given.entries()) {
    const index = claims.claim(
      item,
      keys.filter((key) => item[key] !== undefined),
    );
    const before = index === undefined ? undefined : stored[index];
    if (index === undefined || before === undefined) list.push(withoutNulls(item));
    else list[index] = merge(before, item, `.${name}[${at}]`, merging);
  }
  return list;
}

export const withoutNulls = (item: Raw): Raw =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== undefined));

/** What the notes on a version and the approvals about it change of it: each note on a version becomes its note. */
const isOfVersion = (field: string, given: Raw, stored: Raw): boolean =>
  field === "note" ||
  (field === "status" && [given.status, stored.status].some((s) => s === "approved" || s === "changes"));

function mergeVersion(stored: Raw, given: Raw, field: string, merging: Merging): Raw {
  const { media, ingredients, ...rest } = given;
  const thing = `version ${String(stored.version)}`;
  const stays =
    "its note and status stay as they were recorded; POST /assets/{node_id}/notes adds a note, and approvals decide the status";
  mergeRecord({ thing, time: "created_at", outdated: isOfVersion, stays }, stored, rest, field, merging);
  const next = { ...stored };
  const still = media === undefined || media === null ? stored.media : withStoredMedia(media, stored.media);
  if (stored.media === undefined && still !== undefined) next.media = still;
  else if (still !== stored.media)
    report(merging.place, `contradicts what was recorded: ${thing} has another still`, `${field}.media`);
  const fed = [...rawsOf(stored.ingredients)];
  const known = new Set(fed.map(({ ingredient }) => ingredient));
  for (const one of rawsOf(ingredients)) if (!known.has(one.ingredient)) fed.push(one);
  if (fed.length > 0) next.ingredients = fed;
  return next;
}

/** What POST /submissions/{id}/decide changes of a submission. */
const isAnswer = (field: string): boolean => field === "status" || field === "decision_note";

function mergeSubmission(stored: Raw, given: Raw, field: string, merging: Merging): Raw {
  const { media, ...rest } = given;
  const thing = `the submission "${String(stored.title)}"`;
  const answered = "the answer to it stays as it was recorded; POST /submissions/{id}/decide decides it again";
  mergeRecord({ thing, time: "created_at", outdated: isAnswer, stays: answered }, stored, rest, field, merging);
  const known = rawsOf(stored.media);
  const stays = new Set(known);
  const added = rawsOf(withStoredMedia(rawsOf(media), known)).filter((one) => !stays.has(one));
  return added.length === 0 ? stored : { ...stored, media: [...known, ...added] };
}

function mergeFile(stored: Raw, given: Raw, field: string, merging: Merging): Raw {
  const { media, ...rest } = given;
  const older = typeof given.detected_at === "string" && isBefore(given.detected_at, String(stored.detected_at));
  const stays = "what the storage agent reported later stays";
  const recorded = { thing: String(stored.path), time: "detected_at", outdated: () => older, stays };
  mergeRecord(recorded, stored, rest, field, merging);
  if (media === undefined || media === null || stored.media !== undefined) return stored; // the agent's stand-in stays
  return { ...stored, media };
}

function mergeMove(stored: Raw, given: Raw, field: string, merging: Merging): Raw {
  const pending = given.status === "pending" || given.status === undefined;
  const stays = "the move stays settled; `tallylight storage moves` approves another one";
  const thing = `the move of ${String(stored.src)}`;
  mergeRecord({ thing, time: "created_at", outdated: () => pending, stays }, stored, given, field, merging);
  return stored;
}

/** The recorded lists of each section, but for grants, which can be revoked. */
export const recordedLists: Partial<Record<SectionName, Record<string, RecordedList>>> = {
  assets: { versions: { keys: ["version"], merge: mergeVersion } },
  deliveries: { submissions: { keys: ["engagement", "title", "created_at"], merge: mergeSubmission } },
  storage: {
    files: { keys: ["path"], merge: mergeFile },
    moves: { keys: ["src", "dst", "created_at"], merge: mergeMove },
  },
};

/**
 * Refuses another vendor, because the keys that are bound to the engagement would see that vendor's orders, and its submissions would
 * be that vendor's. An engagement that has ended stays ended.
 */
export function settleEngagement(
  { before, given, place, options }: Merging<RawOf<"engagements">>,
  next: RawOf<"engagements">,
): void {
  const { vendor, ended_at } = before as { vendor: string; ended_at?: string }; // as the schema has them
  if (typeof given.vendor === "string" && given.vendor !== vendor)
    report(
      place,
      `contradicts what was recorded: this engagement is of ${vendor}; end it, and add another one with its own title or ref`,
      ".vendor",
    );
  if (ended_at !== undefined && ended_at <= options.now && given.ended_at === undefined && options.exact)
    warnUnchanged(place, "the engagement has ended and stays ended; `tallylight engagements add` adds another one");
  if (ended_at === undefined || next.ended_at === ended_at) return;
  if (ended_at > options.now) return; // it has not ended yet
  if (given.ended_at !== undefined)
    report(
      place,
      `contradicts what was recorded: this engagement ended at ${ended_at}; \`tallylight engagements add\` adds another one`,
      ".ended_at",
    );
  next.ended_at = ended_at;
}

/** The fields by which two grants are the same. */
const sameFields = ["verb", ...grantTargetFields];

const keptRevoked = "the grant was revoked and stays revoked; `tallylight grants add` grants it again";
const named = (grant: Raw): string => {
  const [target] = grantTargetFields.filter((field) => grant[field] !== undefined);
  return target === undefined ? String(grant.verb) : `${String(grant.verb)} on ${target} "${String(grant[target])}"`;
};

const isLive = ({ revoked_at, expires_at }: Raw, now: string): boolean =>
  revoked_at === undefined && (expires_at === undefined || String(expires_at) > now);

/**
 * The stored grants in their order with those that a document adds; `earlier` are those that earlier documents of the same import leave.
 * A given list replaces the stored live ones, and what earlier documents say: those that are not in it are revoked. A grant is the same
 * by verb and target; of several, by the time at which it was made.
 */
export function mergeGrants(
  { given, before, place, options }: Merging<RawOf<"engagements">>,
  earlier: readonly Raw[],
): Raw[] {
  const { now, exact } = options;
  if (given.grants === undefined && !exact) return [...earlier];
  const stored = rawsOf(before.grants);
  const wanted = rawsOf(given.grants).map(withoutNulls);
  const list = [...stored];
  const listed = new Set<number>();
  const claims = new Claims(stored.map((grant) => ({ ...grant, live: isLive(grant, now) })));
  wanted.forEach((grant, at) => {
    let index = claims.claim(grant, [...sameFields, "created_at"]);
    if (index === undefined && grant.created_at === undefined)
      index = claims.claim({ ...grant, live: true }, [...sameFields, "live"]);
    // One that is not live, as an earlier import of the same list stored it.
    if (index === undefined && grant.created_at === undefined && !isLive(grant, now))
      index = claims.claim(grant, [...sameFields, "expires_at", "revoked_at"]);
    const before = index === undefined ? undefined : list[index];
    if (index === undefined || before === undefined) {
      list.push(grant);
      return;
    }
    listed.add(index);
    if (grant.revoked_at !== undefined && before.revoked_at !== undefined && grant.revoked_at !== before.revoked_at)
      report(
        place,
        `contradicts what was recorded: this grant was revoked at ${String(before.revoked_at)}`,
        `.grants[${at}].revoked_at`,
      );
    if (before.revoked_at !== undefined) {
      if (grant.revoked_at === undefined) warnUnchanged(place, keptRevoked, `${named(before)} of ${thingAt(place)}`);
      return;
    }
    const { expires_at: _, ...rest } = before;
    list[index] = {
      ...rest,
      ...(grant.expires_at !== undefined && { expires_at: grant.expires_at }),
      ...(grant.revoked_at !== undefined && { revoked_at: grant.revoked_at }),
    };
  });
  return list.map((grant, at) =>
    at < stored.length && !listed.has(at) && isLive(grant, now) ? { ...grant, revoked_at: now } : grant,
  );
}
