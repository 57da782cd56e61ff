// The one check of a target: a table of rules, between the things of a section, between what is stored and what it becomes, and between what
// goes and what names it; things.ts has those of single things.
import { cut, listed, sameName } from "../../../core/wording.ts";
import { maxThings, tooMany } from "../../../graph/values.ts";
import { quoted } from "../../names/names.ts";
import { personNameProblem } from "../../names/person_names.ts";
import { itemAt, report, type Slot, type Source } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { eachReference, type Form, itemFormOf, type Raw, rawsOf, textsOf } from "../sections/form.ts";
import { callWords, timeOfDay } from "../sections/schema.ts";
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
import { checkThings } from "./things.ts";

/** What an update depends on beside the tables of its production that documents have. */
export interface UpdateContext {
  /** Things to which rows refer that no document has. */
  bindings: readonly { noun: string; id: number }[];
  /** The production that has the title that the update sets. */
  titled: { id: number } | undefined;
  /** Another text after each change of the stored script; only where an update depends on that. */
  script?: string | undefined;
}

interface Rule {
  /** The sections of which a change can break it; every section if absent. */
  of?: readonly SectionName[];
  /** A production that is new cannot break it: it is about what is stored. */
  isOfStored?: true;
  check(target: Target, context: UpdateContext, sources: readonly Source[]): void;
}

function checkFormat({ production: { before, item, given } }: Target): void {
  if (before.format === item.format) return;
  for (const { problems } of given)
    problems.add("production.format", `must stay ${before.format}: the format of a stored production cannot change`);
}

/** Two things with the same name, at the place of the one that the documents name. */
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
      const name = slot.gone ? undefined : target.keyOf(section, slot);
      if (name === undefined) continue;
      const before = seen.get(fold(name));
      seen.set(fold(name), slot);
      const place = slot.given.at(-1) ?? before?.given.at(-1);
      if (before === undefined || place === undefined) continue;
      if (isStored(before) && isStored(slot) && target.keyOf(section, before) !== name) continue; // by an older version
      const field = noun === undefined ? key[0] : "refs" in namings[noun] ? "ref" : namings[noun].field;
      report(place, `must be different: there is already a ${kindOf(section)} "${cut(name)}"`, `.${field}`);
    }
  }
}

const counted = ["scenes", "assets", "people"] as const;

/**
 * The first thing that the update adds beyond the most that a production may have. A new production may have more: the command that reads
 * a whole document has its own process.
 */
function checkCounts(target: Target): void {
  for (const section of counted) {
    if (!target.touched.includes(section)) continue;
    const beyond = target
      .slots(section)
      .filter(({ gone }) => !gone)
      .slice(maxThings);
    const place = beyond.find(({ stored }) => stored === undefined)?.given.at(-1);
    if (place !== undefined) report(place, tooMany(section));
  }
}

/** Names of people that could be read as another's. One that is stored stays until it is edited. */
function checkPeople(target: Target): void {
  for (const { item, before, given } of target.touchedSlots("people")) {
    const place = given.at(-1);
    if (place === undefined || place.source.was_stored || item.name === before?.name) continue;
    const problem = personNameProblem(String(item.name));
    if (problem !== undefined) report(place, problem, ".name");
  }
}

/** A person who left can be named where they were named before, and nowhere else. */
function checkDeciders(target: Target): void {
  const left = new Set<unknown>(
    target.slots("people").flatMap((slot) => (slot.field("active") === false ? [slot.ref] : [])),
  );
  for (const { item, before, given } of target.touchedSlots("approvals")) {
    const place = given.at(-1);
    if (place === undefined) continue;
    const known = new Set(rawsOf(before?.steps).flatMap(({ person, decided_by }) => [person, decided_by]));
    for (const [at, step] of rawsOf(item.steps).entries())
      for (const field of ["person", "decided_by"])
        if (left.has(step[field]) && !known.has(step[field]))
          report(place, `must not name "${step[field]}", who left the production`, `.steps[${at}].${field}`);
  }
}

/** An asset that a character wears stays a costume. Of characters that the documents name, their own place says it. */
function checkCostumesWorn(target: Target): void {
  for (const slot of target.touchedSlots("assets")) {
    const place = slot.given.at(-1);
    if (place === undefined || slot.before?.kind !== "costume" || slot.item.kind === "costume") continue;
    const wearer = target
      .slots("assets")
      .find(({ item, gone, given }) => !gone && given.length === 0 && textsOf(item.costumes).includes(slot.ref));
    if (wearer !== undefined) report(place, `must stay costume: "${keyOf("assets", wearer.item)}" wears it`, ".kind");
  }
}

/** Times of a day that are none. Those that an older version stored may stay, and come back. */
function checkTimes(target: Target): void {
  const example = "must be a time of day such as 07:30";
  for (const { before = {}, given } of target.touchedSlots("schedule"))
    for (const place of given) {
      if (place.source.was_stored) continue;
      const { general_call, calls } = itemAt(place);
      if (typeof general_call === "string" && general_call !== before.general_call && !timeOfDay.test(general_call))
        report(place, `${example}, not ${quoted(general_call)}`, ".general_call");
      const stored = new Set(rawsOf(before.calls).map(({ time }) => time));
      for (const [at, { time }] of rawsOf(calls).entries()) {
        if (typeof time !== "string" || stored.has(time) || timeOfDay.test(time)) continue;
        if (!callWords.includes(time.toUpperCase()))
          report(place, `${example}, or ${listed(callWords, "or")}, not ${quoted(time)}`, `.calls[${at}].time`);
      }
    }
}

function checkTitle({ production, stored }: Target, { titled }: UpdateContext): void {
  if (titled === undefined || titled.id === stored.production_id) return;
  for (const { problems } of production.given)
    problems.add("production.title", `is taken: production ${titled.id} has it already`);
}

/** What refers to things that go: the first thing of each reference. Activity about a scene or an asset does not count. */
function referrersOf(target: Target, gone: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (item: Raw, form: Form, referrer: () => string, section?: SectionName) =>
    eachReference(item, form, "", (noun, references) => {
      if ((noun === "asset" || noun === "scene") && section === "activity") return;
      for (const one of [references].flat()) if (gone.has(one) && !found.has(one)) found.set(one, referrer());
    });
  for (const section of gone.size === 0 ? [] : sectionNames) {
    const form = itemFormOf(section);
    const kind = kindOf(section);
    for (const slot of form.refers ? target.slots(section) : [])
      if (!slot.gone)
        visit(
          slot.item,
          form,
          () => (hasMoney(section) ? `a ${kind}` : `${kind} "${keyOf(section, slot.item)}"`),
          section,
        );
  }
  if (gone.size > 0) visit(target.production.item, itemFormOf("production"), () => "the production");
  return found;
}

/** The recorded entries that a thing has, because of which it cannot be removed. */
function recordOf(section: SectionName, { item }: Slot): string | undefined {
  const decided = rawsOf(item.steps).some(({ status = "pending" }) => status !== "pending");
  if (section === "assets" && rawsOf(item.versions).length > 0) return "has versions";
  if (section === "deliveries" && rawsOf(item.submissions).length > 0) return "has submissions";
  if (section === "engagements" && rawsOf(item.grants).length > 0) return "has grants; end it instead";
  if (section === "approvals" && (decided || rawsOf(item.rounds).length > 0)) return "has decisions";
  if (section === "storage") return "has recorded files";
  return undefined;
}

const bindingOf: Partial<Record<Noun, string>> = {
  engagement: "is bound to a key",
  person: "is bound to a key",
  episode: "has a stored draft",
  scene: "is in the stored script",
};

/** What goes: nothing may refer to it, and it may have nothing that is recorded. */
function checkRemovals(target: Target, { bindings }: UpdateContext): void {
  const gone = target.touched.flatMap((section) =>
    target.touchedSlots(section).flatMap((slot) => (slot.gone ? [{ section, slot }] : [])),
  );
  const bound = new Set(bindings.map(({ noun, id }) => `${noun} ${id}`));
  const referrers = referrersOf(target, new Set(gone.flatMap(({ slot }) => slot.ref || [])));
  for (const { section, slot } of gone) {
    const { noun } = sections[section];
    const referrer = referrers.get(slot.ref);
    const binding = noun !== undefined && bound.has(`${noun} ${slot.id}`) ? bindingOf[noun] : undefined;
    const why = recordOf(section, slot) ?? (referrer === undefined ? binding : `is named by ${referrer}`);
    if (why === undefined) continue;
    const place = slot.given.at(-1);
    const hint = noun === "person" ? '; `"active": false` says that a person left' : "";
    if (place !== undefined)
      place.source.problems.add(`${section}[${place.at}]`, `cannot be removed: it ${why}`, `it ${why}`);
    else
      target
        .sourceOf(section)
        .problems.add(
          section,
          `must list ${kindOf(section)} "${keyOf(section, slot.item)}", which cannot be removed: it ${why}${hint}`,
        );
  }
}

/** Every rule of a target, in this order: a value at a place where something is wrong is looked at no further. */
const rules: readonly Rule[] = [
  { isOfStored: true, check: checkFormat },
  { check: checkNames },
  { of: counted, isOfStored: true, check: checkCounts },
  { of: ["people"], check: checkPeople },
  { of: ["approvals"], isOfStored: true, check: checkDeciders },
  { of: ["assets"], isOfStored: true, check: checkCostumesWorn },
  { of: ["schedule"], check: checkTimes },
  { check: (target, _, sources) => checkThings(target, sources) },
  { check: checkTitle },
  { check: checkRemovals },
];

/** The one check of a target: of a first import, an update, an undo and a redo. Adds what it finds to the documents, at the places that name the things. */
export function checkTarget(target: Target, sources: readonly Source[], context: UpdateContext): void {
  const { touched, options } = target;
  for (const { of, isOfStored, check } of rules)
    if ((of === undefined || of.some((section) => touched.includes(section))) && !(isOfStored && options.is_new))
      check(target, context, sources);
}
