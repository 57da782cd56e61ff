// Which features go with a feature, and in which sets they are removed so that few of them tell what a removal of each would tell.
import "../src/features.ts";
import type { Feature } from "../src/core/feature.ts";
import { features } from "../src/core/features.ts";

export const all = features().filter(({ name }) => name !== "graph");

/** The features that go with `name`: its parts, and those that need one of them. */
export function removedWith(name: string): ReadonlySet<string> {
  const removed = new Set([name]);
  const goes = ({ name: other, needs = [] }: Feature): boolean =>
    [...removed].some((gone) => other.startsWith(`${gone}/`)) || needs.some((need) => removed.has(need));
  for (let size = 0; size !== removed.size; ) {
    size = removed.size;
    for (const feature of all) if (goes(feature)) removed.add(feature.name);
  }
  return removed;
}

/** What is left of the features, and the core and the graph, without each feature. */
const leftWithout = new Map(
  all.map(({ name }) => {
    const removed = removedWith(name);
    return [name, ["core and graph", ...all.map(({ name: other }) => other).filter((other) => !removed.has(other))]];
  }),
);
const pairOf = (removed: string, left: string): string => `${removed} > ${left}`;

/** The pairs of a removed and a left feature, of a set of features that are removed at once. */
function pairsOf(names: readonly string[]): string[] {
  const lefts = names.map((name) => new Set(leftWithout.get(name)));
  const left = ["core and graph", ...all.map(({ name }) => name)].filter((name) => lefts.every((set) => set.has(name)));
  return names.flatMap((name) => left.map((other) => pairOf(name, other)));
}

/**
 * Sets of features: whatever two there are of which the first can be removed without the second, one of the sets has the first and leaves the second. So
 * a use of something of the first in the second does not compile without that set.
 */
export function separatingSets(): string[][] {
  const missing = new Set([...leftWithout].flatMap(([name, left]) => left.map((other) => pairOf(name, other))));
  const gain = (names: readonly string[]): number => pairsOf(names).filter((pair) => missing.has(pair)).length;
  const sets: string[][] = [];
  while (missing.size > 0) {
    const names: string[] = [];
    for (;;) {
      const others = all.map(({ name }) => name).filter((name) => !names.includes(name));
      const [best] = others
        .map((name) => ({ name, gain: gain([...names, name]) }))
        .sort((one, other) => other.gain - one.gain);
      if (best === undefined || best.gain <= gain(names)) break;
      names.push(best.name);
    }
    for (const pair of pairsOf(names)) missing.delete(pair);
    sets.push(names);
  }
  return sets;
}
