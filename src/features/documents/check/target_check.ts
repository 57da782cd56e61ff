// Checks a target by the rules of complete documents: things that the documents name must be valid after the update, and nothing may
// refer to a removed thing. Problems are added to the documents, at the places that name the things.
import * as v from "valibot";
import { messageOf } from "../../../core/inputs.ts";
import { cut, sameName } from "../../../core/spelling.ts";
import { maxThings, tooMany } from "../../../graph/values.ts";
import { type Place, report, type Slot, type Source } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { checkProduction } from "../nouns/production.ts";
import { checkSection } from "../nouns/stored.ts";
import { eachReference, formOf, parseItem, type Raw, writtenItem } from "../sections/form.ts";
import { type Problems, placeOfIssue } from "../sections/problems.ts";
import { documentSchema, type ProductionDocument } from "../sections/schema.ts";
import { keyOf, kindOf, namings, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { knownThings } from "./known_things.ts";
import { type KnownThings, validatorOf } from "./validator.ts";

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

const form = formOf(documentSchema);

/** Adds what is wrong to `problems`, which holds what the schema found. */
function checkDocument(document: ProductionDocument, problems: Problems, names: KnownThings): void {
  const validator = validatorOf(document, problems, names);
  checkProduction(validator);
  for (const name of sectionNames) if (document[name].length > 0) checkSection(validator, name);
  eachReference(document, form, "", (noun, reference, place, isText) => {
    if (isText) return;
    if (typeof reference === "string") validator.refer(place, noun, reference);
    else if (validator.isUsable(place)) {
      for (const [name, here] of validator.items(place, reference)) validator.refer(here, noun, name);
      validator.distinct(place, reference, (name) => name); // a list that names one thing twice
    }
  });
}

/** Checks what every document names, as it will be. */
export function checkTarget(target: Target, sources: readonly Source[]): void {
  const names = knownThings(target);
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
