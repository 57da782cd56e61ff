// Merges recorded entries in an update: stored entries stay, missing ones are added, and a document may have fewer or older entries.
import { isDeepStrictEqual } from "node:util";
import type { SectionName } from "./changes.ts";
import { Claims } from "./claims.ts";
import type { Raw } from "./item_schemas.ts";
import type { Merging } from "./source.ts";
import { report, thingAt, warnKept } from "./source.ts";

export interface Recorded {
  /** What a sentence calls the thing. */
  thing: string;
  /** The field that says when it was recorded. */
  time: string;
  /** Whether the value of a field may be that of an older document, which is ignored. */
  outdated?: (field: string, given: Raw, stored: Raw) => boolean;
  /** What a warning says of such a value. */
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
      warnKept(place, stays, field === "" ? thingAt(place) : `${thing} of ${thingAt(place)}`);
      continue;
    }
    const when = stored[time] === undefined ? "" : ` of ${String(stored[time])}`;
    report(place, `contradicts what was recorded: ${thing}${when} has ${shown(stored[key])}`, `${field}.${key}`);
  }
}

/** Media that a document gives, with the stored one in place of each that has the same bytes, label and kind. */
export function withStoredMedia(given: unknown, stored: unknown): unknown {
  if (!Array.isArray(given)) return sameMedium(given as Raw, stored as Raw | undefined) ? stored : given;
  const media = (stored ?? []) as Raw[];
  const claims = new Claims(media);
  return given.map((medium: Raw) => media[claims.claim(medium, ["file", "label", "kind"]) ?? -1] ?? medium);
}

const sameMedium = (one: Raw, other: Raw | undefined): boolean =>
  other !== undefined && one.file === other.file && one.label === other.label && one.kind === other.kind;

/** Merges the items of a recorded list: each given item that is stored by the same key must agree with it, the others are added. */
function mergeList(
  name: string,
  stored: readonly Raw[],
  given: readonly Raw[],
  keys: readonly string[],
  mergeItem: (stored: Raw, given: Raw, field: string) => Raw,
): Raw[] {
  const list = [...stored];
  const claims = new Claims(stored);
  given.forEach((item, at) => {
    const named = keys.filter((key) => item[key] !== undefined);
    const index = claims.claim(item, named);
    if (index === undefined) list.push(withoutNulls(item));
    else list[index] = mergeItem(list[index] as Raw, item, `.${name}[${at}]`);
  });
  return list;
}

const withoutNulls = (item: Raw): Raw => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));

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
  const fed = [...((stored.ingredients ?? []) as Raw[])];
  const known = new Set(fed.map(({ ingredient }) => ingredient));
  for (const one of (ingredients ?? []) as Raw[]) if (!known.has(one.ingredient)) fed.push(one);
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
  const known = (stored.media ?? []) as Raw[];
  const stays = new Set(known);
  const added = ((media === undefined ? [] : withStoredMedia(media ?? [], known)) as Raw[]).filter(
    (one) => !stays.has(one),
  );
  return added.length === 0 ? stored : { ...stored, media: [...known, ...added] };
}

function mergeFile(stored: Raw, given: Raw, field: string, merging: Merging): Raw {
  const { media, ...rest } = given;
  const older = typeof given.detected_at === "string" && given.detected_at < String(stored.detected_at);
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

interface RecordedList {
  merge(stored: readonly Raw[], given: readonly Raw[], merging: Merging): Raw[];
}

const listOf = (
  name: string,
  keys: readonly string[],
  mergeItem: (stored: Raw, given: Raw, field: string, merging: Merging) => Raw,
): RecordedList => ({
  merge: (stored, given, merging) =>
    mergeList(name, stored, given, keys, (one, other, field) => mergeItem(one, other, field, merging)),
});

/** The recorded lists of each section, but for grants, which can be revoked. */
export const recordedLists: Partial<Record<SectionName, Record<string, RecordedList>>> = {
  assets: { versions: listOf("versions", ["version"], mergeVersion) },
  deliveries: { submissions: listOf("submissions", ["engagement", "title", "created_at"], mergeSubmission) },
  storage: {
    files: listOf("files", ["path"], mergeFile),
    moves: listOf("moves", ["src", "dst", "created_at"], mergeMove),
  },
};
