// Pairs the scenes of two drafts: finds the scenes that are the same, whatever their numbers are now.
import { Likeness } from "./likeness.ts";
import { type KeyOf, type MatchScene, numberKey, Side } from "./match_side.ts";

export type { MatchScene };

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
/** The least likeness of a part. */
const partLikeness = 0.6;
/** What a common number adds when two pairs contend for one scene. */
const numberBonus = 0.15;

interface Candidate extends SceneHint {
  /** Whether the evidence is enough for a pair. */
  pairs: boolean;
  rank: number;
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
    this.#byLockedNumber();
    this.#pairByKey("text", ({ text }) => text);
    const isUnnumbered = (scene: MatchScene) => numberKey(scene) === "";
    const content: KeyOf = ({ text }, slugline) => (text === null ? null : `${slugline}\n${text}`);
    this.#pairInOrder(content, (scene, slugline) => (isUnnumbered(scene) ? content(scene, slugline) : null));
    this.#bySlot();
    this.#byNumberWithoutText();
    const candidates = this.#byLikeness();
    this.#preferFirst();
    this.#byNumberAndSlugline();
    this.#pairByKey(
      "slugline",
      ({ text, omitted }, slugline) => (text === null && !omitted ? slugline : null),
      ({ omitted }, slugline) => (omitted ? null : slugline),
    );
    this.#byNumberAlone();
    const pairs = this.#after.partners.flatMap(
      (before, after): ScenePair[] => (before < 0 ? [] : [{ before, after, by: this.#by[after] as ScenePair["by"] }]), // #by has an entry for each pair
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
      for (const [at, before] of scenes.entries()) this.#pair(before, others[at] as number, "text"); // both lists are as long
    }
  }

  /** The free scenes that have the same key, where no other free scene of their draft has it. */
  #sameKeys(keyOf: KeyOf, keyOfAfter = keyOf): [before: number, after: number][] {
    const after = this.#after.byKey(keyOfAfter);
    return [...this.#before.byKey(keyOf)].flatMap(([key, before]): [before: number, after: number][] => {
      const found = after.get(key);
      return found === undefined ? [] : [[before, found]];
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

  /** Whether the nearest scenes on both sides of each scene of the earlier draft, of those whose text is unchanged, keep their numbers. */
  #numbersAround(): (boolean | undefined)[][] {
    const [before, after] = [this.#before.scenes, this.#after.scenes];
    const known = new Set(before.map(numberKey));
    const texts = new Map(this.#sameKeys(({ text }) => text));
    const kept = before.map((scene, at): boolean | undefined => {
      const partner = this.#before.isFree(at) ? texts.get(at) : this.#before.partners[at];
      const number = partner === undefined ? undefined : numberKey(after[partner] as MatchScene); // a position of the draft
      if (number === numberKey(scene)) return true;
      return number !== undefined && known.has(number) ? false : undefined; // a new number is that of a part
    });
    const nearest = (all: typeof kept): typeof kept => {
      let last: boolean | undefined;
      return all.map((one) => {
        const found = last;
        last = one ?? last;
        return found;
      });
    };
    const [left, right] = [nearest(kept), nearest(kept.toReversed()).reverse()];
    return before.map((_, at) => [left[at], right[at]]);
  }

  /**
   * Pairs scenes of one number where the script keeps its numbers, if the slugline is the same too, or the texts are alike. So a scene that was
   * split keeps its identity where its number is, though most of its text is elsewhere.
   */
  #byLockedNumber(): void {
    // Without such a scene, a number with a letter says that numbers are kept: a script that is numbered again has none.
    const hasLetters = this.#after.scenes.some(({ number }) => /\d[A-Z]|[A-Z]\d/i.test(number));
    const isLocked = this.#numbersAround().map(
      (around) => !around.includes(false) && (around.includes(true) || hasLetters),
    );
    const isText = ({ text, omitted }: MatchScene) => text !== null && !omitted;
    for (const [before, after] of this.#sameKeys(numberKey)) {
      const both = [this.#before.scenes[before], this.#after.scenes[after]] as [MatchScene, MatchScene]; // positions of both drafts
      if (!isLocked[before] || !both.every(isText)) continue;
      if (this.#haveSameSlugline(before, after)) this.#pair(before, after, "number and slugline");
      else if (this.#likeness.of(before, after) >= sameNumberLikeness) this.#pair(before, after, "likeness");
    }
  }

  /**
   * A numbered card is the omission of the scene of its number, whatever is like that scene, unless the script is numbered again; and where the
   * script keeps its numbers, the scene of the number of a card is the one that was omitted.
   */
  #bySlot(): void {
    const around = this.#numbersAround();
    for (const [before, after] of this.#sameKeys(numberKey, (scene) => (scene.isSlot ? numberKey(scene) : null)))
      if (!around[before]?.includes(false)) this.#pair(before, after, "number");
    const ofCard: KeyOf = (scene) => (scene.omitted && scene.text === "" ? numberKey(scene) : null);
    for (const [before, after] of this.#sameKeys(ofCard, numberKey))
      if (around[before]?.includes(true) && !around[before]?.includes(false)) this.#pair(before, after, "number");
  }

  /** Of the parts of a scene that was split the first keeps it, and of scenes that became one the first, if its slugline is the same. */
  #preferFirst(): void {
    for (const [after, before] of this.#after.partners.entries()) {
      if (before < 0 || this.#by[after] !== "likeness" || this.#haveSameNumber(before, after)) continue;
      const isPart = (one: number, other: number) =>
        this.#haveSameSlugline(one, other) && this.#likeness.of(one, other) >= partLikeness;
      if (after > 0 && this.#after.isFree(after - 1) && isPart(before, after - 1)) {
        this.#after.partners[after] = -1;
        this.#pair(before, after - 1, "likeness");
      } else if (before > 0 && this.#before.isFree(before - 1) && isPart(before - 1, after)) {
        this.#before.partners[before] = -1;
        this.#pair(before - 1, after, "likeness");
      }
    }
  }

  #haveSameNumber(before: number, after: number): boolean {
    const number = numberKey(this.#after.scenes[after] as MatchScene); // a position of the draft
    return number !== "" && numberKey(this.#before.scenes[before] as MatchScene) === number; // a position of the draft before
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
      agree(ofBefore[0][before] as number, ofAfter[0][after] as number), // there is one for each position
      agree(ofBefore[1][before] as number, ofAfter[1][after] as number), // there is one for each position
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
 * Pairs the scenes of two drafts, one to one: what is the same in number, slugline and text; where the script keeps its numbers, the same number
 * with the same slugline or a similar text; the same text, where it stands once on both sides; a numbered card and the scene of its number; then
 * the most alike first, where the number is the same and the likeness at least 0.25, or likeness and 0.3 for the same slugline make at least 0.5;
 * then the same number and slugline, unless the scenes around speak against it; scenes without a text by the slugline; and by the number alone
 * between scenes that are paired with each other. A score from 0.3 that makes no pair is a hint. The same drafts give the same pairs. Time is
 * linear where texts are unchanged; elsewhere the index of `Likeness` bounds it.
 */
export const matchDrafts = (before: readonly MatchScene[], after: readonly MatchScene[]): Matching =>
  new Matcher(before, after).match();
