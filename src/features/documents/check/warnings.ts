// Warns of effects of an update that its author may not expect.

import { firstOf, listed, sameName } from "../../../core/spelling.ts";
import { castClashes, type DaySheet, earlierDates, noLocation, shifted } from "../../clashes/clashes.ts";
import { listAt } from "../../sequences/sequences.ts";
import type { Draft } from "../match/draft.ts";
import type { Slot } from "../match/matching.ts";
import type { Raw } from "../sections/form.ts";
import { isReference } from "../sections/references.ts";
import { keyOf, kindOf, namings, type SectionName, sections } from "../sections/sections.ts";

/** The things of a section that share the value of a field, where the documents name one of them. */
const sharing = (draft: Draft, section: SectionName, field: string): [value: unknown, items: Raw[]][] =>
  [...Map.groupBy(draft.slots(section), ({ item, gone }) => (gone ? undefined : item[field]))].flatMap(
    ([value, shared]) =>
      value === undefined || shared.length < 2 || shared.every(({ given }) => given.length === 0)
        ? []
        : [[value, shared.map(({ item }) => item)]],
  );

/** How many days a sentence names, and with how many other days of its date and the ones before it a day is compared. */
const maxDays = 20;
const daysText = (numbers: readonly unknown[]): string => firstOf(numbers, maxDays, " and ");

const sharedDates = (draft: Draft): string[] =>
  sharing(draft, "schedule", "date").map(([date, days]) => {
    const numbers = days.map(({ day_number }) => day_number).sort();
    return `days ${daysText(numbers)} are both on ${date}`;
  });

const sharedCastNumbers = (draft: Draft): string[] =>
  sharing(draft, "assets", "cast_number").map(([number, characters]) => {
    const names = characters.slice(0, 5).map((one) => `"${keyOf("assets", one)}"`);
    return `${listed(names)} have the same cast number, ${number}`;
  });

/** What the calls of a day name that is no asset, person or department, and banners before scenes that are not on the day. */
function danglingReferences(draft: Draft): string[] {
  return draft.slots("schedule").flatMap(({ gone, given, item }) => {
    if (gone || given.length === 0) return [];
    const calls = ((item.calls ?? []) as Raw[]).map(({ who }) => String(who));
    const texts = calls.filter((who) => !isReference(who));
    const scenes = new Set<unknown>(scenesOf(item));
    const befores = ((item.banners ?? []) as Raw[]).flatMap(({ before }) =>
      before && !scenes.has(before) ? before : [],
    );
    const day = `day ${item.day_number}`;
    return [
      ...(texts.length === 0 ? [] : [`${day} calls what is no asset, person or department: ${firstOf(texts)}`]),
      ...(befores.length === 0 ? [] : [`${day} has a banner before a scene that is not on it: ${firstOf(befores)}`]),
    ];
  });
}

const scenesOf = ({ scenes }: Raw): string[] => (scenes ?? []) as string[]; // as the schema has them

/** Scenes that come onto a day while they stay on another one, or come onto that one too. */
function sharedScenes(draft: Draft): string[] {
  const placed = draft
    .slots("schedule")
    .flatMap((day) => (day.gone ? [] : scenesOf(day.item).map((scene) => ({ scene, day }))));
  return [...Map.groupBy(placed, ({ scene }) => scene)].flatMap(([scene, strips]) => {
    if (strips.length < 2) return [];
    const { still = [], now = [] } = Object.groupBy(strips, ({ day: { before } }) =>
      before !== undefined && scenesOf(before).includes(scene) ? "still" : "now",
    );
    const numbers = (shown: typeof strips) => daysText(shown.map(({ day }) => day.item.day_number));
    if (still.length === 0) return [`scene ${scene} is now on days ${numbers(now)}`];
    const there = numbers(still);
    return now.map((one) => `scene ${scene} is now on day ${numbers([one])} and still on day ${there}`);
  });
}

/** The shoot days as they were, or as they will be, for finding what clashes. The characters are those that a function knows. */
function sheetsOf(draft: Draft, state: "before" | "item", isCharacter: (reference: string) => boolean): DaySheet[] {
  const scenes = new Map<string, DaySheet["scenes"][number]>();
  for (const slot of draft.slots("scenes")) {
    const scene = slot[state];
    if (scene === undefined || scene.status === "omitted") continue;
    const characters = ((scene.assets ?? []) as string[])
      .filter(isCharacter)
      .map((reference) => ({ id: reference, label: draft.names.print(reference) }));
    scenes.set(slot.ref, { name: draft.names.print(slot.ref), characters });
  }
  return draft.slots("schedule").flatMap((slot) => {
    const day = slot[state];
    if (day === undefined || (slot.gone && state === "item")) return [];
    const live = scenesOf(day).flatMap((name) => scenes.get(name) ?? []);
    return [{ ...(day as unknown as Omit<DaySheet, "scenes">), scenes: live }]; // as the schema has it
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
function newCastClashes(draft: Draft, turnaround: () => number): string[] {
  const days = draft.slots("schedule").filter(({ gone }) => !gone);
  const dates = new Set(days.map(({ item }) => item.date));
  // Without a wrap, and without two days on one date, nothing clashes: then nothing else is read.
  if (dates.size === days.length && days.every(({ item }) => item.wrap === undefined)) return [];
  const characters = new Set(
    draft.slots("assets").flatMap(({ item, ref }) => (item.kind === "character" ? [ref] : [])),
  );
  const [before, after] = (["before", "item"] as const).map((state) =>
    castClashesOf(
      sheetsOf(draft, state, (reference) => characters.has(reference)),
      turnaround(),
    ),
  ) as [string[], string[]];
  const known = new Set(before);
  return after.filter((clash) => !known.has(clash));
}

/** Days that the documents name and that have no location, while other days have one. */
function withoutLocation(draft: Draft): string[] {
  const days = draft.slots("schedule").filter(({ gone }) => !gone);
  if (days.every(({ item }) => item.location === undefined)) return [];
  return days.flatMap(({ item, before, given }) =>
    item.location !== undefined || given.length === 0 || (before !== undefined && before.location === undefined)
      ? []
      : [`day ${item.day_number}: ${noLocation}`],
  );
}

/** Scenes that become omitted and are still on a day. */
function scheduledOmissions(draft: Draft): string[] {
  const omitted = draft
    .slots("scenes")
    .filter(({ item, before }) => item.status === "omitted" && before !== undefined && before.status !== "omitted");
  if (omitted.length === 0) return [];
  const daysOf = new Map<string, unknown[]>();
  for (const { gone, item } of draft.slots("schedule"))
    if (!gone) for (const scene of new Set(scenesOf(item))) listAt(daysOf, scene).push(item.day_number);
  return omitted.flatMap(({ ref }) => {
    const on = daysOf.get(ref) ?? [];
    return on.length === 0 ? [] : [`scene ${ref} becomes omitted and is still on day ${on.join(" and ")}`];
  });
}

/** People who leave while a step of an approval waits for them. */
function waitingForAbsent(draft: Draft): string[] {
  const left = draft
    .slots("people")
    .filter(({ item, before, given }) => given.length > 0 && item.active === false && before?.active !== false);
  return left.flatMap(({ item: { name }, ref }) => {
    const waiting = draft.slots("approvals").filter(({ item: { status, steps }, gone }) => {
      const isHis = (step: Raw) => step.person === ref && (step.status ?? "pending") === "pending";
      return !gone && status === "pending" && ((steps ?? []) as Raw[]).some(isHis);
    });
    if (waiting.length === 0) return [];
    const titles = waiting.map(({ item }) => `"${keyOf("approvals", item)}"`).join(", ");
    return [`"${String(name)}" leaves, and a step waits for them in ${titles}; \`steps\` of these name somebody else`];
  });
}

/** Things that are added under the former name of another one: the author may not know of the rename. A number is soon another scene's. */
function formerNames(draft: Draft): string[] {
  return draft.touched.flatMap((section) => {
    const { noun } = sections[section];
    const [stored, added] = [true, false].map((isStored) =>
      draft.slots(section).filter((slot) => !slot.gone && (slot.stored !== undefined) === isStored),
    ) as [Slot[], Slot[]];
    if (noun === undefined || noun === "scene" || added.length === 0) return [];
    const { field } = namings[noun];
    const names = new Map(stored.map((slot) => [slot.stored?.id, keyOf(section, slot.item)]));
    const former = new Map(draft.stored.formerNames(noun).map(({ id, name }) => [sameName(name), names.get(id)]));
    return added.flatMap(({ item }) => {
      const name = String(item[field]);
      const holder = former.get(sameName(name));
      return holder === undefined
        ? []
        : [`the ${kindOf(section)} "${name}" is added, although "${holder}" had that name before it was renamed`];
    });
  });
}

/** `turnaround` returns the setting, in hours. */
export function warningsOf(draft: Draft, turnaround: () => number): string[] {
  const { touched } = draft;
  return [
    ...(touched.includes("schedule")
      ? [...sharedDates(draft), ...sharedScenes(draft), ...danglingReferences(draft), ...withoutLocation(draft)]
      : []),
    ...(touched.includes("assets") ? sharedCastNumbers(draft) : []),
    ...((["schedule", "scenes", "assets"] as const).some((name) => touched.includes(name))
      ? newCastClashes(draft, turnaround)
      : []),
    ...(touched.includes("scenes") ? scheduledOmissions(draft) : []),
    ...(touched.includes("people") ? waitingForAbsent(draft) : []),
    ...formerNames(draft),
  ];
}
