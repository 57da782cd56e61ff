// Collects what the strips of a schedule say about single scenes: their length, their cast, and the fields of --map.
import { formatEighths } from "../document/sections/eighths.ts";
import { castKey, warnOfNumbers } from "./cast_numbers.ts";
import { type Findings, Mentions } from "./findings.ts";
import { assetsOfScenesIn, thingsIn } from "./known.ts";
import type { Values } from "./list.ts";
import { type PartialScene, type ReadOptions, said } from "./partial.ts";
import type { SceneMention } from "./scenes.ts";
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

/** What one strip says of a scene. */
interface Share {
  strip: Pick<Strip, "values">;
  part: boolean;
}

/** A length is the scene's own if one strip alone has one and does not stand for a part of the scene. */
function pagesOf(strips: readonly Share[]): string | undefined {
  const [first, second] = strips.filter(({ strip }) => strip.values.pages !== undefined);
  const pages = first?.strip.values.pages;
  return second !== undefined || pages === undefined || strips.some(({ part }) => part)
    ? undefined
    : formatEighths(pages);
}

const texts = ["int_ext", "set", "time_of_day", "script_day"] as const;

/** The elements of a scene, as its strips have them. */
function elementsOf(strips: readonly Share[]): Record<string, unknown> {
  const pages = pagesOf(strips);
  const cast = [...new Set(strips.flatMap(({ strip }) => strip.values.cast?.names ?? []))];
  const first = (name: (typeof texts)[number]) =>
    strips.find(({ strip }) => strip.values[name] !== undefined)?.strip.values[name];
  return said({
    ...Object.fromEntries(texts.map((name) => [name, first(name)])),
    ...{ cast: cast.length > 0 ? cast : undefined, pages },
  });
}

/**
 * What the strips say of each scene, by its reference. A strip of several scenes says of each of them only that its cast numbers are in it, as far as they
 * are in none of the scenes.
 */
export function sceneParts(
  strips: readonly Omit<Strip, "broken">[],
  { known }: ReadOptions,
  findings: Findings,
): Map<string, Omit<PartialScene, "number" | "episode">> {
  const { byCastNumber: characters } = thingsIn(known.things);
  const linkedBefore = assetsOfScenesIn(known.scene_assets);
  const mentions = new Mentions();
  const unknown = new Set<string>();
  const own = new Map<string, { shares: Share[]; links: Set<string> }>();
  for (const strip of strips) {
    const { scenes, values, line } = strip;
    const numbers = values.cast?.numbers ?? [];
    mentions.add(numbers.length * scenes.length, { line });
    for (const number of numbers) if (!characters.has(castKey(number))) unknown.add(number);
    const cast = numbers.flatMap((number) => characters.get(castKey(number)) ?? []);
    const lacking = cast.filter((name) => !scenes.some(({ reference }) => linkedBefore.get(reference)?.includes(name)));
    for (const { reference, part } of scenes) {
      const scene = own.get(reference) ?? { shares: [], links: new Set() };
      own.set(reference, scene);
      for (const name of lacking) scene.links.add(name);
      if (scenes.length === 1) scene.shares.push({ strip, part });
    }
  }
  warnOfNumbers([...unknown], findings);
  const parts = [...own].map(([reference, { shares, links }]) => {
    const { slugline, synopsis } = shares[0]?.strip.values ?? {};
    const elements = elementsOf(shares);
    const own = {
      ...said({ slugline, synopsis }),
      ...(Object.keys(elements).length > 0 && { elements }),
      ...(links.size > 0 && { assets: [...(linkedBefore.get(reference) ?? []), ...links] }),
    };
    return [reference, own] as const;
  });
  return new Map(parts);
}
