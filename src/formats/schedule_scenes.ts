// Collects what the strips of a schedule say about single scenes: their length, their cast, and the fields of --map.

import { formatEighths } from "../document/sections/eighths.ts";
import { listAt } from "../sequences.ts";
import { castKey, warnOfNumbers } from "./cast_numbers.ts";
import type { Findings } from "./findings.ts";
import { assetsOfScenesIn, thingsIn } from "./known.ts";
import type { Values } from "./list.ts";
import { type PartialScene, type ReadOptions, said } from "./partial.ts";
import { type SceneMention, sceneKey } from "./scenes.ts";
import type { scheduleColumns } from "./schedule.ts";

export interface Strip {
  line: number;
  values: Values<typeof scheduleColumns>;
  scenes: SceneMention[];
  /** What a row of text says. */
  text?: string;
  /** A cell of it could not be read. */
  broken: boolean;
}

/** A length is the scene's own if one strip alone has one and does not stand for a part of the scene. */
function pagesOf(strips: readonly { strip: Strip; part: boolean }[]): string | undefined {
  const [first, second] = strips.filter(({ strip }) => strip.values.pages !== undefined);
  const pages = first?.strip.values.pages;
  return second !== undefined || pages === undefined || strips.some(({ part }) => part)
    ? undefined
    : formatEighths(pages);
}

const texts = ["int_ext", "set", "time_of_day", "script_day"] as const;

function elementsOf(strips: readonly { strip: Strip; part: boolean }[]): Record<string, unknown> {
  const pages = pagesOf(strips);
  const cast = [...new Set(strips.flatMap(({ strip }) => strip.values.cast?.names ?? []))];
  const first = (name: (typeof texts)[number]) =>
    strips.find(({ strip }) => strip.values[name] !== undefined)?.strip.values[name];
  return said({
    ...Object.fromEntries(texts.map((name) => [name, first(name)])),
    ...{ cast: cast.length > 0 ? cast : undefined, pages },
  });
}

/** The scenes of which a strip of their own says something. A strip of several scenes says nothing about each of them. */
export function sceneParts(strips: readonly Strip[], options: ReadOptions, findings: Findings): PartialScene[] {
  const { byCastNumber: characters } = thingsIn(options.known.things);
  const named = new Set(strips.flatMap(({ values }) => values.cast?.numbers ?? []));
  warnOfNumbers(
    [...named].filter((number) => !characters.has(castKey(number))),
    findings,
  );
  const linkedBefore = assetsOfScenesIn(options.known.scene_assets);
  const own = new Map<string, { strip: Strip; part: boolean }[]>();
  for (const strip of strips) {
    const [mention, another] = strip.scenes;
    if (mention === undefined || another !== undefined) continue;
    listAt(own, mention.reference).push({ strip, part: mention.part });
  }
  return [...own].flatMap(([reference, ofScene]) => {
    const { slugline, synopsis } = ofScene[0]?.strip.values ?? {};
    const elements = elementsOf(ofScene);
    const linked = linkedBefore.get(reference) ?? [];
    const numbers = ofScene.flatMap(({ strip }) => strip.values.cast?.numbers ?? []);
    const assets = new Set([...linked, ...numbers.flatMap((number) => characters.get(castKey(number)) ?? [])]);
    const own = {
      ...said({ slugline, synopsis }),
      ...(Object.keys(elements).length > 0 && { elements }),
      ...(assets.size !== linked.length && { assets: [...assets] }),
    };
    return Object.keys(own).length === 0 ? [] : [{ ...sceneKey(reference, options), ...own }];
  });
}
