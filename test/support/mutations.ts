// Invents drafts to test the matching: a script whose word frequencies are those of prose, and a later draft with all
// the changes that happen to scripts. Each scene keeps its identity.
import type { MatchScene } from "../../src/features/scripts/compare/matching.ts";
import { randomOf } from "./random.ts";

/** A scene with its true identity. */
export interface KnownScene extends MatchScene {
  identity: number;
  text: string;
}

const vocabulary = 4000;
const wordOf = (rank: number): string => {
  let word = "";
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / 20)) word += "bdfgklmnprstvzaeioux"[rest % 20];
  return word;
};

export class Draftsman {
  readonly #random: () => number;
  #identity = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  integer(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.integer(from.length)] as T;
  }

  /** A word by Zipf's law; a third of a scene's words come from its own small vocabulary. */
  #word(stock: readonly string[]): string {
    if (stock.length > 0 && this.chance(0.33)) return this.#pick(stock);
    return wordOf(Math.floor(vocabulary ** this.#random()));
  }

  #slugline(): string {
    const set = Math.floor(36 * this.#random() ** 1.6);
    return `${set % 3 === 0 ? "EXT" : "INT"}. SET ${wordOf(set).toUpperCase()} - ${this.#pick(["DAY", "DAY", "NIGHT", "NIGHT", "DAWN"])}`;
  }

  /** A scene of its own. */
  scene(): KnownScene {
    return this.#scene(this.#slugline());
  }

  #scene(slugline: string): KnownScene {
    const stock = Array.from({ length: 12 }, () => wordOf(this.integer(vocabulary)));
    const short = this.chance(0.12);
    const length = short ? 3 + this.integer(6) : 12 + Math.floor(220 * this.#random() ** 2);
    const text = Array.from({ length }, () => this.#word(stock)).join(" ");
    return { identity: this.#identity++, number: "", slugline, omitted: false, text };
  }

  /** A script of `count` scenes, numbered from 1; consecutive scenes often share a set. */
  script(count: number): KnownScene[] {
    const scenes: KnownScene[] = [];
    while (scenes.length < count) {
      const stays = scenes.length > 0 && this.chance(0.3);
      scenes.push(this.#scene(stays ? (scenes.at(-1) as KnownScene).slugline : this.#slugline()));
    }
    return renumbered(scenes, 0);
  }

  #reworded(text: string, part: number): string {
    const words = text.split(" ").flatMap((word) => {
      if (!this.chance(part)) return word;
      const kind = this.integer(3);
      return kind === 0 ? [] : kind === 1 ? this.#word([]) : [word, this.#word([])];
    });
    return words.join(" ") || this.#word([]);
  }

  /**
   * A later draft: scenes reworded, moved, split, omitted and added; locked numbers stay, others are assigned again.
   */
  revise(before: readonly KnownScene[]): KnownScene[] {
    const locked = this.chance(0.5);
    let scenes = before.map((scene) => ({ ...scene }));
    for (const scene of scenes) {
      if (this.chance(0.35)) scene.text = this.#reworded(scene.text, 0.05 + 0.6 * this.#random());
      if (this.chance(0.06)) scene.slugline = this.#slugline();
    }
    scenes = this.#split(this.#shuffleSome(scenes), 3);
    scenes = this.#omit(scenes, 5, locked);
    return locked ? scenes : renumbered(scenes, this.chance(0.6) ? 0 : this.integer(scenes.length));
  }

  /** Moves four scenes and adds six new ones, each with the previous number and a letter. */
  #shuffleSome(scenes: KnownScene[]): KnownScene[] {
    for (let move = 0; move < 4; move++) {
      const [scene] = scenes.splice(this.integer(scenes.length), 1) as [KnownScene];
      insert(scenes, this.integer(scenes.length) + 1, scene);
    }
    for (let count = 0; count < 6; count++) {
      const at = this.integer(scenes.length) + 1;
      insert(scenes, at, this.#scene(this.chance(0.4) ? (scenes[at - 1] as KnownScene).slugline : this.#slugline()));
    }
    return scenes;
  }

  /** Splits scenes in two; the longer part keeps the identity. */
  #split(scenes: KnownScene[], count: number): KnownScene[] {
    for (let done = 0; done < count; done++) {
      const at = this.integer(scenes.length);
      const scene = scenes[at] as KnownScene;
      const words = scene.text.split(" ");
      const cut = Math.floor(words.length * (0.55 + 0.35 * this.#random()));
      if (words.length < 12) continue;
      scene.text = words.slice(0, cut).join(" ");
      insert(scenes, at + 1, { ...scene, identity: this.#identity++, text: words.slice(cut).join(" ") });
    }
    return scenes;
  }

  /** With locked numbers some omitted scenes leave a card. */
  #omit(scenes: KnownScene[], count: number, locked: boolean): KnownScene[] {
    for (let done = 0; done < count; done++) {
      const at = this.integer(scenes.length);
      const scene = scenes[at] as KnownScene;
      if (locked && this.chance(0.5)) scenes[at] = { ...scene, slugline: "OMITTED", omitted: true, text: "" };
      else scenes.splice(at, 1);
    }
    return scenes;
  }
}

/** Inserts `scene` at a place with a new number. */
function insert(scenes: KnownScene[], at: number, scene: KnownScene): void {
  const taken = new Set(scenes.map(({ number }) => number));
  const stem = /^\d*/.exec(scenes[at - 1]?.number ?? "")?.[0] ?? "";
  let letter = 65;
  while (taken.has(stem + String.fromCharCode(letter))) letter++;
  scenes.splice(at, 0, { ...scene, number: stem + String.fromCharCode(letter) });
}

function renumbered(scenes: readonly KnownScene[], from: number): KnownScene[] {
  const start = Number.parseInt(scenes[from - 1]?.number ?? "0", 10);
  return scenes.map((scene, at) => (at < from ? scene : { ...scene, number: String(start + 1 + at - from) }));
}
