// Warns of effects of an update that its author may not expect.
import type { Draft } from "./draft.ts";
import type { Raw } from "./item_schemas.ts";
import { keyOf } from "./sections.ts";
import type { Slot } from "./source.ts";

/** Shoot days that share a date, where the documents name one of them. */
function sharedDates(draft: Draft): string[] {
  const days = draft.slots("schedule").filter(({ gone }) => !gone);
  const byDate = Map.groupBy(days, ({ item }) => String(item.date));
  return [...byDate].flatMap(([date, shared]) => {
    if (shared.length < 2 || shared.every(({ given }) => given.length === 0)) return [];
    return [
      `days ${shared
        .map(({ item }) => item.day_number)
        .sort()
        .join(" and ")} are both on ${date}`,
    ];
  });
}

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
    ...(touched.includes("schedule") ? [...sharedDates(draft), ...sharedScenes(draft)] : []),
    ...(touched.includes("scenes") ? scheduledOmissions(draft) : []),
    ...(touched.includes("people") ? waitingForAbsent(draft) : []),
  ];
}
