// Defines what is stored of a draft for the comparison with the next one.
import { listed, plural } from "../../../core/wording.ts";
import { numberScenes } from "../../names/sluglines.ts";
import { categoryKey } from "../../paperwork/categories.ts";
import { estimateEighths, isOmittedCard, type Script, type ScriptScene } from "../script.ts";
import { type Matching, matchDrafts } from "./matching.ts";
import { comparedText } from "./scene_text.ts";
import { Speakers } from "./speakers.ts";

/** A scene of a draft, as plain JSON. */
export interface DraftScene {
  number: string;
  slugline: string;
  omitted: boolean;
  synopsis: string | null;
  /** Everything that is printed under the heading, in a form for comparison; null if no draft of the scene is kept. */
  text: string | null;
  /** Of an omitted scene, the text that it had before a card took its place. */
  last?: string | null;
  /** Which paragraphs the text is made of. Absent if it was stored by a version that did not keep them. */
  shape?: string | undefined;
  /** The id of the draft that has the text. */
  draft?: number;
  /** Who speaks. */
  cast: string[];
  eighths: number | null;
  /** Whether the length is an estimate. */
  estimated: boolean;
  script_day: string | null;
  /** Labels by the key of their tag category. */
  tags: Record<string, string[]>;
  revision_color: string;
}

export interface ScriptDraft {
  /** In the order of the script. */
  scenes: DraftScene[];
}

/** A draft that was just read. */
export interface ReadDraft extends ScriptDraft {
  /** What is said about cues that name several people. */
  warnings: string[];
}

/** A number without the mark that an omitted scene gets when another scene takes its number. */
export const withoutMark = (number: string): string => number.replace(/ \(omitted(?: \d+)?\)$/, "");

/**
 * Whether a draft says what is tagged. One that tags nothing, such as every Fountain file, leaves the tags as they
 * were.
 */
export const isTagged = ({ scenes }: ScriptDraft): boolean => scenes.some(({ tags }) => Object.keys(tags).length > 0);

/** The labels of each tag category, by its key. */
function tagsOf({ tags }: ScriptScene): DraftScene["tags"] {
  const lists: DraftScene["tags"] = {};
  for (const [category, labels] of tags) {
    const key = categoryKey(category);
    if (category !== "Script Day") lists[key] = [...new Set([...(lists[key] ?? []), ...labels])];
  }
  return lists;
}

/** The length of a scene: the file's, else an estimate; an omitted scene of which only the card is left has none. */
function lengthOf({ eighths, omitted, paragraphs }: ScriptScene): Pick<DraftScene, "eighths" | "estimated"> {
  if (eighths !== null) return { eighths, estimated: false };
  if (omitted && paragraphs.length === 0) return { eighths, estimated: false };
  return { eighths: estimateEighths(paragraphs), estimated: true };
}

/** What is kept of a scene, but for its revision colour. Of the card of an omitted scene, only its text is. */
function draftScene(scene: ScriptScene, number: string, speakers: Speakers): Omit<DraftScene, "revision_color"> {
  const { slugline, omitted, synopsis, paragraphs, script_day } = scene;
  const isCard = omitted && isOmittedCard(slugline);
  return {
    number,
    slugline,
    omitted,
    synopsis,
    ...comparedText(paragraphs),
    cast: isCard ? [] : speakers.of(scene),
    ...(isCard ? { eighths: null, estimated: false } : lengthOf(scene)),
    script_day,
    tags: isCard ? {} : tagsOf(scene),
  };
}

/**
 * What is kept of `script`. `color` is the colour of every scene, in place of what the file marks; `cast` are the names
 * of the cast list and of the draft before. A scene for which the file marks no colour has that of `unmarked`.
 */
export function draftOf(
  { scenes }: Script,
  color?: string,
  cast: readonly string[] = [],
  unmarked = "white",
): ReadDraft {
  const numbers = numberScenes(scenes.map(({ number }) => number));
  const speakers = new Speakers({ scenes }, cast);
  const draft = {
    scenes: scenes.map((scene, at) => ({
      ...draftScene(scene, numbers[at] as string, speakers), // there is one for each
      revision_color: color ?? scene.revision?.color ?? unmarked,
    })),
  };
  return { ...draft, warnings: speakers.warnings() };
}

/** What stands between the numbers of a card, and between the ends of a range of them. */
const [cardList, cardRange] = [
  /[,;&+]|(?<=\s)(?:AND|UND|ET|Y|E|VE|И|І|ΚΑΙ)(?=\s)/i,
  /[-–—]|(?<=\s)(?:THRU|THROUGH|TO|BIS|À|AL)(?=\s)/i,
];

/** The numbers of the scenes for which a card stands, as 2-4 or 2 & 3; undefined if one of its numbers is unknown. */
function numbersOnCard(number: string, known: readonly string[]): string[] | undefined {
  const at = (one: string | undefined) => known.findIndex((other) => other.toUpperCase() === one?.trim().toUpperCase());
  const found = number.split(cardList).map((part) => {
    const [from, to = from, ...more] = part.split(cardRange);
    const [first, last] = [at(from), at(to)];
    return first < 0 || last < first || more.length > 0 ? [] : known.slice(first, last + 1);
  });
  return found.every(({ length }) => length > 0) ? found.flat() : undefined;
}

/**
 * A script in which each card that stands for several scenes of the draft before is a card for each of them, but for
 * those that the script has elsewhere.
 */
export function withSingleCards(script: Script, before: ScriptDraft): { script: Script; warnings: string[] } {
  const known = before.scenes.map(({ number }) => number);
  const isKnown = new Set(known.map((number) => number.toUpperCase()));
  const given = new Set(script.scenes.map(({ number }) => number?.toUpperCase()));
  const warnings: string[] = [];
  const scenes = script.scenes.flatMap((scene) => {
    const { number, omitted, slugline } = scene;
    if (!omitted || number === null || isKnown.has(number.toUpperCase()) || !isOmittedCard(slugline)) return [scene];
    const own = numbersOnCard(number, known)?.filter((one) => !given.has(one.toUpperCase())) ?? [];
    if (own.length === 0) return [scene];
    warnings.push(`the card ${number} is that of ${plural(own.length, "scene")}: ${listed(own)}`);
    return own.map((one, at) => ({ ...scene, number: one, ...(at > 0 && { synopsis: null, paragraphs: [] }) }));
  });
  return { script: warnings.length === 0 ? script : { ...script, scenes }, warnings };
}

/**
 * The numbers of a later draft's scenes. One that the file leaves without a number keeps the number that it had; a new
 * one takes the number before it with the next letter that neither draft has.
 */
function carriedNumbers(script: Script, before: ScriptDraft, partners: ReadonlyMap<number, DraftScene>): string[] {
  const given = new Set(script.scenes.flatMap(({ number }) => (number === null ? [] : number.toUpperCase())));
  const numbers = script.scenes.map(({ number }, at) => {
    const kept = partners.get(at)?.number;
    return number ?? (kept === undefined || given.has(kept.toUpperCase()) ? null : kept);
  });
  const taken = before.scenes.map(({ number }) => number);
  return numberScenes(numbers, taken);
}

/**
 * What is kept of a later draft, and which of its scenes are those of `before`. Where the file has no numbers its
 * scenes keep those they had, and where it has no lengths those of `before`, unless they were estimates.
 */
export function laterDraft(
  script: Script,
  before: ScriptDraft,
  color?: string,
  castList: readonly string[] = [],
): { draft: ScriptDraft; matching: Matching; warnings: string[] } {
  const { scenes, warnings } = draftOf(
    script,
    color,
    [...before.scenes.flatMap(({ cast }) => cast), ...castList],
    script.color ?? undefined,
  );
  // A number that only says which place a scene has is no evidence of which scene it is, unless there is no other.
  const isEvidence = before.scenes.every(({ text }) => text === null);
  const known = scenes.map((scene, at) => {
    const isNumbered = script.scenes[at]?.number !== null;
    return isEvidence || isNumbered ? { ...scene, isSlot: scene.omitted && isNumbered } : { ...scene, number: "" };
  });
  const matching = matchDrafts(before.scenes, known);
  // the pairs are of both drafts
  const partners = new Map(matching.pairs.map((pair) => [pair.after, before.scenes[pair.before] as DraftScene]));
  const numbers = carriedNumbers(script, before, partners);
  const carried = scenes.map((scene, at): DraftScene => {
    const { eighths = null, estimated } = partners.get(at) ?? {};
    const isMeasured = script.scenes[at]?.eighths !== null || (scene.omitted && isOmittedCard(scene.slugline));
    const length = isMeasured || eighths === null || estimated ? {} : { eighths, estimated: false };
    return { ...scene, ...length, number: numbers[at] as string }; // there is one for each
  });
  return { draft: { scenes: carried }, matching, warnings };
}
