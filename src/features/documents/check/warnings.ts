// Warns of effects of an update that its author may not expect.
import { isDeepStrictEqual } from "node:util";
import { firstOf, listed, sameName } from "../../../core/wording.ts";
import { castClashes, type DaySheet, earlierDates, noLocation, shifted } from "../../clashes/clashes.ts";
import { listAt } from "../../sequences/sequences.ts";
import type { Slot } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { type Raw, rawsOf, textsOf } from "../sections/form.ts";
import { isReference } from "../sections/references.ts";
import { keyOf, kindOf, namings, type SectionName, sectionNames, sections } from "../sections/sections.ts";

/** The things of a section that share the value of a field, where the documents name one of them. */
const sharing = (target: Target, section: SectionName, field: string): [value: unknown, items: Raw[]][] =>
  [...Map.groupBy(target.slots(section), (slot) => (slot.gone ? undefined : slot.field(field)))].flatMap(
    ([value, shared]) =>
      value === undefined || shared.length < 2 || shared.every(({ given }) => given.length === 0)
        ? []
        : [[value, shared.map(({ item }) => item)]],
  );

/** How many days a sentence names, and with how many other days of its date and the ones before it a day is compared. */
const maxDays = 20;
const daysText = (numbers: readonly unknown[]): string => firstOf(numbers, maxDays, " and ");
/** "day 3", "days 3 and 4". */
const namedDays = (numbers: readonly unknown[]): string =>
  `${numbers.length === 1 ? "day" : "days"} ${daysText(numbers)}`;

const sharedDates = (target: Target): string[] =>
  sharing(target, "schedule", "date").map(([date, days]) => {
    const numbers = days.map(({ day_number }) => day_number).sort();
    return `days ${daysText(numbers)} are both on ${date}`;
  });

const sharedCastNumbers = (target: Target): string[] =>
  sharing(target, "assets", "cast_number").map(([number, characters]) => {
    const names = characters.slice(0, 5).map((one) => `"${keyOf("assets", one)}"`);
    return `${listed(names)} have the same cast number, ${number}`;
  });

/** What the calls of a day name that is no asset, person or department, and banners before scenes that are not on the day. */
function danglingReferences(target: Target): string[] {
  return target.touchedSlots("schedule").flatMap(({ gone, given, item }) => {
    if (gone || given.length === 0) return [];
    const calls = rawsOf(item.calls).map(({ who }) => String(who));
    const texts = calls.filter((who) => !isReference(who));
    const scenes = new Set<unknown>(scenesOf(item));
    const befores = rawsOf(item.banners).flatMap(({ before }) => (before && !scenes.has(before) ? before : []));
    const day = `day ${item.day_number}`;
    return [
      ...(texts.length === 0 ? [] : [`${day} calls what is no asset, person or department: ${firstOf(texts)}`]),
      ...(befores.length === 0 ? [] : [`${day} has a banner before a scene that is not on it: ${firstOf(befores)}`]),
    ];
  });
}

const scenesOf = ({ scenes }: Raw): string[] => textsOf(scenes);

/** Whether a thing that changes has another value of a field. */
const changes =
  (...fields: string[]) =>
  ({ before, item }: Slot): boolean =>
    fields.some((field) => !isDeepStrictEqual(before?.[field], item[field]));

/** Scenes that come onto a day while they stay on another one, or come onto that one too. */
function sharedScenes(target: Target): string[] {
  if (!target.touchedSlots("schedule").some(changes("scenes"))) return [];
  const placed = target
    .slots("schedule")
    .flatMap((day) => (day.gone ? [] : scenesOf(day.item).map((scene) => ({ scene, day }))));
  const before = new Map(placed.map(({ day }) => [day, day.before && new Set(scenesOf(day.before))]));
  return [...Map.groupBy(placed, ({ scene }) => scene)].flatMap(([scene, strips]) => {
    if (strips.length < 2) return [];
    const { still = [], now = [] } = Object.groupBy(strips, ({ day }) =>
      before.get(day)?.has(scene) ? "still" : "now",
    );
    const days = (shown: typeof strips) => namedDays(shown.map(({ day }) => day.item.day_number));
    if (still.length === 0) return [`scene ${scene} is now on ${days(now)}`];
    const there = days(still);
    return now.map((one) => `scene ${scene} is now on ${days([one])} and still on ${there}`);
  });
}

/** The shoot days as they were, or as they will be, for finding what clashes. The characters are those that a function knows. */
function sheetsOf(target: Target, state: "before" | "item", isCharacter: (reference: string) => boolean): DaySheet[] {
  const scenes = new Map<string, DaySheet["scenes"][number]>();
  for (const slot of target.slots("scenes")) {
    const scene = slot[state];
    if (scene === undefined || scene.status === "omitted") continue;
    const characters = textsOf(scene.assets)
      .filter(isCharacter)
      .map((reference) => ({ id: reference, label: target.names.print(reference) }));
    scenes.set(slot.ref, { name: target.names.print(slot.ref), characters });
  }
  return target.slots("schedule").flatMap((slot) => {
    const day = slot[state];
    if (day === undefined || (slot.gone && state === "item")) return [];
    const live = scenesOf(day).flatMap((name) => scenes.get(name) ?? []);
    const { scenes: _, ...named } = target.names.named("schedule", day); // a call is for whom it names
    return [{ ...(named as Omit<DaySheet, "scenes">), scenes: live }]; // as the schema has it
  });
}

/** What clashes for the cast of each day. */
function castClashesOf(sheets: readonly DaySheet[], turnaround: number): string[] {
  const byDate = Map.groupBy(sheets, ({ date }) => date);
  return sheets.flatMap((day) => {
    const dates = Array.from({ length: earlierDates + 1 }, (_, days) => shifted(day.date, -days));
    const near = dates.flatMap((date) => (byDate.get(date) ?? []).slice(0, maxDays + 1));
    const others = near.filter((other) => other !== day).slice(0, maxDays);
    return castClashes(day, others, turnaround).map((clash) => `day ${day.day_number}: ${clash}`);
  });
}

/** What clashes for the cast once the update is applied, and did not before. */
function newCastClashes(target: Target, turnaround: () => number): string[] {
  const isConcerned =
    target.touchedSlots("schedule").length > 0 ||
    target.touchedSlots("scenes").some(changes("status", "assets", "number", "episode")) ||
    target.touchedSlots("assets").some(changes("kind", "label"));
  if (!isConcerned) return [];
  const days = target.slots("schedule").filter(({ gone }) => !gone);
  const dates = new Set(days.map((slot) => slot.field("date")));
  // Without a wrap, and without two days on one date, nothing clashes: then nothing else is read.
  if (dates.size === days.length && days.every((slot) => slot.field("wrap") === undefined)) return [];
  const characters = new Set(
    target.slots("assets").flatMap((slot) => (slot.field("kind") === "character" ? [slot.ref] : [])),
  );
  const clashesIn = (state: "before" | "item") =>
    castClashesOf(
      sheetsOf(target, state, (reference) => characters.has(reference)),
      turnaround(),
    );
  const known = new Set(clashesIn("before"));
  return clashesIn("item").filter((clash) => !known.has(clash));
}

/** Days that the documents name and that have no location, while other days have one. */
function withoutLocation(target: Target): string[] {
  const days = target.slots("schedule").filter(({ gone }) => !gone);
  if (days.every((slot) => slot.field("location") === undefined)) return [];
  return days.flatMap((slot) => {
    const { before, given } = slot;
    return slot.field("location") !== undefined ||
      given.length === 0 ||
      (before !== undefined && before.location === undefined)
      ? []
      : [`day ${slot.item.day_number}: ${noLocation}`];
  });
}

/** Scenes that become omitted and are still on a day. */
function scheduledOmissions(target: Target): string[] {
  const omitted = target
    .touchedSlots("scenes")
    .filter(({ item, before }) => item.status === "omitted" && before !== undefined && before.status !== "omitted");
  if (omitted.length === 0) return [];
  const daysOf = new Map<string, unknown[]>();
  for (const { gone, item } of target.slots("schedule"))
    if (!gone) for (const scene of new Set(scenesOf(item))) listAt(daysOf, scene).push(item.day_number);
  return omitted.flatMap(({ ref }) => {
    const on = daysOf.get(ref) ?? [];
    return on.length === 0 ? [] : [`scene ${ref} becomes omitted and is still on ${namedDays(on)}`];
  });
}

/** People who leave while a step of an approval waits for them. */
function waitingForAbsent(target: Target): string[] {
  const left = target
    .touchedSlots("people")
    .filter(({ item, before, given }) => given.length > 0 && item.active === false && before?.active !== false);
  return left.flatMap(({ item: { name }, ref }) => {
    const waiting = target.slots("approvals").filter(({ item: { status, steps }, gone }) => {
      const isHis = (step: Raw) => step.person === ref && (step.status ?? "pending") === "pending";
      return !gone && status === "pending" && rawsOf(steps).some(isHis);
    });
    if (waiting.length === 0) return [];
    const titles = waiting.map(({ item }) => `"${keyOf("approvals", item)}"`).join(", ");
    return [`"${String(name)}" leaves, and a step waits for them in ${titles}; \`steps\` of these name somebody else`];
  });
}

/** Things that are added under the former name of another one: the author may not know of the rename. A number is soon another scene's. */
function formerNames(target: Target): string[] {
  return target.touched.flatMap((section) => {
    const { noun } = sections[section];
    const added = target.touchedSlots(section).filter((slot) => !slot.gone && slot.stored === undefined);
    if (noun === undefined || noun === "scene" || added.length === 0) return [];
    const { field } = namings[noun];
    const staying = target.slots(section).filter((slot) => !slot.gone && slot.stored !== undefined);
    const names = new Map(staying.map((slot) => [slot.id, target.keyOf(section, slot)]));
    const former = new Map(target.stored.formerNames(noun).map(({ id, name }) => [sameName(name), names.get(id)]));
    return added.flatMap(({ item }) => {
      const name = String(item[field]);
      const holder = former.get(sameName(name));
      return holder === undefined
        ? []
        : [`the ${kindOf(section)} "${name}" is added, although "${holder}" had that name before it was renamed`];
    });
  });
}

/** What warns of an update, by the sections of which a change can do so. */
const warnings: readonly {
  of: readonly SectionName[];
  find(target: Target, turnaround: () => number): string[];
}[] = [
  { of: ["schedule"], find: sharedDates },
  { of: ["schedule"], find: sharedScenes },
  { of: ["schedule"], find: danglingReferences },
  { of: ["schedule"], find: withoutLocation },
  { of: ["assets"], find: sharedCastNumbers },
  { of: ["schedule", "scenes", "assets"], find: newCastClashes },
  { of: ["scenes"], find: scheduledOmissions },
  { of: ["people"], find: waitingForAbsent },
  { of: sectionNames, find: formerNames },
];

/** `turnaround` returns the setting, in hours. */
export const warningsOf = (target: Target, turnaround: () => number): string[] =>
  warnings.flatMap(({ of, find }) =>
    of.some((section) => target.touched.includes(section)) ? find(target, turnaround) : [],
  );
