// Warns of effects of an update that its author may not expect.
import { listed } from "../formats/spelling.ts";
import type { SectionName } from "./changes.ts";
import type { Draft } from "./draft.ts";
import type { Raw } from "./item_schemas.ts";
import { keyOf } from "./sections.ts";
import type { Slot } from "./source.ts";

/** The things of a section that share the value of a field, where the documents name one of them. */
const sharing = (draft: Draft, section: SectionName, field: string): [value: unknown, items: Raw[]][] =>
  [...Map.groupBy(draft.slots(section), ({ item, gone }) => (gone ? undefined : item[field]))].flatMap(
    ([value, shared]) =>
      value === undefined || shared.length < 2 || shared.every(({ given }) => given.length === 0)
        ? []
        : [[value, shared.map(({ item }) => item)]],
  );

const sharedDates = (draft: Draft): string[] =>
  sharing(draft, "schedule", "date").map(([date, days]) => {
    const numbers = days.map(({ day_number }) => day_number).sort();
    return `days ${numbers.join(" and ")} are both on ${date}`;
  });

const sharedCastNumbers = (draft: Draft): string[] =>
  sharing(draft, "assets", "cast_number").map(([number, characters]) => {
    const names = characters.slice(0, 5).map((one) => `"${keyOf("assets", one)}"`);
    return `${listed(names)} have the same cast number, ${number}`;
  });

/** What the calls of a day name that is no asset, person or department, and banners before scenes that are not on the day. */
function looseEnds(draft: Draft): string[] {
  return draft.slots("schedule").flatMap(({ gone, given, item }) => {
    if (gone || given.length === 0) return [];
    const calls = ((item.calls ?? []) as Raw[]).map(({ who }) => String(who));
    const texts = calls.filter((who) => !callable.some((noun) => draft.names(noun).has(who)));
    const scenes = new Set<unknown>(scenesOf(item));
    const befores = ((item.banners ?? []) as Raw[]).flatMap(({ before }) =>
      before && !scenes.has(before) ? before : [],
    );
    const day = `day ${item.day_number}`;
    return [
      ...(texts.length === 0 ? [] : [`${day} calls what is no asset, person or department: ${some(texts)}`]),
      ...(befores.length === 0 ? [] : [`${day} has a banner before a scene that is not on it: ${some(befores)}`]),
    ];
  });
}
const callable = ["asset", "person", "department"] as const;
const some = (names: readonly unknown[]): string =>
  `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;

const scenesOf = ({ scenes }: Raw): string[] => (scenes ?? []) as string[]; // as the schema has them

/** Scenes that a document puts on a day while they stay on another one. */
function sharedScenes(draft: Draft): string[] {
  const days = draft.slots("schedule").filter(({ gone }) => !gone);
  const isGiven = ({ given }: Slot) => given.length > 0;
  const kept = days
    .filter((day) => !isGiven(day))
    .flatMap((day) => scenesOf(day.item).map((scene) => ({ scene, day })));
  const others = Map.groupBy(kept, ({ scene }) => scene);
  return days.filter(isGiven).flatMap((day) => {
    const former = new Set(day.before && scenesOf(day.before));
    return scenesOf(day.item).flatMap((scene) => {
      const on = former.has(scene) ? [] : (others.get(scene) ?? []);
      return on.map(
        ({ day: { item } }) =>
          `scene ${scene} is now on day ${day.item.day_number} and still on day ${item.day_number}`,
      );
    });
  });
}

/** Scenes that become omitted and are still on a day. */
function scheduledOmissions(draft: Draft): string[] {
  const omitted = draft
    .slots("scenes")
    .filter(({ item, before }) => item.status === "omitted" && before !== undefined && before.status !== "omitted");
  if (omitted.length === 0) return [];
  const daysOf = new Map<string, unknown[]>();
  for (const { gone, item } of draft.slots("schedule"))
    if (!gone)
      for (const scene of new Set((item.scenes ?? []) as string[])) {
        const on = daysOf.get(scene) ?? [];
        on.push(item.day_number);
        daysOf.set(scene, on);
      }
  return omitted.flatMap(({ item }) => {
    const name = item.episode === undefined ? String(item.number) : `${String(item.episode)}/${String(item.number)}`;
    const on = daysOf.get(name) ?? [];
    return on.length === 0 ? [] : [`scene ${name} becomes omitted and is still on day ${on.join(" and ")}`];
  });
}

/** People who leave while a step of an approval waits for them. */
function waitingForAbsent(draft: Draft): string[] {
  const left = draft
    .slots("people")
    .filter(({ item, before, given }) => given.length > 0 && item.active === false && before?.active !== false);
  return left.flatMap(({ item: { name } }) => {
    const waiting = draft.slots("approvals").filter(({ item: { status, steps }, gone }) => {
      const isHis = (step: Raw) => step.person === name && (step.status ?? "pending") === "pending";
      return !gone && status === "pending" && ((steps ?? []) as Raw[]).some(isHis);
    });
    if (waiting.length === 0) return [];
    const titles = waiting.map(({ item }) => `"${keyOf("approvals", item)}"`).join(", ");
    return [`"${String(name)}" leaves, and a step waits for them in ${titles}; \`steps\` of these name somebody else`];
  });
}

export function warningsOf(draft: Draft): string[] {
  const { touched } = draft;
  return [
    ...(touched.includes("schedule") ? [...sharedDates(draft), ...sharedScenes(draft), ...looseEnds(draft)] : []),
    ...(touched.includes("assets") ? sharedCastNumbers(draft) : []),
    ...(touched.includes("scenes") ? scheduledOmissions(draft) : []),
    ...(touched.includes("people") ? waitingForAbsent(draft) : []),
  ];
}
