// Checks the things that documents name by the rules of whole documents: their schema, the rules of their section and what they refer to.
import * as v from "valibot";
import { messageOf } from "../../../core/inputs.ts";
import type { Source } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { eachReference, type Form, itemFormOf, parseItem, type Raw, writtenItem } from "../sections/form.ts";
import { type Problems, placeOfIssue } from "../sections/problems.ts";
import { documentSchema } from "../sections/schema.ts";
import type { SectionName } from "../sections/sections.ts";
import { checkProduction, thingRules } from "./thing_rules.ts";
import { knownThings, type Lists, Validator } from "./validator.ts";

/** Reports what a schema finds at a place of a document, where nothing was found before. */
function reportIssues(problems: Problems, place: string, issues: readonly v.BaseIssue<unknown>[] = []): void {
  for (const issue of issues) {
    const [field] = issue.path ?? [];
    const here = field === undefined ? place : `${place}.${placeOfIssue(issue)}`;
    if (!problems.has(here) && !problems.has(`${place}.${String(field?.key)}`)) problems.add(here, messageOf(issue));
  }
}

/** The things of each document as they will be, with the defaults of the schema. Those that go, or could not be matched, are left out. */
function thingsOf(target: Target): ReadonlyMap<Source, Lists> {
  const all = new Map<Source, Lists>();
  for (const section of target.touched)
    for (const { gone, given, item } of target.touchedSlots(section))
      for (const { source, at } of gone ? [] : given) {
        const { output, issues } = parseItem(section, item);
        reportIssues(source.problems, `${section}[${at}]`, issues);
        const lists = all.get(source) ?? {};
        all.set(source, lists);
        lists[section] ??= [];
        lists[section][at] = writtenItem(section, output as Raw); // of the right shape where nothing was found
      }
  return all;
}

function checkSection<S extends SectionName>(validator: Validator, section: S): void {
  const { all, one } = thingRules[section] ?? {};
  const things = validator.things(section);
  all?.(validator, things);
  if (one !== undefined) for (const [thing, place] of validator.items(section, things)) one(validator, thing, place);
}

/** Reports what names nothing, and a list that names one thing twice. */
function checkReferences(validator: Validator, value: unknown, form: Form, place: string): void {
  eachReference(value, form, place, (noun, reference, here, isText) => {
    if (isText) return;
    if (typeof reference === "string") validator.refer(here, noun, reference);
    else if (validator.isUsable(here)) {
      for (const [name, there] of validator.items(here, reference)) validator.refer(there, noun, name);
      validator.distinct(here, reference, (name) => name);
    }
  });
}

/** The production as it will be. Reports what is wrong with it where documents give it. */
function productionOf({ production: { item, given } }: Target): unknown {
  if (given.length === 0) return item;
  const { output, issues } = v.safeParse(documentSchema.entries.production, item);
  for (const { problems } of given) reportIssues(problems, "production", issues);
  return output;
}

export function checkThings(target: Target, sources: readonly Source[]): void {
  const production = productionOf(target);
  const isChecked = target.production.given.length > 0 || target.touched.includes("episodes");
  const things = thingsOf(target);
  const known = knownThings(target);
  for (const source of sources) {
    if (source.problems.more > 0) continue;
    const lists = things.get(source) ?? {};
    const validator = new Validator(source, { production, lists }, known);
    const given = target.touched.filter((section) => lists[section] !== undefined);
    if (isChecked) checkProduction(validator);
    for (const section of given) checkSection(validator, section);
    if (isChecked) checkReferences(validator, production, itemFormOf("production"), "production");
    for (const section of given) {
      const form = itemFormOf(section);
      if (form.refers) checkReferences(validator, lists[section], { item: form, refers: true }, section);
    }
  }
}
