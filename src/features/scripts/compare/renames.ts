// Finds characters that the newest draft calls by another name in most of their scenes: one script change with these scenes, instead of one for each.

import { capitals, inCaseOf, type NameChange } from "../../documents/plan/scenes.ts";
import { wholeWords } from "../../names/names.ts";
import { listAt } from "../../sequences/sequences.ts";
import type { ComparedScene } from "./compared.ts";
import type { DraftScene } from "./drafts.ts";
import type { FieldChanges } from "./fields.ts";
import { withText } from "./scene_text.ts";

export interface CharacterRename extends NameChange {
  /** Its scenes that the newest draft has with the new name: their numbers, and their indexes. */
  scenes: readonly string[];
  positions: readonly number[];
  /** The scenes in which the newest draft keeps the former name. */
  except: readonly string[];
  kept: readonly number[];
}

/** Whether a name is one of a list, in any case. */
export const hasName = (names: readonly string[], name: string): boolean =>
  names.some((one) => capitals(one) === capitals(name));

const namesWith = (names: readonly string[], { from, to }: NameChange): string[] =>
  names.map((name) => (capitals(name) === capitals(from) ? to : name));

/** What gives a text another name: in the cues alone, which are in capitals, and wherever the name is. */
const editsOf = ({ from, to }: NameChange): ((text: string) => string)[] => [
  (text) => text.replace(wholeWords([capitals(from)], "gu"), () => capitals(to)),
  (text) => text.replace(wholeWords([from], "giu"), (found) => inCaseOf(found, to)),
];

/** A scene as it is when a character has its new name: wherever the name is, or only in the cues where the later draft says so. */
export function withName(scene: DraftScene, rename: NameChange, after?: DraftScene): DraftScene {
  if (!hasName(scene.cast, rename.from)) return scene;
  const renamed = { ...scene, cast: namesWith(scene.cast, rename) };
  if (scene.text === null || scene.text === after?.text) return renamed;
  const [cues, everywhere] = editsOf(rename).map((edit) => withText(renamed, edit)) as [DraftScene, DraftScene]; // editsOf returns two edits
  return after?.text === cues.text ? cues : everywhere;
}

/** A scene with the names that it has while renames wait for a decision. */
export function withFormerCast<S extends { cast: string[] }>(scene: S, renames: readonly NameChange[]): S {
  const formerOf = (name: string) => renames.find(({ to }) => capitals(to) === capitals(name))?.from ?? name;
  return { ...scene, cast: scene.cast.map(formerOf) };
}

interface Pair {
  one: ComparedScene;
  at: number;
}

/** The scenes in which a character is, by the name in capitals. */
function scenesOf(pairs: readonly Pair[]): Map<string, { name: string; pairs: Pair[] }> {
  const found = new Map<string, { name: string; pairs: Pair[] }>();
  for (const pair of pairs)
    for (const name of pair.one.approved.cast) {
      const known = found.get(capitals(name)) ?? { name, pairs: [] };
      found.set(capitals(name), known);
      known.pairs.push(pair);
    }
  return found;
}

/**
 * The characters whom the newest draft calls by another name, which the approved scenes do not have, in at least two of their scenes and in
 * more than it does not. The text of one of these scenes differs in the name alone.
 */
export function characterRenames(scenes: readonly ComparedScene[]): CharacterRename[] {
  const approved = scenes.filter(({ stored }) => stored !== undefined);
  const drafted = scenes.filter(({ place }) => place !== null);
  const pairs = [...scenes.entries()].flatMap(([at, one]) => {
    const isInBoth = one.stored !== undefined && one.place !== null && !one.approved.omitted && !one.scene.omitted;
    return isInBoth ? [{ one, at }] : [];
  });
  const known = new Set(approved.flatMap(({ approved: { cast } }) => cast.map(capitals)));
  const taken = new Set<string>();
  return [...scenesOf(pairs).values()].flatMap(({ name: from, pairs }): CharacterRename[] => {
    const [staying, left] = [true, false].map((stays) =>
      pairs.filter(({ one: { scene } }) => hasName(scene.cast, from) === stays),
    ) as [Pair[], Pair[]]; // one list for each of two values
    const counts = new Map<string, Pair[]>();
    for (const pair of left)
      for (const name of pair.one.scene.cast)
        if (!known.has(capitals(name)) && !taken.has(capitals(name))) listAt(counts, name).push(pair);
    const isOne = ([to, of]: readonly [string, readonly Pair[]]) =>
      of.length >= 2 &&
      of.length * 2 > pairs.length &&
      drafted.every(({ scene: { cast } }) => !hasName(cast, from) || !hasName(cast, to)) &&
      of.some(({ one: { approved, scene } }) => {
        return approved.text !== null && withName(approved, { from, to }, scene).text === scene.text;
      });
    const [found] = [...counts].filter(isOne);
    if (found === undefined) return [];
    const [to, of] = found;
    taken.add(capitals(to));
    const numbersOf = (list: readonly Pair[]) => list.map(({ one }) => one.approved.number);
    const positionsOf = (list: readonly Pair[]) => list.map(({ at }) => at);
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

/** A scene as the newest draft calls its characters; `at` is its index. */
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
export const speaksIn = ({ cast }: DraftScene, name: string): boolean => hasName(cast, name);

/** What someone decides about a rename. */
export const fieldsOfRename = ({ from, to, scenes, except }: CharacterRename): FieldChanges => ({
  character: { from, to },
  scenes: { from: null, to: scenes },
  ...(except.length > 0 && { except: { from: null, to: except } }),
});
