// Merges a thing of a document with the stored one: sets the fields that the document gives, and keeps recorded entries.
import { isDeepStrictEqual } from "node:util";
import { parseSlugline } from "../../names/sluglines.ts";
import { shapeOf } from "../nouns/stored.ts";
import { isRecord, type Raw, type RawOf, rawsOf } from "../sections/form.ts";
import { type SectionName, sections } from "../sections/sections.ts";
import { itemAt, type MergeOptions, type Merging, type Place, type Slot, warnUnchanged } from "./matching.ts";
import {
  mergeGrants,
  mergeList,
  mergeRecord,
  type Recorded,
  recordedLists,
  settleEngagement,
  withoutNulls,
  withStoredMedia,
} from "./records.ts";
import { mergeSteps } from "./steps.ts";

/** The fields that stay when a document says nothing of them, also if everything else takes its default. */
const retained = ["created_at", "ended_at", "rounds"];

export const creationUnchanged = "created_at stays as it was recorded";

/**
 * The elements that a document sets, beside those that it does not name; null removes one. An estimate replaces no known length, and
 * another length that is given is no estimate; the same one may be the estimate that an export wrote.
 */
function mergedElements(before: unknown, given: object): Raw {
  const known = isRecord(before) ? before : {};
  const { pages = known.pages, pages_estimated, ...rest }: Raw = { ...given };
  const isGuess = pages_estimated === true && known.pages !== undefined && known.pages_estimated !== true;
  const measured = pages === known.pages ? {} : { pages_estimated: null };
  const elements = isGuess ? { ...known, ...rest } : { ...known, ...measured, ...given };
  return withoutNulls(elements);
}

function mergeFields({ given, before, options, place }: Merging, item: Raw): Raw {
  const { section } = place;
  const kept = [...retained, ...sections[section].recorded, ...(section === "storage" ? ["filespace"] : [])];
  const base = options.exact
    ? Object.fromEntries(kept.flatMap((field) => (item[field] === undefined ? [] : [[field, item[field]]])))
    : item;
  const next: Raw = { ...base };
  for (const [field, value] of Object.entries(given)) {
    if (field === "was" || value === undefined || sections[section].recorded.includes(field)) continue;
    if (value === null) delete next[field];
    else if (field === "elements" && place.source.is_paperwork) next[field] = mergedElements(item[field], value);
    else next[field] = value;
  }
  if (typeof given.created_at === "string" && given.created_at !== before.created_at)
    warnUnchanged(place, creationUnchanged);
  if (before.created_at === undefined) delete next.created_at;
  else next.created_at = before.created_at;
  return next;
}

/** The elements that a slugline has follow a new slugline where the scene has them, but for those that the document gives. */
function settleHeading({ given, before, place, options }: Merging<RawOf<"scenes">>, next: RawOf<"scenes">): void {
  const { slugline, elements } = given;
  const areGiven = options.exact || (elements !== undefined && !place.source.is_paperwork);
  if (areGiven || typeof slugline !== "string" || slugline === before.slugline) return;
  const { int_ext, set, time_of_day } = parseSlugline(slugline);
  const known = isRecord(next.elements) ? next.elements : {};
  const heading = { int_ext, set, time_of_day, day_night: time_of_day };
  const followed = Object.fromEntries(Object.entries(heading).filter(([key]) => key in known));
  next.elements = mergedElements(known, { ...followed, ...(isRecord(elements) && elements) });
}

/** The recipient of a list takes the place of the former one, which was of the other kind. */
function settleRecipient({ given, before, place }: Merging, next: Raw): void {
  const [own, other] =
    next.kind === "external"
      ? (["external_to", "to_department"] as const)
      : (["to_department", "external_to"] as const);
  const changes = next.kind !== before.kind;
  if (!place.source.is_paperwork || given[other] !== undefined || !(changes || given[own] !== undefined)) return;
  if (changes || before[other] === undefined) delete next[other]; // an earlier file may have set it
}

/** A sent delivery has the time at which it was sent; one that is not sent any more has none. */
function settleDelivery(
  { given, before, options }: Merging<RawOf<"deliveries">>,
  next: RawOf<"deliveries">,
  places: readonly Place[],
): void {
  const sent = next.status === "sent" || next.status === "accepted";
  const isSaid = places.some((place) => itemAt(place).sent_at !== undefined);
  if (sent ? isSaid : given.sent_at !== undefined) return; // a document says it
  const wasSent = before.status === "sent" || before.status === "accepted";
  if (sent === wasSent && before.sent_at !== undefined) next.sent_at = before.sent_at;
  else if (next.status === "sent" && before.status !== "sent" && next.sent_at === before.sent_at)
    next.sent_at = options.now;
  else if (!sent) delete next.sent_at;
}

/** The time of the last change is that of the update, unless documents say a later one than what is stored: it never goes back. */
function settleTime({ before, item }: Pick<Slot, "before" | "item">, given: Raw, next: Raw): void {
  const timeOf = ({ updated_at }: Raw) => Date.parse(String(updated_at));
  const timed = [item, given].filter((one) => before === undefined || timeOf(one) > timeOf(before));
  const [latest] = timed.filter(timeOf).sort((one, other) => timeOf(other) - timeOf(one));
  if (latest === undefined) delete next.updated_at;
  else next.updated_at = latest.updated_at;
}

/** A thing that is recorded as a whole stays as it is. Reports what contradicts it. */
function checkRecorded(merging: Merging, item: Raw): Raw {
  const { section } = merging.place;
  const recorded = recordedSections[section];
  if (recorded !== undefined) mergeRecord(recorded, item, merging.given, "", merging);
  return item;
}

/** What may differ in an older document, by section. */
const recordedSections: Partial<Record<SectionName, Recorded>> = {
  notes: { thing: "this note", time: "created_at" },
  activity: { thing: "this entry", time: "created_at" },
  jobs: { thing: "this job", time: "created_at", outdated: () => true, stays: "what was recorded of it stays" },
  script_changes: {
    thing: "this change",
    time: "detected_at",
    outdated: (field, given) =>
      /^(status|decided_at|scene)$/.test(field) && given.status !== "approved" && given.status !== "dismissed",
    stays: "its decision stays as it was recorded; a newer draft of the script raises a change again",
  },
};

/** What a thing becomes that the first document adds. */
function addedThing(given: Raw, { section }: Place, { now }: MergeOptions): Raw {
  const { was: _, ...own } = given;
  const added = withoutNulls(own);
  if (section === "deliveries" && added.status === "sent") added.sent_at ??= now;
  return added;
}

/**
 * What the thing of a slot becomes. Reports what contradicts the record. What an earlier document of the same import adds is taken as
 * if it was stored: two documents that give a new thing one file each give it both.
 */
export function merge(slot: Slot, place: Place, options: MergeOptions): Raw {
  const { section } = place;
  const given = itemAt(place);
  if (slot.before === undefined && slot.given.length === 1) return addedThing(given, place, options);
  const merging: Merging = { place, given, before: slot.before ?? slot.item, options };
  if (sections[section].history) return checkRecorded(merging, slot.item);
  const next = mergeFields(merging, slot.item);
  settleTime(slot, given, next);
  for (const [list, recorded] of Object.entries(recordedLists[section] ?? {}))
    if (rawsOf(given[list]).length > 0)
      next[list] = mergeList(list, recorded, rawsOf(slot.item[list]), rawsOf(given[list]), merging);
  if (section === "scenes") settleHeading(merging, next);
  if (section === "assets" && given.scenes === null) next.scenes = [];
  if (section === "deliveries") {
    settleRecipient(merging, next);
    settleDelivery(merging, next, slot.given);
  }
  if (section === "engagements") {
    settleEngagement(merging, next);
    next.grants = mergeGrants({ ...merging, before: slot.before ?? {} }, rawsOf(slot.item.grants));
  }
  if (section === "approvals") mergeSteps(merging, next);
  if (section === "ingredients" || section === "deliveries")
    if (given.media !== undefined && given.media !== null)
      next.media = withStoredMedia(given.media, merging.before.media);
  return next;
}

/** The fields of a thing that have the time of the update because no document says one. */
export function timedFields(section: SectionName, { before = {}, item, given }: Slot, { now }: MergeOptions): string[] {
  if (section === "script_changes") {
    const isDetected = item.detected_at === now && given.every(({ source }) => source.is_paperwork);
    return isDetected && before.detected_at === undefined ? ["detected_at"] : [];
  }
  if (section === "deliveries")
    return item.sent_at === now && before.sent_at !== now && !given.some((place) => itemAt(place).sent_at)
      ? ["sent_at"]
      : [];
  const grants = section === "engagements" ? rawsOf(item.grants) : [];
  return grants.some(({ revoked_at }) => revoked_at === now) ? ["grants"] : [];
}

/** The fields of a thing, or of the production itself, that differ from what is stored. The order of a set says nothing. */
export function differences(section: SectionName | "production", before: Raw, item: Raw): string[] {
  const sets = section === "production" ? [] : (sections[section].sets ?? []);
  const [one, other] = [shapeOf(section, before), shapeOf(section, item)];
  const value = (from: Raw, field: string) =>
    sets.includes(field) && Array.isArray(from[field]) ? from[field].toSorted() : from[field];
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields].filter(
    (field) =>
      field !== "created_at" && field !== "updated_at" && !isDeepStrictEqual(value(one, field), value(other, field)),
  );
}
