// Pairs the scenes of two drafts: finds the scenes that are the same, whatever their numbers are now.
import { Likeness } from "./likeness.ts";

export interface MatchScene {
  number: string;
  slugline: string;
  omitted: boolean;
  /** The text to compare; null for a scene of which no draft is kept. */
  text: string | null;
}

export interface ScenePair {
  before: number;
  after: number;
  /** Which evidence paired them. */
  by: "text" | "likeness" | "number and slugline" | "slugline" | "number";
}

/** Two scenes that were not paired and are alike to a degree: perhaps one is the other, renumbered. */
export interface SceneHint {
  before: number;
  after: number;
  score: number;
}

export interface Matching {
  /** In the order of the later draft. Every scene is in one pair at most. */
  pairs: ScenePair[];
  /** The best first. */
  hints: SceneHint[];
}

/** The least likeness of two scenes of one number. */
const sameNumberLikeness = 0.25;
/** The least score of a pair whose numbers differ, and of a hint; a common slugline adds to the score. */
const pairScore = 0.5;
const hintScore = 0.3;
const sluglineBonus = 0.3;
/** What a common number adds when two pairs contend for one scene. */
const numberBonus = 0.15;

interface Candidate extends SceneHint {
  /** Whether the evidence is enough for a pair. */
  pairs: boolean;
  rank: number;
}

const numberKey = ({ number }: MatchScene): string => number.trim().toUpperCase();
const sluglineKey = ({ slugline }: MatchScene): string =>
  slugline
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** The key of a scene, or null if it has none. */
type KeyOf = (scene: MatchScene, slugline: string) => string | null;

/** One draft while it is being matched. */
class Side {
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
    return Map.groupBy(this.free(), (at) => keyOf(this.scenes[at] as MatchScene, this.sluglines[at] as string));
  }

  /** The free scenes that alone have their key, by the key; a scene whose key is null or empty is left out. */
  byKey(keyOf: KeyOf): Map<string, number> {
    const found = new Map<string, number>();
    const twice = new Set<string>();
    for (const at of this.free()) {
      const key = keyOf(this.scenes[at] as MatchScene, this.sluglines[at] as string);
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
        found[at] = this.isFree(at - step) ? (found[at - step] as number) : at - step;
      return found;
    };
    return [nearest(0, 1), nearest(this.partners.length - 1, -1)];
  }
}

class Matcher {
  readonly #before: Side;
  readonly #after: Side;
  readonly #by: ScenePair["by"][] = [];
  readonly #likeness: Likeness;

  constructor(before: readonly MatchScene[], after: readonly MatchScene[]) {
    this.#before = new Side(before);
    this.#after = new Side(after);
    this.#likeness = new Likeness(
      before.map(({ text }) => text),
      after.map(({ text }) => text),
    );
  }

  match(): Matching {
    this.#pairInOrder(({ number, text }, slugline) => (text === null ? null : `${number}\n${slugline}\n${text}`));
    this.#pairByKey("text", (scene) => scene.text && `${numberKey(scene)}\n${scene.text}`);
    this.#pairByKey("text", ({ text }) => text);
    const isUnnumbered = (scene: MatchScene) => numberKey(scene) === "";
    const content: KeyOf = ({ text }, slugline) => (text === null ? null : `${slugline}\n${text}`);
    this.#pairInOrder(content, (scene, slugline) => (isUnnumbered(scene) ? content(scene, slugline) : null));
    this.#byNumberWithoutText();
    const candidates = this.#byLikeness();
    this.#byNumberAndSlugline();
    this.#pairByKey(
      "slugline",
      ({ text, omitted }, slugline) => (text === null && !omitted ? slugline : null),
      ({ omitted }, slugline) => (omitted ? null : slugline),
    );
    this.#byNumberAlone();
    const pairs = this.#after.partners.flatMap((before, after): ScenePair[] =>
      before < 0 ? [] : [{ before, after, by: this.#by[after] as ScenePair["by"] }],
    );
    const open = candidates.filter(({ before, after }) => this.#areFree(before, after));
    return { pairs, hints: open.map(({ before, after, score }) => ({ before, after, score })) };
  }

  #areFree(before: number, after: number): boolean {
    return this.#before.isFree(before) && this.#after.isFree(after);
  }

  #pair(before: number, after: number, by: ScenePair["by"]): void {
    this.#before.partners[before] = after;
    this.#after.partners[after] = before;
    this.#by[after] = by;
  }

  #pairByKey(by: ScenePair["by"], keyOf: KeyOf, keyOfAfter = keyOf): void {
    for (const [before, after] of this.#sameKeys(keyOf, keyOfAfter)) this.#pair(before, after, by);
  }

  /** Pairs free scenes of one key in their order, where both drafts have as many of it: scenes that are the same in everything. */
  #pairInOrder(keyOf: KeyOf, keyOfAfter = keyOf): void {
    const after = this.#after.groups(keyOfAfter);
    for (const [key, scenes] of this.#before.groups(keyOf)) {
      const others = after.get(key) ?? [];
      if (key === null || scenes.length !== others.length) continue;
      for (const [at, before] of scenes.entries()) this.#pair(before, others[at] as number, "text");
    }
  }

  /** The free scenes that have the same key, where no other free scene of their draft has it. */
  #sameKeys(keyOf: KeyOf, keyOfAfter = keyOf): [before: number, after: number][] {
    const after = this.#after.byKey(keyOfAfter);
    return [...this.#before.byKey(keyOf)].flatMap(([key, before]) => {
      const found = after.get(key);
      return found === undefined ? [] : [[before, found] as [number, number]];
    });
  }

  #haveSameSlugline(before: number, after: number): boolean {
    return this.#before.sluglines[before] === this.#after.sluglines[after];
  }

  #byNumberWithoutText(): void {
    // First as it is written: a script may have both 1A and 1a.
    for (const keyOf of [({ number }: MatchScene) => number || null, numberKey])
      for (const [before, after] of this.#sameKeys(keyOf)) {
        const isComparable = this.#before.scenes[before]?.text !== null && this.#after.scenes[after]?.text !== null;
        if (!isComparable && this.#haveSameSlugline(before, after)) this.#pair(before, after, "number and slugline");
      }
  }

  /** Pairs the most alike first. Answers what is alike enough for a hint. */
  #byLikeness(): Candidate[] {
    const found: Candidate[] = [];
    const sameNumbers = new Map(this.#sameKeys(numberKey));
    const candidatesOf = this.#likeness.candidates(this.#after.free());
    for (const before of this.#before.free()) {
      const sameNumber = sameNumbers.get(before);
      const others = new Set(candidatesOf(before));
      if (sameNumber !== undefined) others.add(sameNumber);
      for (const after of others) {
        const likeness = this.#likeness.of(before, after);
        const score = likeness + (this.#haveSameSlugline(before, after) ? sluglineBonus : 0);
        const hasNumber = after === sameNumber && likeness >= sameNumberLikeness;
        const rank = score + (hasNumber ? numberBonus : 0);
        if (likeness > 0) found.push({ before, after, score, pairs: hasNumber || score >= pairScore, rank });
      }
    }
    // The order is total, so that the same drafts always give the same pairs.
    const distance = ({ before, after }: Candidate) => Math.abs(before - after);
    found.sort((a, b) => b.rank - a.rank || distance(a) - distance(b) || a.before - b.before || a.after - b.after);
    for (const { before, after, pairs } of found)
      if (pairs && this.#areFree(before, after)) this.#pair(before, after, "likeness");
    return found.filter(({ score }) => score >= hintScore);
  }

  /** Says of two scenes whether the nearest paired scenes before them, and those after them, are each other's partners. */
  #neighbourhood(): (before: number, after: number) => [boolean, boolean] {
    const [ofBefore, ofAfter] = [this.#before.neighbours(), this.#after.neighbours()];
    const partners = [...this.#before.partners];
    const agree = (one: number, other: number) => (one < 0 || other < 0 ? one === other : partners[one] === other);
    return (before, after) => [
      agree(ofBefore[0][before] as number, ofAfter[0][after] as number),
      agree(ofBefore[1][before] as number, ofAfter[1][after] as number),
    ];
  }

  /**
   * The same number and slugline without any likeness. Where scenes in one set follow each other, a number that moved
   * on by one finds its slugline at the wrong scene: then the scenes around speak against it.
   */
  #byNumberAndSlugline(): void {
    const agrees = this.#neighbourhood();
    for (const [before, after] of this.#sameKeys(numberKey))
      if (this.#haveSameSlugline(before, after) && agrees(before, after).includes(true))
        this.#pair(before, after, "number and slugline");
  }

  /** The number alone, where the scenes before and after agree; an omitted card has nothing but its number. */
  #byNumberAlone(): void {
    const agrees = this.#neighbourhood();
    for (const [before, after] of this.#sameKeys(numberKey)) {
      const isCard = this.#before.scenes[before]?.omitted === true || this.#after.scenes[after]?.omitted === true;
      if (isCard || !agrees(before, after).includes(false)) this.#pair(before, after, "number");
    }
  }
}

/**
 * Pairs the scenes of two drafts, one to one: what is the same in number, slugline and text, then by the same text, under one number or where it stands once on both sides;
 * then the most alike first, where the number is the same and the likeness at least 0.25, or likeness and 0.3 for the
 * same slugline make at least 0.5; then by the same number and slugline, unless the scenes around speak against it; for
 * scenes without a text by the slugline; by the number alone between scenes that are paired with each other. A score
 * from 0.3 that makes no pair is a hint. The same drafts give the same pairs. Time is linear where texts are unchanged;
 * elsewhere the index of `Likeness` bounds it.
 */
export const matchDrafts = (before: readonly MatchScene[], after: readonly MatchScene[]): Matching =>
  new Matcher(before, after).match();
