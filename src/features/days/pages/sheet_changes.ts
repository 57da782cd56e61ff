// What a call sheet says now and did not say when it was issued.
import { sceneNumber } from "../../pages/scene_facts.ts";
import type { DayBundle } from "../day_bundle.ts";
import { scenesOf, whereOf } from "./attention.ts";

/** A part of a sheet: what it is called, and what it says. */
interface Part {
  name: string;
  text: string;
}

export type DayCall = NonNullable<DayBundle["day"]["calls"]>[number];

/** Values with a key each: `nameOf` it, and behind it how often that came before. */
function counted<T>(values: readonly T[] = [], nameOf: (value: T) => string): [key: string, value: T][] {
  const counts = new Map<string, number>();
  return values.map((value) => {
    const name = nameOf(value);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return [`${name} ${count}`, value];
  });
}

export const lineKeys = ({ day }: DayBundle) => counted(day.lines, ({ label }) => `line ${label}`);
export const callKeys = ({ day }: DayBundle) => counted(day.calls, ({ who }) => `call ${who}`);
export const bannerKeys = ({ day }: DayBundle) => counted(day.banners, ({ node_id }) => `banner ${node_id}`);

/** The parts of a sheet in which a change matters to those who have it on paper, by their keys. */
function partsOf(bundle: DayBundle): Map<string, Part> {
  const { day, cast } = bundle;
  const scenes = scenesOf(bundle);
  const parts = new Map<string, Part>();
  const add = (key: string, name: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== "") parts.set(key, { name, text: JSON.stringify(value) });
  };
  add("date", "the date", day.date);
  add("general_call", "the crew call", day.general_call);
  add("location", "the location", whereOf(bundle));
  add("wrap", "the wrap", day.wrap);
  add("notes", "the notes", day.notes);
  add("status", "the status", day.status);
  add("order", "the order of the scenes", scenes.map(sceneNumber));
  for (const [key, { label, text }] of lineKeys(bundle)) add(key, label, text);
  for (const [key, call] of callKeys(bundle)) add(key, `the call of ${call.who}`, { ...call, who: "" });
  for (const [key, { text }] of bannerKeys(bundle)) add(key, text, text);
  for (const scene of scenes) {
    const { slugline, synopsis, elements } = scene;
    const needs = scene.assets.map(({ label }) => label);
    const says = [sceneNumber(scene), slugline, synopsis, elements, needs, scene.status === "omitted"];
    add(`scene ${scene.node_id}`, `scene ${sceneNumber(scene)}`, says);
  }
  for (const { node_id, label, cast_number, performer, work } of cast) {
    const calls = (day.calls ?? []).filter((call) => call.node_id === node_id).map((call) => ({ ...call, who: "" }));
    const called = calls.length > 0 ? calls : day.general_call;
    add(`cast ${node_id}`, label, [label, cast_number, performer, work, called]);
  }
  return parts;
}

export interface SheetChanges {
  /** Whether a part is new or differs. */
  isChanged: (key: string) => boolean;
  /** What was on the sheet and is not any more. */
  gone: readonly string[];
}

/** What differs between a sheet as it was issued and as it is; nothing where it was never issued. */
export function changesSince(issued: DayBundle | undefined, now: DayBundle): SheetChanges {
  if (issued === undefined) return { isChanged: () => false, gone: [] };
  const [before, after] = [partsOf(issued), partsOf(now)];
  return {
    isChanged: (key) => after.get(key)?.text !== before.get(key)?.text,
    gone: [...before].flatMap(([key, { name }]) => (after.has(key) ? [] : [name])),
  };
}
