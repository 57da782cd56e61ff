// Collects what the strips of a schedule say about single scenes: their length, their cast, and the fields of --map.
import { listAt } from "../sequences.ts";
import { fold } from "../spelling.ts";
import type { Findings } from "./findings.ts";
import { assetsOfScenesIn, thingsIn } from "./known.ts";
import type { Values } from "./list.ts";
import { type PartialScene, type ReadOptions, said } from "./partial.ts";
import { type SceneMention, sceneKey } from "./scenes.ts";
import type { scheduleColumns } from "./schedule.ts";
import { formatEighths } from "./script.ts";

export interface Strip {
  line: number;
  values: Values<typeof scheduleColumns>;
  scenes: SceneMention[];
  /** What stands before it on its day, and after it if it is the last one. */
  before: readonly string[];
  after: string[];
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

/** The characters that have the numbers of the strips' casts. A warning lists the numbers that no character has. */
function numberedCast(
  strips: readonly Strip[],
  { known }: ReadOptions,
  findings: Findings,
): ReadonlyMap<string, string> {
  const { byCastNumber: characters } = thingsIn(known.things);
  const numbers = new Set(strips.flatMap(({ values }) => values.cast?.numbers ?? []));
  const unknown = [...numbers].filter((number) => !characters.has(fold(number)));
  const shown = `${unknown.slice(0, 20).join(", ")}${unknown.length > 20 ? " …" : ""}`;
  if (unknown.length > 0)
    findings.warn(
      `no character has the cast ${unknown.length === 1 ? "number" : "numbers"} ${shown}; import a cast list first`,
    );
  return characters;
}

/** The scenes of which a strip of their own says something. A strip of several scenes says nothing about each of them. */
export function sceneParts(strips: readonly Strip[], options: ReadOptions, findings: Findings): PartialScene[] {
  const characters = numberedCast(strips, options, findings);
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
    const assets = new Set([...linked, ...numbers.flatMap((number) => characters.get(fold(number)) ?? [])]);
    const own = {
      ...said({ slugline, synopsis }),
      ...(Object.keys(elements).length > 0 && { elements }),
      ...(assets.size !== linked.length && { assets: [...assets] }),
    };
    return Object.keys(own).length === 0 ? [] : [{ ...sceneKey(reference, options), ...own }];
  });
}
