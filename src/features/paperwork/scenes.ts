// Finds the scenes that a cell such as "12, 14A pt" names, and the nearest scenes of one that does not exist.
import { listed } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";
import { canonicalNumber, compareKeys, type SortKey, sortKey } from "../names/sluglines.ts";
import { append, firstWhere } from "../sequences/sequences.ts";
import { type FindingPlace, Findings, type LazySentence } from "./findings.ts";
import { indexOf } from "./known_names.ts";
import type { ReadOptions } from "./partial.ts";

export interface SceneMention {
  /** How documents refer to the scene. */
  reference: string;
  /** Whether only a part of it is meant: "14A pt", "14A pt2". */
  part: boolean;
}

const partMark = /[\s([,-]*(?:pts?|parts?)\.?\s*(?:[0-9]{1,2}|[a-d]|[ivx]{1,4})?\s*(?:(?:of|\/)\s*\d{1,2}\s*)?[)\]]*$/i;
const prefix = /^(?:sc(?:enes?|s)?\b\.?|#)\s*/i;
const separators = /[,;&+\n](?!\s*(?:pts?|parts?)\b)|\band\b/i;

/** Takes the mark of a part off: "14A pt2" is 14A, in part. */
export function splitPart(text: string): { number: string; part: boolean } {
  const whole = text.slice(0, 100).trim();
  const number = whole.replace(partMark, "");
  return number === whole || !/\d/.test(number) ? { number: whole, part: false } : { number, part: true };
}

const tokensOf = (text: string): string[] =>
  text
    .slice(0, 1000)
    .split(separators)
    .map((token) => token.replace(prefix, "").trim())
    .filter((token) => token !== "");

/** The scene numbers in a text where no script is known: "166, 169" are two. */
export const sceneNumbers = (text: string): { number: string; part: boolean }[] =>
  tokensOf(text)
    .map(splitPart)
    .map(({ number, part }) => ({ number: number.replace(/(\d)\s+([A-Z]{1,3})$/i, "$1$2"), part }));

/** A number with its episode as references have it: "103 - 4" is 103/4. */
function withSlash(number: string): string {
  const at = number.search(/[-/]/);
  const episode = number.slice(0, Math.max(0, at)).trim();
  return episode === "" ? number : `${episode}/${number.slice(at + 1).trimStart()}`;
}

/** A scene's number, without its episode. */
const numberOf = (reference: string): string => reference.slice(reference.indexOf("/") + 1);
const episodeOf = (reference: string): string => reference.slice(0, Math.max(0, reference.indexOf("/")));

/** How documents name a scene: by its number, on an episodic production with its episode. */
export function sceneKey(reference: string, { known }: ReadOptions): { number: string; episode?: string } {
  if (known.episodes.length === 0) return { number: reference };
  const episode = known.episodes.find((code) => reference.startsWith(`${code}/`));
  return episode === undefined ? { number: reference } : { number: reference.slice(episode.length + 1), episode };
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

export class ScriptScenes {
  readonly #references: readonly string[];
  readonly #episodic: boolean;
  readonly #canonical: ReadonlyMap<string, string | null>;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #episode: string | undefined;
  readonly #findings: Findings;
  /** What only the sentences about unknown scenes need, made for the first of them. */
  #sharing: Map<string, string[]> | undefined;
  readonly #sorted = new Map<string | undefined, { reference: string; key: SortKey }[]>();

  constructor({ known, episode }: ReadOptions, findings = new Findings()) {
    this.#findings = findings;
    this.#references = known.scenes;
    this.#episodic = known.episodes.length > 0;
    this.#episode = episode;
    const { forms, positions } = scenesIn(known.scenes);
    this.#canonical = forms;
    this.#positions = positions;
  }

  /** The reference of the scene of that number, in `episode` if the number names none. */
  find(number: string, episode = this.#episode): string | undefined {
    const candidates = [number, ...(episode === undefined ? [] : [`${episode}/${number}`])];
    for (const candidate of candidates) if (this.#positions.has(candidate)) return candidate;
    const slashed = this.#episodic ? [withSlash(number)] : [];
    for (const candidate of [...candidates, ...slashed]) {
      const found = this.#canonical.get(canonicalNumber(candidate));
      if (typeof found === "string") return found;
    }
    return undefined;
  }

  /**
   * Every scene that the text of a cell names, and a sentence for each part that is not the number of a scene. Where no episode is given, a
   * number belongs to the episode of the one before it: "101/5, 6".
   */
  read(text: string, episode?: string, place?: FindingPlace): { scenes: SceneMention[]; unknown: LazySentence[] } {
    const whole = this.find(text, episode);
    if (whole !== undefined) return { scenes: [{ reference: whole, part: false }], unknown: [] };
    const scenes: SceneMention[] = [];
    const unknown: LazySentence[] = [];
    for (const token of tokensOf(text)) {
      const before = this.#episodic ? scenes.at(-1)?.reference : undefined;
      const found = this.#mentions(token, episode) ?? (before && this.#mentions(token, episodeOf(before)));
      if (found === undefined || found === "") unknown.push(() => this.#sentence(token, episode));
      else {
        this.#findings.mention(found.length, place);
        append(scenes, found);
      }
    }
    return { scenes, unknown };
  }

  /** The references of the scenes that the items of a cell name. What is not the number of a scene is a problem. */
  references(items: readonly string[], line: number, episode?: string): string[] {
    const found = items.flatMap((item) => {
      const { scenes, unknown } = this.read(item, episode, { line });
      for (const message of unknown) this.#findings.problem(message, { line });
      return scenes.map(({ reference }) => reference);
    });
    return [...new Set(found)];
  }

  #mentions(token: string, episode: string | undefined): SceneMention[] | undefined {
    const whole = this.find(token, episode);
    if (whole !== undefined) return [{ reference: whole, part: false }];
    const { number, part } = splitPart(token);
    const reference = this.find(number, episode);
    if (reference !== undefined) return [{ reference, part }];
    return this.#range(token, episode) ?? this.#spaced(token, episode);
  }

  /** "12-14": every scene from the one to the other, in the order of the script. */
  #range(token: string, episode: string | undefined): SceneMention[] | undefined {
    const [, from = "", to = ""] = /^(\S+?)\s*(?:[-–—]|to|thru)\s*(\S+)$/i.exec(token.slice(0, 60)) ?? [];
    const start = this.find(from, episode) ?? "";
    const end = this.find(to, episode) ?? (this.#episodic ? this.find(to, episodeOf(start)) : undefined);
    const [first, last] = [start, end ?? ""].map((each) => this.#positions.get(each));
    if (first === undefined || last === undefined || first > last) return undefined;
    return this.#references.slice(first, last + 1).map((reference) => ({ reference, part: false }));
  }

  /** "12 14A": scenes with nothing but spaces between them. */
  #spaced(token: string, episode: string | undefined): SceneMention[] | undefined {
    const found = token
      .slice(0, 60)
      .split(/\s+/)
      .map((each) => this.find(each, episode));
    const references = found.filter((each) => each !== undefined);
    if (found.length < 2 || references.length < found.length) return undefined;
    return references.map((reference) => ({ reference, part: false }));
  }

  #sentence(token: string, episode = this.#episode): string {
    const { number } = splitPart(token);
    const name = /^[\w./ -]{1,20}$/.test(number) ? number : quoted(number);
    if (this.#references.length === 0)
      return `scene ${name} is not in the script: the production has no scenes yet; import the script first`;
    this.#sharing ??= Map.groupBy(this.#references, (reference) => canonicalNumber(numberOf(reference)));
    const sharing = this.#sharing.get(canonicalNumber(number)) ?? [];
    if (this.#episodic && episode === undefined && sharing.length > 0)
      return `scene ${name} is in ${sharing.length === 1 ? "episode" : "episodes"} ${listed(sharing.map(episodeOf))}; write ${sharing[0]}, or add --episode`;
    const near = this.#neighbours(number, episode);
    return `scene ${name} is not in the script${near.length === 0 ? "" : `; nearest ${near.length === 1 ? "is" : "are"} ${listed(near)}`}`;
  }

  /** The scenes between which a scene with that number would be. */
  #neighbours(wanted: string, episode: string | undefined): string[] {
    const named = this.#episodic && wanted.includes("/") ? episodeOf(wanted) : episode;
    const number = numberOf(wanted);
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
      .filter((reference) => episode === undefined || episodeOf(reference) === episode)
      .flatMap((reference) => {
        const key = sortKey(numberOf(reference));
        return key === undefined ? [] : { reference, key };
      })
      .sort((one, other) => compareKeys(one.key, other.key));
    this.#sorted.set(episode, sorted);
    return sorted;
  }
}
