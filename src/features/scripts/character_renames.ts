// Finds characters that a later draft calls by another name in most of their scenes: one script change with these scenes, instead of one for each.

import type { StoredProduction } from "../documents/nouns/stored.ts";
import { capitals, castOfScene, inCaseOf, type NameChange } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { wholeWords } from "../names/names.ts";
import type { DraftScene } from "./drafts.ts";
import type { ScenePair } from "./matching.ts";
import type { FieldChanges } from "./scene_changes.ts";
import { withText } from "./scene_text.ts";

export interface CharacterRename extends NameChange {
  /** Its scenes that the later draft has with the new name: their numbers in the earlier one, and their positions there. */
  scenes: readonly string[];
  positions: readonly number[];
  /** The scenes in which the later draft keeps the former name. */
  except: readonly string[];
  kept: readonly number[];
}

const has = (names: readonly string[], name: string): boolean => names.some((one) => capitals(one) === capitals(name));

const namesWith = (names: readonly string[], { from, to }: NameChange): string[] =>
  names.map((name) => (capitals(name) === capitals(from) ? to : name));

/** What gives a text another name: in the cues alone, which are in capitals, and wherever the name is. */
const editsOf = ({ from, to }: NameChange): ((text: string) => string)[] => [
  (text) => text.replace(wholeWords([capitals(from)], "gu"), () => capitals(to)),
  (text) => text.replace(wholeWords([from], "giu"), (found) => inCaseOf(found, to)),
];

/** A scene as it is when a character has its new name: wherever the name is, or only in the cues where the later draft says so. */
export function withName(scene: DraftScene, rename: NameChange, after?: DraftScene): DraftScene {
  if (!has(scene.cast, rename.from)) return scene;
  const renamed = { ...scene, cast: namesWith(scene.cast, rename) };
  if (scene.text === null || scene.text === after?.text) return renamed;
  const [cues, everywhere] = editsOf(rename).map((edit) => withText(renamed, edit)) as [DraftScene, DraftScene]; // there are two
  return after?.text === cues.text ? cues : everywhere;
}

/** A scene with the names that it has while renames wait for a decision. */
export function withFormerCast<S extends { cast: string[] }>(scene: S, renames: readonly NameChange[]): S {
  const formerOf = (name: string) => renames.find(({ to }) => capitals(to) === capitals(name))?.from ?? name;
  return { ...scene, cast: scene.cast.map(formerOf) };
}

type Pair = readonly [before: DraftScene, after: DraftScene, at: number];

/** The pairs of scenes in which a character is, by the name in capitals. */
function scenesOf(pairs: readonly Pair[]): Map<string, { name: string; pairs: Pair[] }> {
  const found = new Map<string, { name: string; pairs: Pair[] }>();
  for (const pair of pairs)
    for (const name of pair[0].cast) {
      const one = found.get(capitals(name)) ?? { name, pairs: [] };
      found.set(capitals(name), one);
      one.pairs.push(pair);
    }
  return found;
}

/**
 * The characters whom a later draft calls by another name, which the earlier one does not have, in at least two of their scenes and in more
 * than it does not. The text of one of these scenes differs in the name alone.
 */
export function characterRenames(
  before: readonly DraftScene[],
  after: readonly DraftScene[],
  pairs: readonly ScenePair[],
): CharacterRename[] {
  const both = pairs
    .map((pair): Pair => [before[pair.before] as DraftScene, after[pair.after] as DraftScene, pair.before])
    .filter(([one, other]) => !one.omitted && !other.omitted)
    .sort(([, , one], [, , other]) => one - other);
  const former = scenesOf(both);
  const known = new Set(before.flatMap(({ cast }) => cast.map(capitals)));
  const taken = new Set<string>();
  return [...former].flatMap(([key, { name: from, pairs }]) => {
    const left = pairs.filter(([, { cast }]) => !has(cast, from));
    const counts = new Map<string, Pair[]>();
    for (const pair of left)
      for (const name of pair[1].cast.filter((name) => !known.has(capitals(name)) && !taken.has(capitals(name))))
        counts.set(name, [...(counts.get(name) ?? []), pair]);
    const isOne = ([to, of]: readonly [string, readonly Pair[]]) =>
      of.length >= 2 &&
      of.length * 2 > pairs.length &&
      after.every(({ cast }) => !has(cast, from) || !has(cast, to)) &&
      of.some(([one, other]) => one.text !== null && withName(one, { from, to }, other).text === other.text);
    const [found] = [...counts].filter(isOne);
    if (found === undefined) return [];
    const [to, of] = found;
    taken.add(capitals(to));
    const staying = pairs.filter(([, { cast }]) => has(cast, key));
    const numbersOf = (list: readonly Pair[]) => list.map(([{ number }]) => number);
    const positionsOf = (list: readonly Pair[]) => list.map(([, , at]) => at);
    return [
      {
        from,
        to,
        scenes: numbersOf(of),
        positions: positionsOf(of),
        except: numbersOf(staying),
        kept: positionsOf(staying),
      },
    ];
  });
}

/** A scene as the later draft calls its characters; `at` is its position in the earlier one. */
export const withRenames = (
  scene: DraftScene,
  renames: readonly CharacterRename[],
  at: number,
  after: DraftScene | undefined,
): DraftScene =>
  renames.reduce((one, rename) => (rename.kept.includes(at) ? one : withName(one, rename, after)), scene);

export const isRename = (fields: FieldChanges): boolean => "character" in fields;

/** The names of a change that is a rename. */
export function renameOf({ character }: FieldChanges): NameChange {
  const { from, to } = character as { from: string; to: string }; // a rename has both
  return { from, to };
}

export const isSameRename = (one: NameChange, other: NameChange): boolean =>
  capitals(one.from) === capitals(other.from) && capitals(one.to) === capitals(other.to);

/** Whether a character has a name in a scene. */
export const speaksIn = ({ cast }: DraftScene, name: string): boolean => has(cast, name);

/** What someone decides about a rename. */
export const fieldsOfRename = ({ from, to, scenes, except }: CharacterRename): FieldChanges => ({
  character: { from, to },
  scenes: { from: null, to: scenes },
  ...(except.length > 0 && { except: { from: null, to: except } }),
});

/** Whether the production has a character, or a name in the cast of a scene. */
export const hasCharacter = (stored: StoredProduction, name: string): boolean =>
  stored
    .items("assets")
    .some(({ raw }) => raw.kind === "character" && capitals(String(raw.label)) === capitals(name)) ||
  stored.items("scenes").some(({ raw }) => has(castOfScene(raw), name));

/** The assets that get another name, as a document has them; none where another asset has that name already. */
export function renamedAssets(stored: StoredProduction, renames: readonly NameChange[]): Raw[] {
  const assets = stored.items("assets").map(({ raw }) => raw);
  return renames.flatMap(({ from, to }) => {
    const asset = assets.find(({ kind, label }) => kind === "character" && capitals(String(label)) === capitals(from));
    if (asset === undefined || assets.some(({ label }) => capitals(String(label)) === capitals(to))) return [];
    return [{ label: inCaseOf(String(asset.label), to), was: asset.ref ?? asset.label }];
  });
}
