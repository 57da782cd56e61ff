// Finds the scenes that a cell such as "12, 14A pt" names, and the nearest scenes of one that does not exist.
import { listed, sameName } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";
import { canonicalNumber, compareKeys, type SortKey, sortKey } from "../names/sluglines.ts";
import { append, firstWhere } from "../sequences/sequences.ts";
import {
  EpisodeRefusal,
  episodeNamed,
  episodeOf,
  howToBegin,
  splitEpisode,
  titledEpisode,
  unknownEpisode,
} from "./episodes.ts";
import { type FindingPlace, Findings, type LazySentence } from "./findings.ts";
import { indexOf } from "./known_names.ts";
import type { ReadOptions } from "./partial.ts";

export interface SceneMention {
  /** How documents refer to the scene. */
  reference: string;
  /** The part of it that is meant, of "14A (pt2)" pt2; "" for all of it. */
  part: string;
}

const partMark = /[\s([,-]*(?:pts?|parts?)\.?\s*(?:[0-9]{1,2}|[a-d]|[ivx]{1,4})?\s*(?:(?:of|\/)\s*\d{1,2}\s*)?[)\]]*$/i;
const prefix = /^(?:sc(?:enes?|s)?\b\.?|#)\s*/i;
const separators = /[,;&+\n](?!\s?(?:pts?|parts?)(?![a-z]))|\b(?:and|und|et)\b|\sy\s/i;

/** Takes the mark of a part off: "14A (pt2)" is pt2 of 14A. */
export function splitPart(text: string): { number: string; part: string } {
  const whole = text.slice(0, 100).trim();
  let number = whole;
  // "14A pt1, pt2" is of one scene.
  for (let rest = number.replace(partMark, ""); rest !== number; rest = number.replace(partMark, "")) number = rest;
  if (number === whole || !/\d/.test(number)) return { number: whole, part: "" };
  const part = whole.slice(number.length).replace(/^[\s([,-]+/, "");
  return { number, part: part.replace(/[)\]]$/, "").trim() };
}

/** The parts of a cell, of at most 10,000 characters. Spaces become one, because a separator looks at one alone. */
const tokensOf = (text: string): string[] =>
  text
    .slice(0, 10_000)
    .replace(/\s+/g, (spaces) => (spaces.includes("\n") ? "\n" : " "))
    .split(separators)
    .map((token) => token.replace(prefix, "").trim())
    .filter((token) => token !== "");

/** The scene numbers in a text where no script is known: "166, 169" are two. */
export const sceneNumbers = (text: string): { number: string; part: string }[] =>
  tokensOf(text)
    .map(splitPart)
    .map(({ number, part }) => ({ number: number.replace(/(\d)\s+([A-Z]{1,3})$/i, "$1$2"), part }));

/** How documents name a scene: by its number, on an episodic production with its episode. */
export function sceneKey(reference: string, { known }: ReadOptions): { number: string; episode?: string } {
  if (known.episodes.length === 0) return { number: reference };
  const episode = episodeOf(known.episodes, reference);
  return episode === "" ? { number: reference } : { number: reference.slice(episode.length + 1), episode };
}

/** The position of each reference, and the references by canonical form: null where two share it. */
const scenesIn = indexOf(
  () => ({ forms: new Map<string, string | null>(), positions: new Map<string, number>() }),
  ({ forms, positions }, reference: string, at) => {
    const form = canonicalNumber(reference);
    forms.set(form, forms.has(form) ? null : reference);
    positions.set(reference, at);
  },
);

/** The ends of a range such as "12-14". */
function rangeIn(token: string): [from: string, to: string] | undefined {
  const [, from, to] = /^(\S+?)\s*(?:[-–—]|to|thru)\s*(\S+)$/i.exec(token.slice(0, 60)) ?? [];
  return from === undefined || to === undefined ? undefined : [from, to];
}

/** What a token means: scenes, or why it is refused. Undefined: it is not the number of a scene. */
type Meaning = SceneMention[] | EpisodeRefusal | undefined;

export class ScriptScenes {
  readonly #references: readonly string[];
  readonly #codes: readonly string[];
  readonly #episodic: boolean;
  readonly #canonical: ReadonlyMap<string, string | null>;
  readonly #positions: ReadonlyMap<string, number>;
  /** The episode of the file. */
  readonly #episode: string | undefined;
  readonly #findings: Findings;
  /** What only the sentences about unknown scenes need, made for the first of them. */
  #sharing: Map<string, string[]> | undefined;
  readonly #sorted = new Map<string | undefined, { reference: string; key: SortKey }[]>();
  /** The episode that rows name although the production is no series. */
  #foreign: string | undefined;

  constructor({ known, episode }: ReadOptions, findings = new Findings()) {
    this.#findings = findings;
    this.#references = known.scenes;
    this.#codes = known.episodes;
    this.#episodic = known.episodes.length > 0;
    this.#episode = episode;
    const { forms, positions } = scenesIn(known.scenes);
    this.#canonical = forms;
    this.#positions = positions;
  }

  /** The scene of a number, which may begin with the code of its episode; undefined if there is none. */
  find(number: string): string | undefined {
    const found = this.#meaning(number, this.#episode, undefined);
    return Array.isArray(found) && found.length === 1 ? found[0]?.reference : undefined;
  }

  /** The scene of a number within an episode; on a single production the scene of a number. */
  #inEpisode(number: string, episode: string | undefined): string | undefined {
    const candidate = episode === undefined ? number : `${episode}/${number}`;
    if (this.#positions.has(candidate)) return candidate;
    return this.#canonical.get(canonicalNumber(candidate)) ?? undefined;
  }

  /** The episode that a column names, or that of the file; or why they are refused. */
  episodeIn(column: string | undefined, place?: FindingPlace): string | undefined | EpisodeRefusal {
    if (column === undefined) return this.#episode;
    if (!this.#episodic) return this.#withoutEpisodes(column, place);
    const named = episodeNamed(this.#codes, column);
    if (named === undefined) return new EpisodeRefusal(unknownEpisode(this.#codes, column));
    if (this.#episode === undefined || this.#episode === named) return named;
    return new EpisodeRefusal(`the row is of episode ${named}, and the file of episode ${this.#episode}`);
  }

  /** A column of episodes where the production has none: one episode is warned about, a second one is refused. */
  #withoutEpisodes(column: string, place: FindingPlace | undefined): undefined | EpisodeRefusal {
    const named = titledEpisode([], column).code ?? column.trim();
    const isFirst = this.#foreign === undefined;
    this.#foreign ??= named;
    if (sameName(named) !== sameName(this.#foreign))
      return new EpisodeRefusal(
        `the row is of episode ${quoted(named)}, and others of ${quoted(this.#foreign)}, but the production is no series; ${howToBegin(this.#foreign)}`,
      );
    if (isFirst)
      this.#findings.warn(
        `the column of episodes says ${quoted(named)} and was ignored: the production is no series; ${howToBegin(named)}`,
        place,
      );
    return undefined;
  }

  /**
   * Every scene that the text of a cell names, and a sentence for each part that is not the number of a scene. `column`
   * is what the row says of the episode. Where none is given, a number belongs to the episode of the one before it:
   * "101/5, 6".
   */
  read(text: string, column?: string, place?: FindingPlace): { scenes: SceneMention[]; unknown: LazySentence[] } {
    return this.#readItems([text], column, place);
  }

  #readItems(items: readonly string[], column: string | undefined, place: FindingPlace | undefined) {
    const scenes: SceneMention[] = [];
    const unknown: LazySentence[] = [];
    const given = this.episodeIn(column, place);
    if (given instanceof EpisodeRefusal) return { scenes, unknown: [given.sentence] };
    const whole = items.length === 1 ? this.#inEpisode(items[0] ?? "", given) : undefined;
    if (whole !== undefined) return { scenes: [{ reference: whole, part: "" }], unknown };
    for (const token of items.flatMap((item) => (this.#inEpisode(item, given) === undefined ? tokensOf(item) : item))) {
      const before = this.#episodic ? scenes.at(-1)?.reference : undefined;
      const found = this.#meaning(token, given, before === undefined ? undefined : episodeOf(this.#codes, before));
      if (found === undefined) unknown.push(() => this.#sentence(token, given));
      else if (found instanceof EpisodeRefusal) unknown.push(found.sentence);
      else {
        this.#findings.mention(found.length, place);
        append(scenes, found);
      }
    }
    return { scenes, unknown };
  }

  /** The references of the scenes that the items of a cell name. What is not the number of a scene is a problem. */
  references(items: readonly string[], line: number, column?: string): string[] {
    const { scenes, unknown } = this.#readItems(items, column, { line });
    for (const message of unknown) this.#findings.problem(message, { line });
    return [...new Set(scenes.map(({ reference }) => reference))];
  }

  /** What a token means in the given episode, or in that of the number before it. */
  #meaning(token: string, given: string | undefined, before: string | undefined): Meaning {
    if (!this.#episodic) return this.#mentions(token, undefined);
    const own = given ?? before;
    const here = own === undefined ? undefined : this.#mentions(token, own);
    const split = splitEpisode(this.#codes, token);
    if (split === undefined || (given !== undefined && here !== undefined)) return here;
    const there = this.#mentions(split.rest, split.episode);
    if (given !== undefined && given !== split.episode)
      return new EpisodeRefusal(
        `${quoted(token)} is of episode ${split.episode}, and the row or the file of episode ${given}`,
      );
    if (!Array.isArray(there)) return there ?? here;
    const other = given === undefined ? this.#otherReading(token, own) : undefined;
    return other === undefined
      ? there
      : new EpisodeRefusal(
          `${quoted(token)} may be scene ${there[0]?.reference} or scenes ${other}; write one of them, or name the episode`,
        );
  }

  /** The range that a token without an episode may mean, in an episode that has both numbers: "101/1 to 101/3". */
  #otherReading(token: string, own: string | undefined): string | undefined {
    const ends = rangeIn(token);
    if (ends === undefined) return undefined;
    for (const episode of own === undefined ? this.#codes : [own]) {
      const [first, last] = ends.map((end) => this.#inEpisode(end, episode));
      if (first !== undefined && last !== undefined) return `${first} to ${last}`;
    }
    return undefined;
  }

  #mentions(token: string, episode: string | undefined): Meaning {
    const whole = this.#inEpisode(token, episode);
    if (whole !== undefined) return [{ reference: whole, part: "" }];
    const { number, part } = splitPart(token);
    const reference = this.#inEpisode(number, episode);
    if (reference !== undefined) return [{ reference, part }];
    return this.#range(token, episode) ?? this.#spaced(token, episode);
  }

  /** "12-14": every scene from the one to the other, in the order of the script. The end may name the episode again. */
  #range(token: string, episode: string | undefined): Meaning {
    const [from, to] = rangeIn(token) ?? [];
    if (from === undefined || to === undefined) return undefined;
    const split = episode === undefined ? undefined : splitEpisode(this.#codes, to);
    const end =
      this.#inEpisode(to, episode) ??
      (split?.episode === episode ? this.#inEpisode(split?.rest ?? "", episode) : undefined);
    const [first, last] = [this.#inEpisode(from, episode), end].map((each) => this.#positions.get(each ?? ""));
    if (first !== undefined && last === undefined && split !== undefined && split.episode !== episode)
      return new EpisodeRefusal(`the range ${quoted(token)} ends in another episode; write a range for each episode`);
    if (first === undefined || last === undefined) return undefined;
    if (first > last) return new EpisodeRefusal(`the range ${quoted(token)} runs backwards`);
    return this.#references.slice(first, last + 1).map((reference) => ({ reference, part: "" }));
  }

  /** "12 14A": scenes with nothing but spaces between them. */
  #spaced(token: string, episode: string | undefined): SceneMention[] | undefined {
    const each = token.split(" ");
    if (each.length < 2) return undefined;
    const mentions: SceneMention[] = [];
    for (const one of each) {
      const reference = this.#inEpisode(one, episode);
      if (reference === undefined) return undefined;
      mentions.push({ reference, part: "" });
    }
    return mentions;
  }

  /** A scene's number, without its episode. */
  #numberOf = (reference: string): string =>
    this.#episodic ? reference.slice(episodeOf(this.#codes, reference).length).replace(/^\//, "") : reference;

  #sentence(token: string, episode: string | undefined): string {
    const { number } = splitPart(token);
    const unknown = this.#episodic ? /^(?:ep(?:isode)?\.?\s*)?([^\s/]+)\/./i.exec(number)?.[1] : undefined;
    if (unknown !== undefined && unknown.length <= 20 && episodeNamed(this.#codes, unknown) === undefined)
      return unknownEpisode(this.#codes, unknown);
    const name = /^[\w./ -]{1,20}$/.test(number) ? number : quoted(number);
    if (this.#references.length === 0)
      return `scene ${name} is not in the script: the production has no scenes yet; import the script first`;
    this.#sharing ??= Map.groupBy(this.#references, (reference) => canonicalNumber(this.#numberOf(reference)));
    const sharing = this.#sharing.get(canonicalNumber(number)) ?? [];
    if (this.#episodic && episode === undefined && sharing.length > 0)
      return `scene ${name} is in ${sharing.length === 1 ? "episode" : "episodes"} ${listed(sharing.map((reference) => episodeOf(this.#codes, reference)))}; write ${sharing[0]}, or add --episode`;
    const near = this.#neighbours(number, episode);
    return `scene ${name} is not in the script${near.length === 0 ? "" : `; nearest ${near.length === 1 ? "is" : "are"} ${listed(near)}`}`;
  }

  /** The scenes between which a scene with that number would be. */
  #neighbours(wanted: string, episode: string | undefined): string[] {
    const split = this.#episodic ? splitEpisode(this.#codes, wanted) : undefined;
    const [named, number] = [split?.episode ?? episode, split?.rest ?? wanted];
    if (sortKey(number) === undefined) return [];
    const scenes = this.#inOrder(this.#episodic ? named : undefined);
    const at = firstWhere(scenes, ({ key }) => compareKeys(key, sortKey(number)) >= 0);
    // Of scenes that are equal in this order, the first one is named.
    const before = scenes[at - 1];
    const first = before && firstWhere(scenes, ({ key }) => compareKeys(key, before.key) >= 0);
    return [first, at].flatMap((each) => scenes[each ?? -1]?.reference ?? []);
  }

  /** The scenes of an episode, or all of them, in the order of their numbers. */
  #inOrder(episode: string | undefined): { reference: string; key: SortKey }[] {
    const cached = this.#sorted.get(episode);
    if (cached !== undefined) return cached;
    const sorted = this.#references
      .filter((reference) => episode === undefined || reference.startsWith(`${episode}/`))
      .flatMap((reference) => {
        const key = sortKey(this.#numberOf(reference));
        return key === undefined ? [] : { reference, key };
      })
      .sort((one, other) => compareKeys(one.key, other.key));
    this.#sorted.set(episode, sorted);
    return sorted;
  }
}
