// Makes scenes from breakdown sheets, with which scheduling programs describe each scene and the things that it needs.
import { formatEighths } from "../document/sections/eighths.ts";
import { sceneName } from "../document/sections/names.ts";
import { compareNumbers } from "../document/sections/scene_numbers.ts";
import { listAt } from "../sequences.ts";
import { quoted } from "../spelling.ts";
import { categoryKey } from "./categories.ts";
import type { Findings, LazySentence, Mentions } from "./findings.ts";
import type { PartialScene, ReadOptions } from "./partial.ts";
import { type SceneMention, ScriptScenes, sceneKey, sceneNumbers } from "./scenes.ts";

export interface Sheet {
  /** As the sheet has them: "12", "166, 169", "89PT1". */
  scenes: string;
  /** The place of the sheet, for sentences: "sheet 12". */
  place: string;
  int_ext: string;
  set: string;
  time_of_day: string;
  /** In place of one made of the three above. */
  slugline?: string;
  synopsis: string;
  script_day: string;
  eighths: number | undefined;
  /** Where it is shot. */
  location?: string | undefined;
  cast: readonly string[];
  /** Further texts of the sheet, by their keys in a scene's elements. */
  texts: Readonly<Record<string, string>>;
  /** The names of each category, by the category's name. */
  tags: ReadonlyMap<string, readonly string[]>;
}

export const maxSheets = 20_000;

/** On one line, without control characters. */
export const clean = (text: string, most = 500): string =>
  text
    .slice(0, 4 * most)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, most)
    .toWellFormed();

/** A name of the cast, without (V.O.) and the like. */
export const castName = (name: string): string =>
  clean(name, 300)
    .replace(/(?:\s*\([^()]*\))+$/, "")
    .trim();

/** INT, EXT or INT/EXT, whatever the program calls it. */
export function interiorExterior(text: string): string {
  const letters = text.toUpperCase().replace(/[^A-Z/]/g, "");
  if (/INT.*EXT|EXT.*INT|^[IE]\/[IE]$/.test(letters)) return "INT/EXT";
  return letters;
}

function sluglineOf({ slugline, int_ext, set, time_of_day, synopsis }: Sheet, number: string): string {
  if (slugline !== undefined && slugline !== "") return slugline;
  const heading = [int_ext === "" ? "" : `${int_ext}.`, set].filter((part) => part !== "").join(" ");
  const whole = [heading, time_of_day].filter((part) => part !== "").join(" - ");
  return clean((whole === "" ? synopsis || `SCENE ${number}` : whole).toUpperCase());
}

/** One sheet of a scene: of this scene and of others, or of a part of it, or of the scene. */
interface Share {
  sheet: Sheet;
  several: boolean;
  part: boolean;
}

/** The lengths of parts and of several scenes together are not the length of a scene. */
function eighthsOf([share, another]: readonly Share[]): number | undefined {
  if (share === undefined || another !== undefined || share.several || share.part) return undefined;
  // Programs write 0 where nobody has measured the scene.
  return share.sheet.eighths || undefined;
}

/** What the scene needs: what a schedule may say about a scene of a script that is there already. */
function needsOf(shares: readonly Share[]): Record<string, unknown> {
  const texts = new Map<string, string>();
  const lists = new Map<string, Set<string>>();
  const add = (key: string, names: readonly string[]): void => {
    const list = lists.get(key) ?? new Set();
    lists.set(key, list);
    for (const name of names) if (name !== "") list.add(name);
  };
  for (const { sheet } of shares) {
    add("cast", sheet.cast);
    for (const [key, text] of Object.entries({ script_day: sheet.script_day, ...sheet.texts }))
      if (text !== "" && !texts.has(key)) texts.set(key, text);
    for (const [category, names] of sheet.tags) add(categoryKey(category), names);
  }
  const eighths = eighthsOf(shares);
  const filled = [...lists].filter(([, names]) => names.size > 0).map(([key, names]) => [key, [...names]] as const);
  return Object.fromEntries([
    ...(eighths === undefined ? [] : [["pages", formatEighths(eighths)] as const]),
    ...texts,
    // A category may be called like one of the texts; the names say more.
    ...filled,
  ]);
}

function newScene(number: string, shares: readonly Share[], { episode }: ReadOptions, color: string): PartialScene {
  const { sheet } = shares[0] as Share;
  const { int_ext, set, time_of_day, synopsis } = sheet;
  const slugline = sluglineOf(sheet, number);
  const heading = Object.entries({ int_ext, set, time_of_day }).filter(([, text]) => text !== "");
  return {
    number,
    ...(episode === undefined ? {} : { episode }),
    slugline,
    ...(synopsis === "" ? {} : { synopsis }),
    status: /^\W*omit(?:ted)?\W*$/i.test(slugline) ? "omitted" : "planned",
    revision_color: color,
    elements: { ...Object.fromEntries(heading), ...needsOf(shares) },
  };
}

const elementsOf = ({ cast, tags }: Sheet): number =>
  [...tags.values()].reduce((sum, { length }) => sum + length, cast.length);

export interface SheetScenes {
  scenes: PartialScene[];
  /** The references of the scenes of a sheet. Each call counts as naming them. */
  referencesOf(sheet: Sheet): string[];
}

/** Finds the scenes of each sheet in the script, or takes their numbers as they are where there is no script yet. */
class SheetReader {
  readonly #script: ScriptScenes;
  readonly #options: ReadOptions;
  readonly #findings: Findings;
  readonly #mentions: Mentions;
  readonly isNew: boolean;

  constructor(options: ReadOptions, findings: Findings, mentions: Mentions) {
    const { known, episode } = options;
    this.#script = new ScriptScenes(options, mentions);
    this.#mentions = mentions;
    this.#options = options;
    this.#findings = findings;
    this.isNew = !known.scenes.some((reference) => episode === undefined || reference.startsWith(`${episode}/`));
    if (this.isNew && known.episodes.length > 0 && episode === undefined)
      findings.problem("the file does not say which episode its scenes belong to; add --episode");
  }

  read({ scenes, place }: Sheet): SceneMention[] {
    if (scenes === "") {
      this.#findings.warn(`${place} has no scene number and was ignored`);
      return [];
    }
    if (this.isNew) return this.#taken(scenes, place);
    const read = this.#script.read(scenes);
    for (const message of read.unknown) this.#findings.problem(placed(message, place));
    return read.scenes;
  }

  #taken(scenes: string, place: string): SceneMention[] {
    const { episode } = this.#options;
    const numbers = sceneNumbers(scenes);
    this.#mentions.add(numbers.length);
    return numbers.map(({ number, part }) => {
      if (number.length > 50) this.#findings.problem(`${place}: ${quoted(number)} is too long for a scene number`);
      return { reference: sceneName(number, episode), part };
    });
  }
}

const placed = (message: LazySentence, place: string): LazySentence => {
  return () => `${typeof message === "string" ? message : message()} (${place})`;
};

/** In the order of the script: that of the numbers, which sheets of several scenes are not in. */
const inOrder = (scenes: PartialScene[]): PartialScene[] =>
  scenes.every(({ number }) => /\d/.test(number ?? ""))
    ? scenes.toSorted((one, other) => compareNumbers(one.number ?? "", other.number ?? ""))
    : scenes;

function warnOfLengths(shares: Iterable<readonly Share[]>, findings: Findings): void {
  const count = [...shares].filter(
    (each) => eighthsOf(each) === undefined && each.some(({ sheet }) => sheet.eighths),
  ).length;
  const lengths = count === 1 ? "the length of a scene was" : `the lengths of ${count} scenes were`;
  if (count > 0)
    findings.warn(
      `${lengths} ignored: a sheet of several scenes, or of a part of a scene, does not say the length of each scene`,
    );
}

/**
 * The scenes of `sheets`. Where the production has no script yet they are whole scenes of revision colour `color`; else they are
 * what the sheets say about scenes of the script, and a scene that is not in it is a problem.
 */
export function scenesOfSheets(
  sheets: readonly Sheet[],
  options: ReadOptions,
  color: string,
  findings: Findings,
  mentions: Mentions,
): SheetScenes {
  const reader = new SheetReader(options, findings, mentions);
  const references = new Map<Sheet, string[]>();
  const shares = new Map<string, Share[]>();
  for (const sheet of sheets) {
    const scenes = reader.read(sheet);
    const own = scenes.map(({ reference }) => reference);
    references.set(sheet, own);
    // The elements of a sheet of several new scenes are those of each.
    if (reader.isNew && own.length > 1) mentions.add(own.length * elementsOf(sheet));
    for (const { reference, part } of scenes)
      listAt(shares, reference).push({ sheet, several: scenes.length > 1, part });
  }
  warnOfLengths(shares.values(), findings);
  const prefix = options.episode === undefined ? 0 : options.episode.length + 1;
  const scenes = [...shares].map(([reference, each]) =>
    reader.isNew
      ? newScene(reference.slice(prefix), each, options, color)
      : { ...sceneKey(reference, options), elements: needsOf(each.filter(({ several }) => !several)) },
  );
  const said = scenes.filter(({ elements }) => reader.isNew || Object.keys(elements ?? {}).length > 0);
  const referencesOf = (sheet: Sheet): string[] => {
    const own = references.get(sheet) ?? [];
    mentions.add(own.length);
    return own;
  };
  return { scenes: reader.isNew ? inOrder(said) : said, referencesOf };
}
