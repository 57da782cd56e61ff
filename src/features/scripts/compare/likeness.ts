// Measures how similar the texts of two drafts are, and finds the scenes of one that are worth comparing with a scene
// of the other.

/** The words of a text and the pairs of words that follow each other, counted, by numbers that both drafts share. */
interface Shingles {
  counts: ReadonlyMap<number, number>;
  total: number;
}

/**
 * What a pair of words counts beside a word. Scenes of one script share a seventh of their words by chance and hardly a
 * pair: at this weight two scenes that have nothing to do with each other come to 0.1 as a rule and to less than 0.2
 * nearly always.
 */
const pairWeight = 2;
/** Which part of a text is most of it, and the least text of which that is said: four words. */
const mostOfIt = 0.6;
const leastContained = 4 + 3 * pairWeight;
/** A shingle in more scenes than this says nothing about which scene it is. */
const maxSpread = 24;
/** How many scenes one scene is compared with closely. */
const maxCandidates = 12;

export class Likeness {
  readonly #ids = new Map<string, number>();
  /** Of the scenes of each draft, the earlier one first; counted when they are first compared. */
  readonly #counted: readonly [before: Shingles[], after: Shingles[]] = [[], []];
  readonly #texts: readonly [before: readonly (string | null)[], after: readonly (string | null)[]];

  constructor(before: readonly (string | null)[], after: readonly (string | null)[]) {
    this.#texts = [before, after];
  }

  /**
   * From 0, nothing in common, to 1: the greater of twice what the texts share by what both have (Dice), and of the
   * part of the shorter text that is in the longer one, if it is most of it: so a scene is like each part of its split,
   * and like what it was merged into. 0 if either has no text. Takes time in proportion to the shorter text.
   */
  of(before: number, after: number): number {
    const [one, other] = [this.#shingles(0, before), this.#shingles(1, after)];
    const total = one.total + other.total;
    const [small, large] = one.counts.size <= other.counts.size ? [one, other] : [other, one];
    let shared = 0;
    for (const [id, count] of small.counts) shared += Math.min(count, large.counts.get(id) ?? 0);
    if (total === 0) return 0;
    const least = Math.min(one.total, other.total);
    const contained = least < leastContained ? 0 : shared / least;
    return Math.max((2 * shared) / total, contained < mostOfIt ? 0 : contained);
  }

  /**
   * A function that names the scenes of the later draft, among those at `after`, that share the most telling shingles
   * with a scene of the earlier one: 12 at most, each found through shingles that stand in 24 of them at most.
   */
  candidates(after: Iterable<number>): (before: number) => number[] {
    const index = new Map<number, number[]>();
    for (const at of after)
      for (const id of this.#shingles(1, at).counts.keys()) {
        const scenes = index.get(id);
        if (scenes === undefined) index.set(id, [at]);
        else if (scenes.length <= maxSpread) scenes.push(at);
      }
    return (before) => {
      const weights = new Map<number, number>();
      for (const id of this.#shingles(0, before).counts.keys()) {
        const scenes = index.get(id) ?? [];
        if (scenes.length <= maxSpread)
          for (const at of scenes) weights.set(at, (weights.get(at) ?? 0) + 1 / scenes.length);
      }
      const best = [...weights].sort(([a, one], [b, other]) => other - one || a - b);
      return best.slice(0, maxCandidates).map(([at]) => at);
    };
  }

  #shingles(draft: 0 | 1, at: number): Shingles {
    const counted = this.#counted[draft];
    counted[at] ??= this.#count(this.#texts[draft][at] ?? "");
    return counted[at];
  }

  #count(text: string): Shingles {
    const counts = new Map<number, number>();
    let before = "";
    let total = 0;
    const add = (shingle: string, weight: number) => {
      const id = this.#ids.get(shingle) ?? this.#ids.size;
      this.#ids.set(shingle, id);
      counts.set(id, (counts.get(id) ?? 0) + weight);
      total += weight;
    };
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu)) {
      add(word, 1);
      add(`${before} ${word}`, pairWeight);
      before = word;
    }
    return { counts, total };
  }
}
