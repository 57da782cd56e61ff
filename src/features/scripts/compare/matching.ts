// Pairs the scenes of two drafts: finds the scenes that are the same, whatever their numbers are now.
import { nearestAround } from "../../sequences/sequences.ts";
import { Likeness } from "./likeness.ts";

export interface MatchScene {
  number: string;
  slugline: string;
  omitted: boolean;
  /** The text to compare; null for a scene of which no draft is kept. */
  text: string | null;
  /** Whether it is the card of an omitted scene, with a number that the file gives. */
  isSlot?: boolean;
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

/** The least likeness of two scenes of one number, and of a part of a scene. */
const [sameNumberLikeness, partLikeness] = [0.25, 0.6];
/** The least score of a pair whose numbers differ, and of a hint; a common slugline adds to the score. */
const [pairScore, hintScore, sluglineBonus] = [0.5, 0.3, 0.3];
/** What a common number adds when two pairs contend for one scene. */
const numberBonus = 0.15;

/** The key of a scene, or null if it has none. */
type KeyOf = (scene: MatchScene, slugline: string) => string | null;

const numberKey = ({ number }: MatchScene): string => number.trim().toUpperCase();
const sluglineKey = ({ slugline }: MatchScene): string =>
  slugline
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
const contentKey: KeyOf = ({ text }, slugline) => (text === null ? null : `${slugline}\n${text}`);

/** One draft while it is being matched: its scenes, each with its partner in the other one. */
class Side {
  readonly scenes: readonly MatchScene[];
  readonly sluglines: readonly string[];
  readonly partners: (number | undefined)[];

  constructor(scenes: readonly MatchScene[]) {
    this.scenes = scenes;
    this.sluglines = scenes.map(sluglineKey);
    this.partners = scenes.map(() => undefined);
  }

  isFree(at: number): boolean {
    return this.partners[at] === undefined;
  }

  free(): number[] {
    return [...this.scenes.keys()].filter((at) => this.isFree(at));
  }

  /** The free scenes by their key, in their order. */
  groups(keyOf: KeyOf): Map<string | null, number[]> {
    // both lists have each position
    return Map.groupBy(this.free(), (at) => keyOf(this.scenes[at] as MatchScene, this.sluglines[at] as string));
  }
}

interface Pairing {
  /** The key of the scenes of the later draft, if it is another one. */
  after?: KeyOf;
  /** Whether scenes of one key are paired in their order, where both drafts have as many of it. */
  many?: boolean;
  /** What else must hold. */
  where?(before: number, after: number): boolean;
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
    this.#byText();
    this.#byCard();
    // First as it is written: a script may have both 1A and 1a.
    for (const keyOf of [({ number }: MatchScene) => number, numberKey])
      this.#pairSame("number and slugline", keyOf, {
        where: (before, after) =>
          this.#haveSameSlugline(before, after) && this.#scenes(before, after).some(({ text }) => text === null),
      });
    const candidates = this.#byLikeness();
    this.#preferFirst();
    // Where scenes in one set follow each other, a number that moved on by one finds its slugline at the wrong scene.
    const agree = this.#neighbourhood();
    this.#pairSame("number and slugline", numberKey, {
      where: (before, after) => this.#haveSameSlugline(before, after) && agree(before, after).includes(true),
    });
    this.#pairSame("slugline", ({ text, omitted }, slugline) => (text === null && !omitted ? slugline : null), {
      after: ({ omitted }, slugline) => (omitted ? null : slugline),
    });
    const areNext = this.#neighbourhood();
    // An omitted card has nothing but its number.
    this.#pairSame("number", numberKey, {
      where: (before, after) =>
        this.#scenes(before, after).some(({ omitted }) => omitted) || !areNext(before, after).includes(false),
    });
    const pairs = this.#after.partners.flatMap((before, after): ScenePair[] =>
      // #by has an entry for each pair
      before === undefined ? [] : [{ before, after, by: this.#by[after] as ScenePair["by"] }],
    );
    const open = candidates.filter((one) => this.#areFree(one));
    return { pairs, hints: open.map(({ before, after, score }) => ({ before, after, score })) };
  }

  #areFree({ before, after }: SceneHint): boolean {
    return this.#before.isFree(before) && this.#after.isFree(after);
  }

  #scenes(before: number, after: number): [MatchScene, MatchScene] {
    // positions of both drafts
    return [this.#before.scenes[before] as MatchScene, this.#after.scenes[after] as MatchScene];
  }

  #haveSameSlugline(before: number, after: number): boolean {
    return this.#before.sluglines[before] === this.#after.sluglines[after];
  }

  #haveSameNumber(before: number, after: number): boolean {
    const [one, other] = this.#scenes(before, after).map(numberKey);
    return one !== "" && one === other;
  }

  #pair(before: number, after: number, by: ScenePair["by"]): void {
    this.#before.partners[before] = after;
    this.#after.partners[after] = before;
    this.#by[after] = by;
  }

  /** The free scenes that have the same key: one of each draft, or as many. */
  #same(keyOf: KeyOf, { after = keyOf, many = false }: Pairing = {}): [before: number, after: number][] {
    const groups = this.#after.groups(after);
    return [...this.#before.groups(keyOf)].flatMap(([key, scenes]): [number, number][] => {
      const others = groups.get(key) ?? [];
      if (key === null || key === "" || scenes.length !== others.length || (scenes.length > 1 && !many)) return [];
      return scenes.map((before, at) => [before, others[at] as number]); // both lists are as long
    });
  }

  #pairSame(by: ScenePair["by"], keyOf: KeyOf, pairing: Pairing = {}): void {
    const { where = () => true } = pairing;
    for (const [before, after] of this.#same(keyOf, pairing)) if (where(before, after)) this.#pair(before, after, by);
  }

  /**
   * What is the same in number, slugline and text; the same number and text; the number that a script keeps; the text.
   */
  #byText(): void {
    const isUnnumbered = (scene: MatchScene) => numberKey(scene) === "";
    this.#pairSame(
      "text",
      (scene, slugline) => (scene.text === null ? null : `${scene.number}\n${slugline}\n${scene.text}`),
      {
        many: true,
      },
    );
    this.#pairSame("text", (scene) => scene.text && `${numberKey(scene)}\n${scene.text}`);
    this.#byLockedNumber();
    this.#pairSame("text", ({ text }) => text);
    this.#pairSame("text", contentKey, {
      after: (scene, slugline) => (isUnnumbered(scene) ? contentKey(scene, slugline) : null),
      many: true,
    });
  }

  /**
   * Whether the nearest scenes on both sides of each scene of the earlier draft, of those whose text is unchanged, keep
   * their numbers.
   */
  #numbersAround(): (boolean | undefined)[][] {
    const known = new Set(this.#before.scenes.map(numberKey));
    const texts = new Map(this.#same(({ text }) => text));
    const kept = this.#before.scenes.map((scene, at): boolean | undefined => {
      const partner = this.#before.partners[at] ?? texts.get(at);
      // a position of the draft
      const number = partner === undefined ? undefined : numberKey(this.#after.scenes[partner] as MatchScene);
      if (number === numberKey(scene)) return true;
      return number !== undefined && known.has(number) ? false : undefined; // a new number is that of a part
    });
    return nearestAround(kept);
  }

  /**
   * Pairs scenes of one number where the script keeps its numbers, if the slugline is the same too, or the texts are
   * alike. So a scene that was split keeps its identity where its number is, though most of its text is elsewhere.
   */
  #byLockedNumber(): void {
    // Without such a scene, a number with a letter says that numbers are kept: a script that is numbered again has
    // none.
    const hasLetters = this.#after.scenes.some(({ number }) => /\d[A-Z]|[A-Z]\d/i.test(number));
    const isLocked = this.#numbersAround().map(
      (around) => !around.includes(false) && (around.includes(true) || hasLetters),
    );
    const areLocked = (before: number, after: number) =>
      isLocked[before] === true && this.#scenes(before, after).every(({ text, omitted }) => text !== null && !omitted);
    this.#pairSame("number and slugline", numberKey, {
      where: (before, after) => areLocked(before, after) && this.#haveSameSlugline(before, after),
    });
    this.#pairSame("likeness", numberKey, {
      where: (before, after) => areLocked(before, after) && this.#likeness.of(before, after) >= sameNumberLikeness,
    });
  }

  /**
   * A numbered card is the omission of the scene of its number, whatever is like that scene, unless the script is
   * numbered again; and where the script keeps its numbers, the scene of the number of a card is the one that was
   * omitted.
   */
  #byCard(): void {
    const around = this.#numbersAround();
    this.#pairSame("number", numberKey, {
      after: (scene) => (scene.isSlot ? numberKey(scene) : null),
      where: (before) => !around[before]?.includes(false),
    });
    this.#pairSame("number", (scene) => (scene.omitted && scene.text === "" ? numberKey(scene) : null), {
      after: numberKey,
      where: (before) => around[before]?.includes(true) === true && !around[before].includes(false),
    });
  }

  /** Pairs the most alike first. Returns what is alike enough for a hint. */
  #byLikeness(): SceneHint[] {
    const found: (SceneHint & { pairs: boolean; rank: number })[] = [];
    const sameNumbers = new Map(this.#same(numberKey));
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
    const distance = ({ before, after }: SceneHint) => Math.abs(before - after);
    found.sort((a, b) => b.rank - a.rank || distance(a) - distance(b) || a.before - b.before || a.after - b.after);
    for (const one of found) if (one.pairs && this.#areFree(one)) this.#pair(one.before, one.after, "likeness");
    return found.filter(({ score }) => score >= hintScore);
  }

  /**
   * Of the parts of a scene that was split the first keeps it, and of scenes that became one the first, if its slugline
   * is the same.
   */
  #preferFirst(): void {
    for (const [after, before] of this.#after.partners.entries()) {
      if (before === undefined || this.#by[after] !== "likeness" || this.#haveSameNumber(before, after)) continue;
      const isPart = (one: number, other: number) =>
        this.#haveSameSlugline(one, other) && this.#likeness.of(one, other) >= partLikeness;
      if (after > 0 && this.#after.isFree(after - 1) && isPart(before, after - 1)) {
        this.#after.partners[after] = undefined;
        this.#pair(before, after - 1, "likeness");
      } else if (before > 0 && this.#before.isFree(before - 1) && isPart(before - 1, after)) {
        this.#before.partners[before] = undefined;
        this.#pair(before - 1, after, "likeness");
      }
    }
  }

  /**
   * Says of two scenes whether the nearest paired scenes before them, and those after them, are each other's partners.
   */
  #neighbourhood(): (before: number, after: number) => boolean[] {
    const ofBefore = nearestAround(this.#before.partners);
    const ofAfter = nearestAround(this.#after.partners.map((partner, at) => (partner === undefined ? undefined : at)));
    return (before, after) => [0, 1].map((side) => ofBefore[before]?.[side] === ofAfter[after]?.[side]);
  }
}

/**
 * Pairs the scenes of two drafts, one to one. The same drafts give the same pairs. Time is linear where texts are
 * unchanged; elsewhere the index of `Likeness` bounds it.
 */
export const matchDrafts = (before: readonly MatchScene[], after: readonly MatchScene[]): Matching =>
  new Matcher(before, after).match();
