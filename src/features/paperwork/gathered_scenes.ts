// Collects the entries of a file about scenes: texts, lists of names, lengths, and the assets that they need.
import { firstOf } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";
import { formatEighths } from "../names/page_lengths.ts";
import { warnOfNumbers } from "./cast_numbers.ts";
import type { Findings } from "./findings.ts";
import {
  assetsOfScenesIn,
  castKey,
  elementsOfScenesIn,
  foldedIn,
  namesIn,
  referenceIn,
  spellingIn,
  thingsIn,
} from "./known_names.ts";
import type { PartialScene, ReadOptions } from "./partial.ts";
import { type SceneMention, sceneKey } from "./scenes.ts";

interface GatheredScene {
  /** Of each key what was said first. `slugline` and `synopsis` are fields of the scene, all others elements. */
  texts: Map<string, string>;
  /** The names of each list, in the spelling of the scene's own list if it has one. */
  lists: Map<string, Set<string>>;
  /** References of assets, with those that the scene has already. */
  assets: Set<string>;
  /** In eighths; null if what has a length is not the scene alone, or the scene has several. */
  length: number | null | undefined;
  /** Whether a strip of a part of it has a length, which its day keeps. */
  hasPartLength: boolean;
}

/** The fields of a strip or a sheet that apply to each of its scenes. */
export interface SceneEntry {
  texts?: Readonly<Record<string, string | undefined>>;
  lists?: Iterable<readonly [key: string, names: readonly string[]]>;
}

/** Names in the order of a list that has the same names: a file that says nothing new changes nothing. */
const inOrderOf = (current: readonly string[], names: ReadonlySet<string>): readonly string[] =>
  current.length === names.size && current.every((name) => names.has(name)) ? current : [...names];

interface GivenCast {
  cast: readonly string[];
  left: ReadonlySet<string>;
}

const digitsOf = (name: string): string => name.replace(/\D/g, "");

/** Whether a name may be a known one, misspelt: one letter is wrong, or two of a long name. COP 2 is not COP 1. */
const isMisspelt = (name: string, known: { candidate: string; distance: number }): boolean =>
  known.distance <= (name.length < 8 ? 1 : 2) && digitsOf(name) === digitsOf(known.candidate);

/** One list for all scenes without names, so that one index is made of it. */
const none: readonly string[] = [];

export class GatheredScenes {
  readonly #scenes = new Map<string, GatheredScene>();
  readonly #options: ReadOptions;
  readonly #linked: ReadonlyMap<string, readonly string[]>;
  readonly #characters: ReadonlyMap<string, string>;
  /** Cast numbers that no character has. */
  readonly #unknown = new Set<string>();
  #people: readonly string[] | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#linked = assetsOfScenesIn(options.known.items("scenes"));
    this.#characters = thingsIn(options.known.items("assets")).byCastNumber;
  }

  /** The names that the scene's own list of a key has now; none if its elements have no such list. */
  #currentNames(reference: string, key: string): readonly string[] {
    const current = elementsOfScenesIn(this.#options.known.items("scenes")).get(reference)?.[key];
    return Array.isArray(current) && current.every((name) => typeof name === "string") ? current : none;
  }

  /** The fields of a scene so far. */
  sceneOf(reference: string): GatheredScene {
    const found = this.#scenes.get(reference);
    if (found !== undefined) return found;
    const assets = new Set(this.#linked.get(reference));
    const scene: GatheredScene = {
      texts: new Map(),
      lists: new Map(),
      assets,
      length: undefined,
      hasPartLength: false,
    };
    this.#scenes.set(reference, scene);
    return scene;
  }

  add(reference: string, { texts = {}, lists = [] }: SceneEntry): void {
    const scene = this.sceneOf(reference);
    for (const [key, text] of Object.entries(texts))
      if (text !== undefined && text !== "" && !scene.texts.has(key)) scene.texts.set(key, text);
    for (const [key, names] of lists) {
      const list = scene.lists.get(key) ?? new Set();
      scene.lists.set(key, list);
      const current = this.#currentNames(reference, key);
      for (const name of names) if (name !== "") list.add(spellingIn(current, name) ?? name);
    }
  }

  /** The names of everybody whom the production knows: its characters, and the cast of its scenes. */
  get #everybody(): readonly string[] {
    this.#people ??= [
      ...[...thingsIn(this.#options.known.items("assets")).byReference.values()].flatMap(({ kind, label }) =>
        kind === "character" ? [label] : [],
      ),
      ...[...elementsOfScenesIn(this.#options.known.items("scenes")).values()].flatMap(({ cast }) =>
        Array.isArray(cast) ? cast.filter((name) => typeof name === "string") : [],
      ),
    ];
    return this.#people;
  }

  /**
   * The cast that a row or a sheet gives to a scene, and the names that are left out of it. `say` warns of each name
   * that nobody has. One that may be a known name, misspelt, is left out, and the names that the scene has stay beside
   * the others.
   */
  castOf(reference: string, names: readonly string[], findings: Findings, say: (sentence: string) => void): GivenCast {
    const left = new Set<string>();
    if (names.length === 0) return { cast: names, left };
    const everybody = this.#everybody;
    if (everybody.length === 0 || !namesIn(this.#options.known.scenes).names.has(reference))
      return { cast: names, left };
    const current = (): readonly string[] => this.#currentNames(reference, "cast");
    const taken: string[] = [];
    for (const name of names) {
      if (spellingIn(everybody, name) !== undefined) {
        taken.push(name);
        continue;
      }
      const found = referenceIn(everybody, name, say);
      const nearest = found === undefined ? findings.nearest(name, foldedIn(everybody)) : undefined;
      const near = nearest !== undefined && isMisspelt(name, nearest) ? nearest : undefined;
      if (typeof found === "string") taken.push(found);
      else if (found === undefined && near === undefined) {
        const gone = current().filter((each) => spellingIn(names, each) === undefined);
        const loss = gone.length === 0 ? "" : `, which loses ${firstOf(gone.map(quoted))}`;
        say(`${quoted(name)} is a new name in the cast of scene ${reference}${loss}`);
        taken.push(name);
      } else {
        left.add(name);
        const why =
          near === undefined
            ? "it may be one of several of the cast"
            : `nobody of the cast has this name; nearest is ${quoted(near.candidate)}`;
        say(`${quoted(name)} was left out of scene ${reference}, whose cast stays: ${why}`);
      }
    }
    return { cast: left.size === 0 ? taken : [...current(), ...taken], left };
  }

  /** The names that are in the cast of none of some scenes. */
  namesOfNone(scenes: readonly SceneMention[], names: readonly string[]): string[] {
    const cast = scenes.flatMap(({ reference }) => this.#currentNames(reference, "cast"));
    return names.filter((name) => spellingIn(cast, name) === undefined);
  }

  /**
   * The length of a strip is that of its scene if no other strip has one and it stands for the whole scene alone. That
   * of a part is kept with the part.
   */
  addLength(scenes: readonly SceneMention[], eighths: number | undefined): void {
    for (const { reference, part } of scenes) {
      const scene = this.sceneOf(reference);
      if (eighths === undefined) continue;
      if (part !== "" && scenes.length === 1) scene.hasPartLength = true;
      else scene.length = scenes.length > 1 || scene.length !== undefined ? null : eighths;
    }
  }

  /** Links the assets that none of the scenes has to each of them. */
  linkAssets(scenes: readonly SceneMention[], assets: readonly string[]): void {
    const had = new Set(scenes.flatMap(({ reference }) => this.#linked.get(reference) ?? []));
    const lacking = assets.filter((asset) => !had.has(asset));
    for (const { reference } of scenes) for (const asset of lacking) this.sceneOf(reference).assets.add(asset);
  }

  /** The characters of cast numbers. */
  charactersOf(numbers: readonly string[]): string[] {
    return numbers.flatMap((number) => {
      const found = this.#characters.get(castKey(number));
      if (found === undefined) this.#unknown.add(number);
      return found ?? [];
    });
  }

  /** The scenes with the elements and assets that were said, by their references, and warnings of what is left out. */
  finish(findings: Findings): Map<string, Omit<PartialScene, "number" | "episode">> {
    warnOfNumbers([...this.#unknown], this.#options, findings);
    for (const scene of this.#scenes.values())
      if (scene.length !== undefined && scene.hasPartLength) scene.length = null;
    const unclear = [...this.#scenes.values()].filter(({ length }) => length === null).length;
    const lengths = unclear === 1 ? "the length of a scene was" : `the lengths of ${unclear} scenes were`;
    if (unclear > 0)
      findings.warn(`${lengths} ignored: the file has one length for several scenes, or several lengths for one scene`);
    const entries = [...this.#scenes].map(([reference, { texts, lists, assets, length }]) => {
      const named = [...lists]
        .filter(([, names]) => names.size > 0)
        .map(([key, names]) => [key, inOrderOf(this.#currentNames(reference, key), names)] as const);
      const { slugline, synopsis, ...others } = Object.fromEntries(texts);
      // A category may be called like one of the texts; the names say more.
      const elements: NonNullable<PartialScene["elements"]> = { ...others, ...Object.fromEntries(named) };
      if (typeof length === "number") elements.pages = formatEighths(length);
      const isLinked = assets.size > (this.#linked.get(reference)?.length ?? 0);
      const scene = {
        ...(slugline !== undefined && { slugline }),
        ...(synopsis !== undefined && { synopsis }),
        ...(Object.keys(elements).length > 0 && { elements }),
        ...(isLinked && { assets: [...assets] }),
      };
      return [reference, scene] as const;
    });
    return new Map(entries);
  }

  /** As `finish`, as a document lists the scenes; those of which nothing is said are left out. */
  document(findings: Findings): PartialScene[] {
    return [...this.finish(findings)].flatMap(([reference, scene]) =>
      Object.keys(scene).length === 0 ? [] : [{ ...sceneKey(reference, this.#options), ...scene }],
    );
  }
}
