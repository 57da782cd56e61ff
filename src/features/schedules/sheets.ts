// Makes scenes from breakdown sheets, with which scheduling programs describe each scene and the things that it needs.
import { firstOf, listed, plural } from "../../core/wording.ts";
import { keyOf, sceneName } from "../documents/sections/sections.ts";
import { fold, quoted } from "../names/names.ts";
import { compareNumbers, withoutClosing } from "../names/sluglines.ts";
import { NumberedAssets } from "../paperwork/cast_numbers.ts";
import { categoryKey } from "../paperwork/categories.ts";
import type { Findings, LazySentence } from "../paperwork/findings.ts";
import { GatheredScenes, type SceneEntry } from "../paperwork/gathered_scenes.ts";
import type { PaperDocument, PartialScene, ReadOptions } from "../paperwork/partial.ts";
import { type SceneMention, ScriptScenes, sceneNumbers } from "../paperwork/scenes.ts";

export interface Sheet {
  /** As the sheet has them: "12", "166, 169", "89PT1". */
  scenes: string;
  /** The place of the sheet, for sentences: "sheet 12". */
  place: string;
  int_ext?: string;
  set?: string;
  time_of_day?: string;
  /** In place of one made of the three above. */
  slugline?: string;
  synopsis?: string;
  script_day?: string;
  eighths: number | undefined;
  /** Where it is shot. */
  location?: string | undefined;
  cast: readonly string[];
  /** How many elements the fields above are made of. */
  fields?: number;
  /** Further texts of the sheet, by their keys in a scene's elements. */
  texts?: Readonly<Record<string, string>>;
  /** The names of each category, by the category's name. */
  tags: ReadonlyMap<string, readonly string[]>;
}

const maxSlugline = 500;
export const maxSheets = 20_000;
/** Of the numbers of the scenes of a sheet: as many characters as are looked through for numbers. */
export const maxScenesText = 10_000;

/** A name of the cast, without (V.O.) and the like. */
export const castName = (name: string, findings: Findings): string =>
  withoutClosing(findings.clean(name, 300), { ")": "(" }).trim();

/** The heading that a sheet gives its scene, or "". */
function headingOf({ slugline, int_ext, set, time_of_day }: Sheet): string {
  const heading = [int_ext && `${int_ext}.`, set].filter(Boolean).join(" ");
  return slugline || [heading, time_of_day].filter(Boolean).join(" - ");
}

function sluglineOf(sheet: Sheet, number: string, findings: Findings): string {
  const { synopsis, place } = sheet;
  const whole = headingOf(sheet);
  // The synopsis is kept beside the slugline that is made of it.
  if (whole === "") return (synopsis?.slice(0, maxSlugline).trimEnd() || `SCENE ${number}`).toUpperCase();
  return findings.clean(whole.toUpperCase(), maxSlugline, place);
}

/** What the scene needs: what a schedule may say about a scene of a script that is there already. */
const factsOf = ({ script_day, texts, tags }: Sheet, cast: readonly string[]): SceneEntry => ({
  texts: { script_day, ...texts },
  lists: [["cast", cast], ...[...tags].map(([category, names]) => [categoryKey(category), names] as const)],
});

function newScene(number: string, sheet: Sheet, part: PartialScene, color: string, findings: Findings): PartialScene {
  const { int_ext, set, time_of_day, synopsis } = sheet;
  const slugline = sluglineOf(sheet, number, findings);
  const heading = Object.entries({ int_ext, set, time_of_day }).filter(([, text]) => text);
  return {
    ...part,
    slugline,
    ...(synopsis && { synopsis }),
    status: /^\W*omit(?:ted)?\W*$/i.test(slugline) ? "omitted" : "planned",
    revision_color: color,
    elements: { ...Object.fromEntries(heading), ...part.elements },
  };
}

const elementsOf = ({ cast, fields = 0, tags }: Sheet): number =>
  [...tags.values()].reduce((sum, { length }) => sum + length, cast.length + fields);

/** Counts the elements of a sheet that no scene gets. The warning about the sheet names them with it. */
const nameElements = (sheet: Sheet, findings: Findings): void => findings.tally.named("element", elementsOf(sheet));

/** Counts the elements of a sheet, whose scenes get those that have a name. */
function countElements(sheet: Sheet, findings: Findings): void {
  const nameless = [...sheet.cast, ...[...sheet.tags.values()].flat()].filter((name) => name === "").length;
  findings.tally.took("element", elementsOf(sheet) - nameless);
  if (nameless > 0)
    findings.name(
      "element",
      `${sheet.place}: ${plural(nameless, "element")} without a name ${wereIgnored(nameless)}`,
      {},
      nameless,
    );
}
const wereIgnored = (count: number): string => (count === 1 ? "was ignored" : "were ignored");

/** A sheet of several scenes of the script does not say which of them needs what. */
function nameShared(sheet: Sheet, findings: Findings): void {
  const count = elementsOf(sheet);
  const elements = plural(count, "element");
  if (count > 0)
    findings.name("element", `${sheet.place} is of several scenes: its ${elements} ${wereIgnored(count)}`, {}, count);
}

/** The texts of a sheet that its scene gets: of a scene of the script only what the script does not say. */
function textsOf({ slugline, int_ext, set, time_of_day, synopsis, script_day, texts }: Sheet, isNew: boolean) {
  const heading = { slugline, int_ext, set, time_of_day, synopsis };
  return Object.entries({ ...(isNew && heading), script_day, ...texts });
}

/** Warns of the texts of a further sheet of a scene, of which the first one counts. */
function nameFurther(sheet: Sheet, former: Sheet, reference: string, isNew: boolean, findings: Findings): void {
  const first = new Map(textsOf(former, isNew));
  const ignored = textsOf(sheet, isNew).filter(([name, text]) => text && first.get(name) && text !== first.get(name));
  if (ignored.length > 0)
    findings.warn(
      `${sheet.place} is another one of scene ${reference}: its ${listed(ignored.map(([name]) => name.replaceAll("_", " ")))} ${wereIgnored(ignored.length)}`,
    );
}

/** Warns of what sheets say of scenes otherwise than the script, which has them: that stays. */
function nameOther(first: ReadonlyMap<string, Sheet>, { known }: ReadOptions, findings: Findings): void {
  const stored = new Map(known.items("scenes").map((scene) => [keyOf("scenes", scene), scene]));
  const differing = (part: string, given: (sheet: Sheet) => string | undefined, own: "synopsis" | "slugline"): void => {
    const scenes = [...first].filter(([reference, sheet]) => {
      const text = given(sheet) ?? "";
      const other = String(stored.get(reference)?.[own] ?? (own === "synopsis" ? "" : text));
      return text !== "" && text !== other && fold(text) !== fold(other);
    });
    if (scenes.length > 0)
      findings.warn(
        `the ${part} of ${plural(scenes.length, "sheet")} is not that of the script and was ignored: ${scenes.length === 1 ? "scene" : "scenes"} ${firstOf(scenes.map(([reference]) => reference))}`,
      );
  };
  differing("heading", (sheet) => headingOf(sheet), "slugline");
  differing("synopsis", ({ synopsis }) => synopsis, "synopsis");
}

export interface SheetScenes {
  document: PaperDocument;
  /** The scenes of a sheet. Each call counts as naming them. */
  mentionsOf(sheet: Sheet): SceneMention[];
}

/** Finds the scenes of each sheet in the script, or takes their numbers as they are where there is no script yet. */
function sheetReader(options: ReadOptions, findings: Findings) {
  const { known, episode } = options;
  const script = new ScriptScenes(options, findings);
  const isNew = !known.scenes.some((reference) => episode === undefined || reference.startsWith(`${episode}/`));
  if (isNew && known.episodes.length > 0 && episode === undefined)
    findings.problem("the file does not say which episode its scenes belong to; add --episode");
  const nameless = (sheet: Sheet): void => {
    findings.name("sheet", `${sheet.place} has no scene number and was ignored`);
    nameElements(sheet, findings);
  };
  const taken = ({ scenes, place }: Sheet): SceneMention[] => {
    const numbers = sceneNumbers(scenes);
    findings.mention(numbers.length);
    return numbers.map(({ number, part }) => {
      if (number.length > 50) findings.problem(`${place}: ${quoted(number)} is too long for a scene number`);
      return { reference: sceneName(number, episode), part };
    });
  };
  const read = (sheet: Sheet): SceneMention[] => {
    const { scenes, place } = sheet;
    const found = scenes === "" || isNew ? { scenes: taken(sheet), unknown: [] } : script.read(scenes);
    for (const message of found.unknown) findings.problem(withPlace(message, place));
    if (found.scenes.length === 0) nameless(sheet);
    else findings.tally.took("sheet");
    return found.scenes;
  };
  return { isNew, read };
}

const withPlace = (message: LazySentence, place: string): LazySentence => {
  return () => `${typeof message === "string" ? message : message()} (${place})`;
};

/** In the order of the script: that of the numbers, which sheets of several scenes are not in. */
const inOrder = (scenes: PartialScene[]): PartialScene[] =>
  scenes.every(({ number }) => /\d/.test(number ?? ""))
    ? scenes.toSorted((one, other) => compareNumbers(one.number ?? "", other.number ?? ""))
    : scenes;

/**
 * The scenes of `sheets`. Where the production has no script yet they are whole scenes of revision colour `color`; else
 * they are what the sheets say about scenes of the script, and a scene that is not in it is a problem. `numbers` are
 * the cast numbers by name: a file that has some links its cast.
 */
export function scenesOfSheets(
  sheets: readonly Sheet[],
  options: ReadOptions,
  color: string,
  findings: Findings,
  numbers: ReadonlyMap<string, string> = new Map(),
): SheetScenes {
  const reader = sheetReader(options, findings);
  findings.tally.saw("sheet", sheets.length);
  const [gathered, assets] = [new GatheredScenes(options), new NumberedAssets(options, findings)];
  const mentions = new Map<Sheet, SceneMention[]>();
  const first = new Map<string, Sheet>();
  for (const sheet of sheets) {
    const scenes = reader.read(sheet);
    const own = scenes.map(({ reference }) => reference);
    mentions.set(sheet, scenes);
    // The elements of a sheet of several new scenes are those of each.
    if (reader.isNew && own.length > 1) findings.mention(own.length * elementsOf(sheet));
    // Programs write 0 for a scene that is not measured.
    gathered.addLength(scenes, sheet.eighths || undefined);
    const names = sheet.cast.filter((name) => name !== "");
    const say = (sentence: string): void => findings.warn(`${sheet.place}: ${sentence}`);
    const isShared = !reader.isNew && own.length > 1;
    if (isShared) nameShared(sheet, findings);
    else if (own.length > 0) countElements(sheet, findings);
    for (const reference of own) {
      const former = first.get(reference);
      if (former === undefined) first.set(reference, sheet);
      if (isShared) continue;
      if (former !== undefined) nameFurther(sheet, former, reference, reader.isNew, findings);
      const { cast, left } = gathered.castOf(reference, names, findings, say);
      gathered.add(reference, factsOf(sheet, cast));
      for (const name of numbers.size > 0 ? names : [])
        if (!left.has(name)) gathered.sceneOf(reference).assets.add(assets.character(name, numbers.get(name)));
    }
  }
  const added = ([reference, part]: [string, PartialScene]): PartialScene => {
    const { episode } = options;
    const number = episode === undefined ? reference : reference.slice(episode.length + 1);
    // Every reference that was gathered is of a sheet.
    const scene = newScene(number, first.get(reference) as Sheet, part, color, findings);
    return { number, ...(episode !== undefined && { episode }), ...scene };
  };
  if (!reader.isNew) nameOther(first, options, findings);
  const scenes = reader.isNew ? inOrder([...gathered.finish(findings)].map(added)) : gathered.document(findings);
  const mentionsOf = (sheet: Sheet): SceneMention[] => {
    const own = mentions.get(sheet) ?? [];
    findings.mention(own.length);
    return own;
  };
  return { document: { ...assets.document(findings), scenes }, mentionsOf };
}
