// What a call sheet says of a day: who is in its scenes, what they need, and when the call is.
import { sameName } from "../../../core/wording.ts";
import { castOrder } from "../../cast/day_out_of_days.ts";
import { wholeWords } from "../../names/names.ts";
import { html, type Markup } from "../../pages/html.ts";
import { furtherElements, type SceneFacts, sceneNumber } from "../../pages/scene_facts.ts";
import type { DayBundle } from "../day_bundle.ts";
import type { DayScene } from "./attention.ts";

export type CastMember = DayBundle["cast"][number];

export const isShot = ({ status }: DayScene): boolean => status !== "omitted";

const membersIn = (scene: DayScene, cast: ReadonlyMap<number, CastMember>): CastMember[] =>
  scene.assets.flatMap(({ node_id }) => cast.get(node_id) ?? []).toSorted(castOrder);

/** The same by names, each with its cast number: as the scene says them, and the labels of others. */
export function castNames(
  scene: DayScene,
  cast: ReadonlyMap<number, CastMember>,
  { cast: names }: SceneFacts,
): Markup[] {
  const members = membersIn(scene, cast);
  const named = names.map((name) => {
    const word = wholeWords([name], "iu");
    return { name, member: members.find(({ label }) => word.test(label)) };
  });
  const others = members.filter((one) => named.every(({ member }) => member !== one));
  return [...named, ...others.map((member) => ({ name: member.label, member }))].map(
    ({ name, member }, at) =>
      html`${at > 0 && ", "}${member?.cast_number && `${member.cast_number} `}<bdi>${name}</bdi>`,
  );
}

/**
 * Who is in a scene: cast numbers, labels of characters without one, and names of the cast that are in no label, if
 * there are more names.
 */
export function castText(scene: DayScene, cast: ReadonlyMap<number, CastMember>, { cast: names }: SceneFacts): string {
  const members = membersIn(scene, cast);
  const isMember = (name: string) => members.some(({ label }) => wholeWords([name], "iu").test(label));
  const others = names.length > members.length ? names.filter((name) => !isMember(name)) : [];
  return [...members.map(({ cast_number, label }) => cast_number ?? label), ...others].join(", ");
}

/**
 * What the scenes need, by category, each thing once with its scenes: assets without the cast, and what the script
 * lists.
 */
export function needsOf(scenes: readonly DayScene[]): Map<string, Map<string, string[]>> {
  const needs = new Map<string, Map<string, string[]>>();
  const add = (category: string, thing: string, scene: DayScene) => {
    const things = needs.get(category) ?? new Map<string, string[]>();
    needs.set(category, things.set(thing, [...(things.get(thing) ?? []), sceneNumber(scene)]));
  };
  for (const scene of scenes.filter(isShot)) {
    for (const { kind, label } of scene.assets) if (kind !== "character") add(kind, label, scene);
    for (const [name, text] of elementsBesideAssets(scene)) if (name !== "script day") add(name, text, scene);
  }
  return needs;
}

/** The elements of a scene, each name of a list alone, without what is an asset of the scene. */
function elementsBesideAssets({ elements, assets }: DayScene): [name: string, text: string][] {
  const labels = new Set(assets.map(({ label }) => sameName(label)));
  return Object.entries(elements).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((part) => typeof part !== "string" || !labels.has(sameName(part)))
      .flatMap((part) => furtherElements({ [name]: part })),
  );
}

/** The general call; without one, the earliest time at which somebody is called. */
export function callOf({ day }: DayBundle): string {
  if (day.general_call !== null) return day.general_call;
  const [earliest] = (day.calls ?? []).flatMap(({ time }) => (/^\d\d:\d\d$/.test(time) ? [time] : [])).sort();
  return earliest === undefined ? "not set yet" : `${earliest}, the earliest call`;
}
