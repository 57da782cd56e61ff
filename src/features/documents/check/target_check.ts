// Checks a target by the rules of complete documents: things that the documents name must be valid after the update, and nothing may
// refer to a removed thing. Problems are added to the documents, at the places that name the things.
import * as v from "valibot";
import { messageOf } from "../../../core/inputs.ts";
import { cut, sameName } from "../../../core/spelling.ts";
import { maxThings, tooMany } from "../../../graph/values.ts";
import { type Place, report, type Slot, type Source } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import {
  eachReference,
  type Form,
  itemFormOf,
  parseItem,
  productionForm,
  type Raw,
  writtenItem,
} from "../sections/form.ts";
import { type Problems, placeOfIssue } from "../sections/problems.ts";
import { documentSchema, type ProductionDocument } from "../sections/schema.ts";
import {
  hasMoney,
  keyOf,
  kindOf,
  type Noun,
  namings,
  type SectionName,
  sectionNames,
  sections,
} from "../sections/sections.ts";
import { checkDocument, type TargetNames } from "./validator.ts";

/** Reports what a schema finds at a place of a document, where nothing was found before. */
function reportIssues(problems: Problems, place: string, issues: readonly v.BaseIssue<unknown>[] = []): void {
  for (const issue of issues) {
    const [field] = issue.path ?? [];
    const here = field === undefined ? place : `${place}.${placeOfIssue(issue)}`;
    if (!problems.has(here) && !problems.has(`${place}.${String(field?.key)}`)) problems.add(here, messageOf(issue));
  }
}

/** A thing as it will be, with the defaults of the schema. Reports what is wrong with it at `place`. */
function parsedAt(item: Raw, { source, section, at }: Place): Raw {
  const { output, issues } = parseItem(section, item);
  reportIssues(source.problems, `${section}[${at}]`, issues);
  return output as Raw; // of the right shape where nothing was found
}

interface PlacedItem {
  section: SectionName;
  place: Place;
  item: Raw;
}

/** The things that each document gives and that stay. */
const itemsBySource = (target: Target): Map<Source, PlacedItem[]> =>
  Map.groupBy(
    target.touched.flatMap((section) =>
      target
        .slots(section)
        .flatMap((slot) => (slot.gone ? [] : slot.given.map((place) => ({ section, place, item: slot.item })))),
    ),
    ({ place }) => place.source,
  );

/** A document as it would be if its things were given as a whole. Its lists have the indexes of the document. */
function viewOf(target: Target, source: Source, given: readonly PlacedItem[]): ProductionDocument {
  const { given: sources, item: production } = target.production;
  const { output, issues } = v.safeParse(documentSchema.entries.production, production);
  if (sources.includes(source)) reportIssues(source.problems, "production", issues);
  const view: Record<string, unknown> = { production: output };
  // A thing that could not be matched stays undefined: it has a problem already.
  for (const section of sectionNames) view[section] = Array.from(source.document[section] ?? [], () => undefined);
  for (const { section, place, item } of given)
    (view[section] as unknown[])[place.at] = writtenItem(section, parsedAt(item, place));
  return view as ProductionDocument; // what has another shape has a problem at its place
}

/** Reports two things with the same name, at the place of the one that the documents name. */
function checkNames(target: Target): void {
  for (const section of target.touched) {
    const { noun, key = [] } = sections[section];
    if (noun === undefined && key.length !== 1) continue;
    const fold = (name: string) => (noun === undefined || noun === "scene" ? name : sameName(name));
    const isStored = ({ before, item, isSame }: Slot) =>
      isSame || (before !== undefined && keyOf(section, before) === keyOf(section, item));
    if (target.touchedSlots(section).every(isStored)) continue;
    const seen = new Map<string, Slot>();
    for (const slot of target.slots(section)) {
      if (slot.gone) continue;
      const name = target.keyOf(section, slot);
      if (name === undefined) continue;
      const before = seen.get(fold(name));
      seen.set(fold(name), slot);
      const place = slot.given.at(-1) ?? before?.given.at(-1);
      if (before === undefined || place === undefined) continue;
      if (isStored(before) && isStored(slot) && target.keyOf(section, before) !== name) continue; // by an older version
      const field = noun === undefined ? key[0] : "refs" in namings[noun] ? "ref" : namings[noun].field;
      report(place, `must be different: there is already a ${kindOf(section)} "${cut(String(name))}"`, `.${field}`);
    }
  }
}

/**
 * Reports the first thing that the update adds beyond the most that a production may have. A new production may have more: the command
 * that reads a whole document has its own process.
 */
function checkCounts(target: Target): void {
  if (target.options.is_new) return;
  for (const section of ["scenes", "assets", "people"] as const) {
    if (!target.touched.includes(section)) continue;
    const beyond = target
      .slots(section)
      .filter(({ gone }) => !gone)
      .slice(maxThings);
    const place = beyond.find(({ stored }) => stored === undefined)?.given.at(-1);
    if (place !== undefined) report(place, tooMany(section));
  }
}

/** A person who left can be named where they were named before, and nowhere else. */
function checkDeciders(target: Target): void {
  if (target.options.is_new || !target.touched.includes("approvals")) return;
  const left = new Set<unknown>(
    target.slots("people").flatMap((slot) => (slot.field("active") === false ? [slot.ref] : [])),
  );
  for (const { item, before, given } of target.touchedSlots("approvals")) {
    const place = given.at(-1);
    if (place === undefined) continue;
    const known = new Set(((before?.steps ?? []) as Raw[]).flatMap(({ person, decided_by }) => [person, decided_by]));
    ((item.steps ?? []) as Raw[]).forEach((step, at) => {
      for (const field of ["person", "decided_by"])
        if (left.has(step[field]) && !known.has(step[field]))
          report(place, `must not name "${step[field]}", who left the production`, `.steps[${at}].${field}`);
    });
  }
}

/** An asset that a character wears stays a costume. Of characters that the documents name, their own place says it. */
function checkCostumesWorn(target: Target): void {
  if (!target.touched.includes("assets")) return;
  const changed = target
    .touchedSlots("assets")
    .filter(({ item, before }) => before?.kind === "costume" && item.kind !== "costume");
  if (changed.length === 0) return;
  for (const slot of changed) {
    const place = slot.given.at(-1);
    const wears = ({ item, gone, given }: Slot) =>
      !gone && given.length === 0 && ((item.costumes ?? []) as string[]).includes(slot.ref);
    const wearer = target.slots("assets").find(wears);
    if (wearer !== undefined && place !== undefined)
      report(place, `must stay costume: "${keyOf("assets", wearer.item)}" wears it`, ".kind");
  }
}

function checkFormat({ production, options }: Target): void {
  const { before, item, given } = production;
  if (options.is_new || before.format === item.format) return;
  for (const source of given)
    source.problems.add(
      "production.format",
      `must stay ${before.format}: the format of a stored production cannot change`,
    );
}

/** Checks what every document names, as it will be. */
export function checkTarget(target: Target, sources: readonly Source[], names: TargetNames): void {
  checkFormat(target);
  checkNames(target);
  checkCounts(target);
  checkDeciders(target);
  checkCostumesWorn(target);
  const given = itemsBySource(target);
  for (const source of sources) {
    const { problems } = source;
    const view = viewOf(target, source, given.get(source) ?? []);
    if (problems.more > 0) continue;
    checkDocument(view, problems, names);
  }
}

/** What refers to things that go: the first thing of each reference. Activity about a scene or an asset does not count. */
function referrersOf(target: Target, gone: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (item: Raw, form: Form, referrer: () => string, section?: SectionName) =>
    eachReference(item, form, "", (noun, references) => {
      if ((noun === "asset" || noun === "scene") && section === "activity") return;
      for (const one of [references].flat()) if (gone.has(one) && !found.has(one)) found.set(one, referrer());
    });
  for (const section of sectionNames) {
    const form = itemFormOf(section);
    const kind = kindOf(section);
    for (const { gone, item } of form.refers ? target.slots(section) : [])
      if (!gone)
        visit(item, form, () => (hasMoney(section) ? `a ${kind}` : `${kind} "${keyOf(section, item)}"`), section);
  }
  visit(target.production.item, productionForm, () => "the production");
  return found;
}

/** The recorded entries that a thing has, because of which it cannot be removed. */
function recordOf(section: SectionName, { item }: Slot): string | undefined {
  const count = (list: unknown) => ((list ?? []) as unknown[]).length;
  const decided = ((item.steps ?? []) as Raw[]).some(({ status = "pending" }) => status !== "pending");
  if (section === "assets" && count(item.versions) > 0) return "has versions";
  if (section === "deliveries" && count(item.submissions) > 0) return "has submissions";
  if (section === "engagements" && count(item.grants) > 0) return "has grants; end it instead";
  if (section === "approvals" && (decided || count(item.rounds) > 0)) return "has decisions";
  if (section === "storage") return "has recorded files";
  return undefined;
}

const bindingOf: Partial<Record<Noun, string>> = {
  engagement: "is bound to a key",
  person: "is bound to a key",
  episode: "has a stored draft",
  scene: "is in the stored script",
};

/** What an update depends on beside the tables of its production that documents have. */
export interface UpdateContext {
  /** Things to which rows refer that no document has. */
  bindings: readonly { noun: string; id: number }[];
  /** The production that has the title that the update sets. */
  titled: { id: number } | undefined;
  /** Another text after each change of the stored script; only where an update depends on that. */
  script?: string | undefined;
}

/** Reports a title that another production has, and things that an exact document does not have and that cannot go. */
export function checkContext(target: Target, { bindings, titled }: UpdateContext): void {
  const { production, stored } = target;
  if (titled !== undefined && titled.id !== stored.production_id)
    for (const { problems } of production.given)
      problems.add("production.title", `is taken: production ${titled.id} has it already`);
  checkRemovals(target, (noun, id) => bindings.some((one) => one.noun === noun && one.id === id));
}

function checkRemovals(target: Target, isBound: (noun: Noun, id: number) => boolean): void {
  const gone = target.touched.flatMap((section) =>
    target.slots(section).flatMap((slot) => (slot.gone ? [{ section, slot }] : [])),
  );
  const references = new Set(gone.flatMap(({ slot }) => slot.ref || []));
  const referrers = references.size > 0 ? referrersOf(target, references) : new Map<string, string>();
  for (const { section, slot } of gone) {
    const { noun } = sections[section];
    const key = keyOf(section, slot.item) as string;
    const referrer = referrers.get(slot.ref);
    const bound = noun !== undefined && isBound(noun, slot.stored?.id as number) ? bindingOf[noun] : undefined;
    const why = recordOf(section, slot) ?? (referrer === undefined ? bound : `is named by ${referrer}`);
    if (why === undefined) continue;
    const place = slot.given.at(-1);
    const hint = noun === "person" ? '; `"active": false` says that a person left' : "";
    if (place !== undefined) {
      place.source.problems.add(`${section}[${place.at}]`, `cannot be removed: it ${why}`, `it ${why}`);
      continue;
    }
    target
      .sourceOf(section)
      .problems.add(section, `must list ${kindOf(section)} "${key}", which cannot be removed: it ${why}${hint}`);
  }
}
