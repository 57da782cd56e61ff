// Merges things of documents with what is stored: sets the fields that a document gives, and keeps what is recorded.
import { parseSlugline } from "../../names/sluglines.ts";
import type { Source } from "../read/sources.ts";
import { canonical, isRecord, layoutOf, type Raw, rawsOf } from "../sections/form.ts";
import { type SectionName, sections } from "../sections/sections.ts";
import {
  checkRecordedThing,
  type Merging,
  mergedGrants,
  mergeRecordedLists,
  settleEngagement,
  withStoredMedia,
} from "./recorded.ts";
import { resolvedThing } from "./resolving.ts";
import { mergeSteps, signed } from "./steps.ts";
import { creationUnchanged, withoutNulls } from "./terms.ts";
import type { Item, Update } from "./update.ts";

/** The fields that stay when a document says nothing of them, also if everything else takes its default. */
const retained = ["created_at", "ended_at", "rounds"];

/**
 * The elements that a document sets, beside those that it does not name; null removes one. An estimate replaces no
 * known length, and a length that is given is no estimate, the same one either.
 */
function mergedElements(before: unknown, given: object): Raw {
  const known = isRecord(before) ? before : {};
  const { pages, pages_estimated, ...rest }: Raw = { ...given };
  const isGuess = pages_estimated === true && known.pages !== undefined && known.pages_estimated !== true;
  const measured = pages === undefined ? {} : { pages_estimated: null };
  return withoutNulls(isGuess ? { ...known, ...rest } : { ...known, ...measured, ...given });
}

function mergedFields({ given, before, update, item, place }: Merging, present: Raw): Raw {
  const { section } = item;
  const { recorded } = sections[section];
  const kept = [...retained, ...recorded, ...(section === "storage" ? ["filespace"] : [])];
  const base = update.options.exact
    ? kept.flatMap((field) => (present[field] === undefined ? [] : [[field, present[field]]]))
    : [];
  const next: Raw = update.options.exact ? Object.fromEntries(base) : { ...present };
  // A reference that was generated because two things share a label goes with the label.
  const isGenerated = update.names.generatedIn(section).has(item.id);
  if (isGenerated && given.was !== undefined && (given.label ?? given.title) !== undefined) delete next.ref;
  for (const [field, value] of Object.entries(given)) {
    if (field === "was" || value === undefined || recorded.includes(field)) continue;
    if (value === null) delete next[field];
    else if (field === "elements" && place.source.is_paperwork) next[field] = mergedElements(present[field], value);
    else next[field] = value;
  }
  if (typeof given.created_at === "string" && given.created_at !== before.created_at)
    update.stays(place, item, creationUnchanged);
  if (before.created_at === undefined) delete next.created_at;
  else next.created_at = before.created_at;
  return next;
}

/**
 * The elements that a slugline has follow a new slugline where the scene has them, but for those that the document
 * gives.
 */
function settleHeading({ given, before, place, update }: Merging, next: Raw): void {
  const { slugline, elements } = given;
  const areGiven = update.options.exact || (elements !== undefined && !place.source.is_paperwork);
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

const givenIn = ({ section, places }: Item): Raw[] =>
  places.flatMap(({ source, at }): Raw[] => [source.document[section]?.[at] ?? {}]);

/** A sent delivery has the time at which it was sent; one that is not sent any more has none. */
function settleDelivery({ given, before, update, item }: Merging, next: Raw): void {
  const isSent = next.status === "sent" || next.status === "accepted";
  const isSaid = givenIn(item).some(({ sent_at }) => sent_at !== undefined);
  if (isSent ? isSaid : given.sent_at !== undefined) return; // a document says it
  const wasSent = before.status === "sent" || before.status === "accepted";
  if (isSent === wasSent && before.sent_at !== undefined) next.sent_at = before.sent_at;
  else if (next.status === "sent" && before.status !== "sent" && next.sent_at === before.sent_at)
    next.sent_at = update.options.now;
  else if (!isSent) delete next.sent_at;
}

/**
 * The time of the last change is that of the update, unless documents say a later one than what is stored: it never
 * goes back.
 */
function settleTime({ before, next: present = {} }: Item, given: Raw, next: Raw): void {
  const timeOf = ({ updated_at }: Raw) => Date.parse(String(updated_at));
  const timed = [present, given].filter((one) => before === undefined || timeOf(one) > timeOf(before));
  const [latest] = timed.filter((one) => timeOf(one)).sort((one, other) => timeOf(other) - timeOf(one));
  if (latest === undefined) delete next.updated_at;
  else next.updated_at = latest.updated_at;
}

/** What a thing becomes that the first document adds. */
function added({ given: { was: _, ...given }, update, item }: Merging): Raw {
  const thing = withoutNulls(given);
  const { is_new, now } = update.options;
  if (item.section === "deliveries" && thing.status === "sent" && !is_new) thing.sent_at ??= now;
  return item.section === "approvals" ? signed(update, thing) : thing;
}

/** What the thing of an item becomes. Reports what contradicts the record. */
function merged(merging: Merging): Raw {
  const { item, given, update, before } = merging;
  const { section, next: present = {} } = item;
  if (item.before === undefined && item.places.length === 1) return added(merging);
  if (sections[section].history) {
    checkRecordedThing(merging);
    return present;
  }
  const next = mergedFields(merging, present);
  settleTime(item, given, next);
  mergeRecordedLists(merging, next);
  if (section === "scenes") settleHeading(merging, next);
  if (section === "deliveries") {
    settleRecipient(merging, next);
    settleDelivery(merging, next);
  }
  if (section === "engagements") {
    settleEngagement(merging, next);
    next.grants = mergedGrants(merging, rawsOf(item.before?.grants), rawsOf(present.grants));
  }
  if (section === "approvals") mergeSteps(merging, next);
  if ((section === "ingredients" || section === "deliveries") && given.media !== undefined && given.media !== null)
    next.media = withStoredMedia(given.media, before.media);
  return section === "approvals" ? signed(update, next) : next;
}

/** Merges the things of a section of a document, each with the thing of its id. */
export function mergeSection(
  update: Update,
  source: Source,
  section: SectionName,
  ids: readonly (number | undefined)[],
): void {
  const items = update.items(
    section,
    ids.filter((id) => id !== undefined),
  );
  const list = source.document[section] ?? [];
  const resolved = update.resolved.get(list);
  for (const [at, id] of ids.entries()) {
    const item = id === undefined ? undefined : items.get(id);
    const own = list[at];
    if (item === undefined || own === undefined) continue;
    const place = { source, section, at };
    const given = resolved?.[at] ?? resolvedThing(update, source, section, own, `${section}[${at}]`);
    item.places.push(place);
    const next = merged({ update, item, place, given, before: item.before ?? item.next ?? {} });
    item.next = canonical(layoutOf(section).fields, next);
    // What an asset says about its scenes is kept with the scenes: none says something, too.
    if (
      section === "assets" &&
      given.scenes !== undefined &&
      !(update.options.is_new && rawsOf(given.scenes).length === 0)
    )
      item.next.scenes = given.scenes ?? [];
  }
}

/** Merges the production itself. */
export function mergeProduction(update: Update, source: Source, own: Raw): void {
  const { production, options } = update;
  const given = resolvedThing(update, source, "production", own, "production");
  const base = options.exact ? { title: production.before.title, format: production.before.format } : production.next;
  const next: Raw = { ...base };
  for (const [field, value] of Object.entries(given))
    if (value === null) delete next[field];
    else if (value !== undefined) next[field] = value;
  if (!options.is_new) {
    next.created_at = production.before.created_at;
    if (typeof given.created_at === "string" && given.created_at !== next.created_at)
      source.kept.push({ thing: "the production", sentence: creationUnchanged });
  }
  production.next = canonical(layoutOf("production").fields, next);
  production.given.push(source);
}
