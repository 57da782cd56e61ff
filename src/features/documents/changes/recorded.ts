// What is recorded stays: entries of lists, decided steps and revoked grants. A document may have fewer or older ones,
// and adds what is missing; what contradicts is a problem.
import { isDeepStrictEqual } from "node:util";
import { isBefore } from "../../../core/inputs.ts";
import { commandText } from "../../../core/program.ts";
import { type Field, isRecord, layoutOf, type Raw, rawsOf } from "../sections/form.ts";
import type { SectionName } from "../sections/sections.ts";
import { Claims } from "./claims.ts";
import { grantTargetFields, withoutNulls } from "./terms.ts";
import type { Item, Place, Update } from "./update.ts";

/** The input for the merge of one thing. */
export interface Merging {
  update: Update;
  item: Item;
  place: Place;
  given: Raw;
  /** As it is stored; of what an earlier document added, as that left it. */
  before: Raw;
}

/** What is recorded, and which values of it may be those of an older document. */
interface Recorded {
  /** What a sentence calls it. */
  thing: string;
  /** The field that says when it was recorded. */
  time: string;
  isOlder?: (field: string, given: Raw, stored: Raw) => boolean;
  /** The sentence of a warning about such a value. */
  stays?: string;
}

/**
 * Reports every field of a document that says something else than what is recorded. `at` is the place of the record
 * below its thing.
 */
function checkRecord(
  recorded: Recorded,
  fields: readonly Field[],
  stored: Raw,
  given: Raw,
  at: string,
  merging: Merging,
): void {
  const { update, item, place } = merging;
  const { thing, time, isOlder = () => false, stays = "" } = recorded;
  for (const [name, value] of Object.entries(given)) {
    if (name === "was" || value === undefined || isDeepStrictEqual(value ?? undefined, stored[name])) continue;
    if (value === false && stored[name] === undefined) continue; // the default of a flag
    if (Array.isArray(value) && value.length === 0) continue; // less than what is stored
    if (isOlder(name, given, stored)) {
      const own = at === "" ? update.called(item) : `${thing} of ${update.called(item)}`;
      update.stays(place, item, stays, own);
      continue;
    }
    const field = fields.find((one) => one.name === name);
    const is = field === undefined ? stored[name] : update.names.named(field, stored[name]);
    const when = stored[time] === undefined ? "" : ` of ${String(stored[time])}`;
    const has = is === undefined ? "nothing" : JSON.stringify(is);
    update.report(place, `contradicts what was recorded: ${thing}${when} has ${has}`, `${at}.${name}`);
  }
}

/** What may differ in an older document of a thing that is recorded as a whole, by section. */
const recordedThings: Partial<Record<SectionName, Recorded>> = {
  notes: { thing: "this note", time: "created_at" },
  activity: { thing: "this entry", time: "created_at" },
  jobs: { thing: "this job", time: "created_at", isOlder: () => true, stays: "what was recorded of it stays" },
  script_changes: {
    thing: "this change",
    time: "detected_at",
    isOlder: (field, { status }) =>
      /^(status|decided_at|scene)$/.test(field) && status !== "approved" && status !== "dismissed",
    stays: "its decision stays as it was recorded; a newer draft of the script raises a change again",
  },
};

/** A thing that is recorded as a whole stays as it is. Reports what contradicts it. */
export function checkRecordedThing(merging: Merging): void {
  const { section, next = {} } = merging.item;
  const recorded = recordedThings[section];
  if (recorded !== undefined) checkRecord(recorded, layoutOf(section).fields, next, merging.given, "", merging);
}

const sameMedium = (one: unknown, other: unknown): boolean =>
  isRecord(one) &&
  isRecord(other) &&
  one.sha256 === other.sha256 &&
  one.label === other.label &&
  one.kind === other.kind;

/** Media that a document gives, with the stored one in place of each that has the same bytes, label and kind. */
export function withStoredMedia(given: unknown, stored: unknown): unknown {
  if (!Array.isArray(given)) return sameMedium(given, stored) ? stored : given;
  const media = rawsOf(stored);
  const claims = new Claims(media);
  return rawsOf(given).map((medium) => media[claims.claim(medium, ["sha256", "label", "kind"]) ?? -1] ?? medium);
}

/** How the items of a recorded list are known again, and what becomes of one. */
interface RecordedList {
  keys: readonly string[];
  merge(stored: Raw, given: Raw, at: string, merging: Merging, fields: readonly Field[]): Raw;
}

/** What the notes on a version and the approvals about it change of it. */
const isOfVersion = (field: string, given: Raw, stored: Raw): boolean =>
  field === "note" ||
  (field === "status" && [given.status, stored.status].some((one) => one === "approved" || one === "changes"));

function mergeVersion(stored: Raw, given: Raw, at: string, merging: Merging, fields: readonly Field[]): Raw {
  const { media, ingredients, ...rest } = given;
  const thing = `version ${String(stored.version)}`;
  const stays =
    "its note and status stay as they were recorded; POST /assets/{node_id}/notes adds a note, and approvals decide the status";
  checkRecord({ thing, time: "created_at", isOlder: isOfVersion, stays }, fields, stored, rest, at, merging);
  const next = { ...stored };
  const still = media === undefined || media === null ? stored.media : withStoredMedia(media, stored.media);
  if (stored.media === undefined && still !== undefined) next.media = still;
  else if (still !== stored.media)
    merging.update.report(merging.place, `contradicts what was recorded: ${thing} has another still`, `${at}.media`);
  const fed = [...rawsOf(stored.ingredients)];
  const known = new Set(fed.map(({ ingredient }) => ingredient));
  for (const one of rawsOf(ingredients)) if (!known.has(one.ingredient)) fed.push(one);
  if (fed.length > 0) next.ingredients = fed;
  return next;
}

function mergeSubmission(stored: Raw, given: Raw, at: string, merging: Merging, fields: readonly Field[]): Raw {
  const { media, ...rest } = given;
  const recorded = {
    thing: `the submission "${String(stored.title)}"`,
    time: "created_at",
    isOlder: (field: string) => /^(?:status|decision_note|decided_at|decided_by)$/.test(field),
    stays: "the answer to it stays as it was recorded; POST /submissions/{id}/decide decides it again",
  };
  checkRecord(recorded, fields, stored, rest, at, merging);
  const known = rawsOf(stored.media);
  const stays = new Set(known);
  const added = rawsOf(withStoredMedia(rawsOf(media), known)).filter((one) => !stays.has(one));
  return added.length === 0 ? stored : { ...stored, media: [...known, ...added] };
}

function mergeFile(stored: Raw, given: Raw, at: string, merging: Merging, fields: readonly Field[]): Raw {
  const { media, ...rest } = given;
  const isOlder = typeof given.detected_at === "string" && isBefore(given.detected_at, String(stored.detected_at));
  const stays = "what the storage agent reported later stays";
  const recorded = { thing: String(stored.path), time: "detected_at", isOlder: () => isOlder, stays };
  checkRecord(recorded, fields, stored, rest, at, merging);
  if (media === undefined || media === null || stored.media !== undefined) return stored; // the agent's stand-in stays
  return { ...stored, media };
}

function mergeMove(stored: Raw, given: Raw, at: string, merging: Merging, fields: readonly Field[]): Raw {
  const isPending = given.status === "pending" || given.status === undefined;
  const stays = `the move stays settled; ${commandText("storage moves add")} approves another one`;
  const recorded = { thing: `the move of ${String(stored.src)}`, time: "created_at", isOlder: () => isPending, stays };
  checkRecord(recorded, fields, stored, given, at, merging);
  return stored;
}

/** The recorded lists of each section, but for grants, which can be revoked. */
const recordedLists: Partial<Record<SectionName, Record<string, RecordedList>>> = {
  assets: { versions: { keys: ["version"], merge: mergeVersion } },
  deliveries: { submissions: { keys: ["engagement", "title", "created_at"], merge: mergeSubmission } },
  storage: {
    files: { keys: ["path"], merge: mergeFile },
    moves: { keys: ["src", "dst", "created_at"], merge: mergeMove },
  },
};

/**
 * A given item, with the number that the earlier item which it names has in the merged list; `places` are those of the
 * items before it. A number that names none of these is 0, which the check reports.
 */
function renumbered(given: Raw, earlier: string | undefined, places: readonly number[]): Raw {
  if (earlier === undefined || typeof given[earlier] !== "number") return given;
  return { ...given, [earlier]: 1 + (places[given[earlier] - 1] ?? -1) };
}

/**
 * Merges the recorded lists of a thing: each given item that is stored by the same key must agree with it, the others
 * are added.
 */
export function mergeRecordedLists(merging: Merging, next: Raw): void {
  const { item, given } = merging;
  const { fields } = layoutOf(item.section);
  for (const [name, { keys, merge }] of Object.entries(recordedLists[item.section] ?? {})) {
    const wanted = rawsOf(given[name]);
    if (wanted.length === 0) continue;
    const stored = rawsOf(item.next?.[name]);
    const { part, item: { fields: inner = [] } = {} } = fields.find((field) => field.name === name) ?? {};
    const list = [...stored];
    const claims = new Claims(stored);
    const places: number[] = [];
    for (const [at, given] of wanted.entries()) {
      const one = renumbered(given, part?.earlier, places);
      const own = keys.filter((key) => one[key] !== undefined);
      const index = claims.claim(one, own);
      const before = index === undefined ? undefined : stored[index];
      places.push(index ?? list.length);
      if (index === undefined || before === undefined) list.push(withoutNulls(one));
      else list[index] = merge(before, one, `.${name}[${at}]`, merging, inner);
    }
    next[name] = list;
  }
}

/**
 * An engagement keeps its vendor, because the keys that are bound to it would see another one's orders. One that has
 * ended stays ended.
 */
export function settleEngagement({ update, item, place, given, before }: Merging, next: Raw): void {
  const { now, exact } = update.options;
  const { vendor, ended_at } = before;
  const vendorName = update.names.nameOf("vendor", vendor as number); // every engagement has one
  if (typeof given.vendor === "number" && given.vendor !== vendor)
    update.report(
      place,
      `contradicts what was recorded: this engagement is of ${vendorName}; end it, and add another one with its own title or ref`,
      ".vendor",
    );
  if (typeof ended_at !== "string" || ended_at > now) return; // it has not ended yet
  if (given.ended_at === undefined && exact)
    update.stays(
      place,
      item,
      `the engagement has ended and stays ended; ${commandText("engagements add")} adds another one`,
    );
  if (next.ended_at === ended_at) return;
  if (given.ended_at !== undefined)
    update.report(
      place,
      `contradicts what was recorded: this engagement ended at ${ended_at}; ${commandText("engagements add")} adds another one`,
      ".ended_at",
    );
  next.ended_at = ended_at;
}

const isLive = ({ revoked_at, expires_at }: Raw, now: string): boolean =>
  revoked_at === undefined && (expires_at === undefined || String(expires_at) > now);

const keptRevoked = `the grant was revoked and stays revoked; ${commandText("grants add")} grants it again`;

/** What a sentence calls a grant. */
function grantText({ update }: Merging, grant: Raw): string {
  const [field] = grantTargetFields.filter((one) => grant[one] !== undefined);
  if (field === undefined) return String(grant.verb);
  return `${String(grant.verb)} on ${field} "${update.names.nameOf(field, grant[field] as number)}"`; // its target
}

/** The stored grant that a given one means: the same verb and target; of several, by the time at which it was made. */
function claimGrant(claims: Claims, grant: Raw, now: string): number | undefined {
  const same = ["verb", ...grantTargetFields];
  const index = claims.claim(grant, [...same, "created_at"]);
  if (index !== undefined || grant.created_at !== undefined) return index;
  const live = claims.claim({ ...grant, live: true }, [...same, "live"]);
  // One that is not live, as an earlier import of the same list stored it.
  return live ?? (isLive(grant, now) ? undefined : claims.claim(grant, [...same, "expires_at", "revoked_at"]));
}

/**
 * The stored grants in their order with those that a document adds; `earlier` are those that earlier documents of the
 * same import leave. A given list replaces the stored live ones, and what earlier documents say: those that are not in
 * it are revoked.
 */
export function mergedGrants(merging: Merging, stored: readonly Raw[], earlier: readonly Raw[]): Raw[] {
  const { update, item, place, given } = merging;
  const { now, exact } = update.options;
  if (given.grants === undefined && !exact) return [...earlier];
  const list = [...stored];
  const listed = new Set<number>();
  const claims = new Claims(stored.map((grant) => ({ ...grant, live: isLive(grant, now) })));
  for (const [at, grant] of rawsOf(given.grants).map(withoutNulls).entries()) {
    const index = claimGrant(claims, grant, now);
    const before = index === undefined ? undefined : list[index];
    if (index === undefined || before === undefined) {
      list.push(grant);
      continue;
    }
    listed.add(index);
    const { expires_at, revoked_at } = grant;
    if (revoked_at !== undefined && before.revoked_at !== undefined && revoked_at !== before.revoked_at)
      update.report(
        place,
        `contradicts what was recorded: this grant was revoked at ${String(before.revoked_at)}`,
        `.grants[${at}].revoked_at`,
      );
    if (before.revoked_at !== undefined) {
      if (revoked_at === undefined)
        update.stays(place, item, keptRevoked, `${grantText(merging, before)} of ${update.called(item)}`);
      continue;
    }
    const { expires_at: _, ...rest } = before;
    list[index] = {
      ...rest,
      ...(expires_at !== undefined && { expires_at }),
      ...(revoked_at !== undefined && { revoked_at }),
    };
  }
  return list.map((grant, at) =>
    at < stored.length && !listed.has(at) && isLive(grant, now) ? { ...grant, revoked_at: now } : grant,
  );
}
