// One draft while it is being matched with another: which of its scenes have a partner, and the scenes by their keys.

export interface MatchScene {
  number: string;
  slugline: string;
  omitted: boolean;
  /** The text to compare; null for a scene of which no draft is kept. */
  text: string | null;
  /** Whether it is the card of an omitted scene, with a number that the file gives. */
  isSlot?: boolean;
}

export const numberKey = ({ number }: MatchScene): string => number.trim().toUpperCase();
const sluglineKey = ({ slugline }: MatchScene): string =>
  slugline
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** The key of a scene, or null if it has none. */
export type KeyOf = (scene: MatchScene, slugline: string) => string | null;

/** One draft while it is being matched. */
export class Side {
  readonly scenes: readonly MatchScene[];
  readonly sluglines: readonly string[];
  /** The partner of each scene, by position; -1 for none. */
  readonly partners: number[];

  constructor(scenes: readonly MatchScene[]) {
    this.scenes = scenes;
    this.sluglines = scenes.map(sluglineKey);
    this.partners = scenes.map(() => -1);
  }

  isFree(at: number): boolean {
    return this.partners[at] === -1;
  }

  free(): number[] {
    return this.partners.flatMap((partner, at) => (partner === -1 ? at : []));
  }

  /** The free scenes by their key, in their order. */
  groups(keyOf: KeyOf): Map<string | null, number[]> {
    return Map.groupBy(this.free(), (at) => keyOf(this.scenes[at] as MatchScene, this.sluglines[at] as string)); // both lists have each position
  }

  /** The free scenes that alone have their key, by the key; a scene whose key is null or empty is left out. */
  byKey(keyOf: KeyOf): Map<string, number> {
    const found = new Map<string, number>();
    const twice = new Set<string>();
    for (const at of this.free()) {
      const key = keyOf(this.scenes[at] as MatchScene, this.sluglines[at] as string); // one for each scene
      if (key === null || key === "") continue;
      if (found.has(key)) twice.add(key);
      found.set(key, at);
    }
    for (const key of twice) found.delete(key);
    return found;
  }

  /** For each position the nearest paired one before it and after it; -1 for none. */
  neighbours(): [before: number[], after: number[]] {
    const nearest = (from: number, step: 1 | -1): number[] => {
      const found = this.partners.map(() => -1);
      for (let at = from + step; at >= 0 && at < found.length; at += step)
        found[at] = this.isFree(at - step) ? (found[at - step] as number) : at - step; // it was found in the step before
      return found;
    };
    return [nearest(0, 1), nearest(this.partners.length - 1, -1)];
  }
}
