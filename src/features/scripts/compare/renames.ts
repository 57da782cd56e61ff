// Finds characters that the newest draft calls by another name in most of their scenes: one script change with these
// scenes, instead of one for each.
import { sameName } from "../../../core/wording.ts";
import { capitals, inCaseOf, type NameChange } from "../../documents/cast_names.ts";
import { wholeWords } from "../../names/names.ts";
import { listAt } from "../../sequences/sequences.ts";
import type { ComparedScene } from "./compared.ts";
import type { DraftScene } from "./drafts.ts";
import type { FieldChanges } from "./fields.ts";
import { withText } from "./scene_text.ts";

export interface CharacterRename<S = ComparedScene> extends NameChange {
  /** Its scenes that the newest draft has with the new name, and those in which it keeps the former one. */
  scenes: readonly S[];
  kept: readonly S[];
}

const formsByList = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The forms of the names of a list. They stay with the list, because every scene is asked for every character. */
function namesIn(names: readonly string[]): ReadonlySet<string> {
  const known = formsByList.get(names) ?? new Set(names.map(sameName));
  formsByList.set(names, known);
  return known;
}

/** Whether a name is one of a list, in any of its forms. The list may not change later. */
export const hasName = (names: readonly string[], name: string): boolean => namesIn(names).has(sameName(name));

const namesWith = (names: readonly string[], { from, to }: NameChange): string[] =>
  names.map((name) => (sameName(name) === sameName(from) ? to : name));

/**
 * A scene as it is when a character has its new name: wherever the name is, or only in the cues, in capitals, where the
 * later draft says so.
 */
export function withName(scene: DraftScene, rename: NameChange, after?: DraftScene): DraftScene {
  const { from, to } = rename;
  if (!hasName(scene.cast, from)) return scene;
  const renamed = { ...scene, cast: namesWith(scene.cast, rename) };
  if (scene.text === null || scene.text === after?.text) return renamed;
  const cues = withText(renamed, (text) => text.replace(wholeWords([capitals(from)], "gu"), () => capitals(to)));
  if (after?.text === cues.text) return cues;
  return withText(renamed, (text) => text.replace(wholeWords([from], "giu"), (found) => inCaseOf(found, to)));
}

/** A scene with the names that it has while renames wait for a decision. */
export const withFormerCast = <S extends { cast: string[] }>(scene: S, former: ReadonlyMap<string, string>): S => ({
  ...scene,
  cast: scene.cast.map((name) => former.get(sameName(name)) ?? name),
});

/** The former names by the forms of the new ones. */
export const formerByNew = (renames: readonly NameChange[]): ReadonlyMap<string, string> =>
  new Map(renames.toReversed().map(({ from, to }) => [sameName(to), from]));

/** The scenes in which a character is, by the form of the name. */
function scenesByName<S extends ComparedScene>(scenes: readonly S[]): Map<string, { name: string; all: S[] }> {
  const found = new Map<string, { name: string; all: S[] }>();
  for (const one of scenes)
    for (const name of one.approved.cast) {
      const known = found.get(sameName(name)) ?? { name, all: [] };
      found.set(sameName(name), known);
      known.all.push(one);
    }
  return found;
}

/**
 * Whether the text of a scene differs in the name alone, or in the names of all in its cast who have another one where
 * they stood, such as two who always speak together.
 */
function isRenamedAlone({ approved, scene }: ComparedScene, rename: NameChange): boolean {
  if (approved.text === null) return false;
  const all = approved.cast.map((from, at): NameChange => ({ from, to: scene.cast[at] ?? from }));
  const others = all.some((one) => isSameRename(one, rename)) ? all.filter(({ from, to }) => from !== to) : [];
  return [[rename], others].some((renames) => {
    return renames.reduce((one, rename) => withName(one, rename, scene), approved).text === scene.text;
  });
}

/**
 * The characters whom the newest draft calls by another name, which the approved scenes do not have, in at least two of
 * their scenes and in more than it does not. The text of one of these scenes differs in names alone. A rename that was
 * `dismissed` stays one wherever the draft has it.
 */
export function characterRenames<S extends ComparedScene>(
  scenes: readonly S[],
  dismissed: readonly NameChange[] = [],
): CharacterRename<S>[] {
  const drafted = scenes.filter(({ place }) => place !== null);
  const stored = scenes.filter(({ stored }) => stored !== undefined);
  const inBoth = stored.filter(({ place, approved, scene }) => place !== null && !approved.omitted && !scene.omitted);
  const known = new Set(stored.flatMap(({ approved: { cast } }) => cast.map(sameName)));
  const taken = new Set<string>();
  const dismissedOnes = renamesOf(dismissed);
  const draftedWith = new Map<string, S[]>();
  for (const one of drafted) for (const name of namesIn(one.scene.cast)) listAt(draftedWith, name).push(one);
  const areApart = (from: string, to: string) =>
    !(draftedWith.get(sameName(from)) ?? []).some(({ scene: { cast } }) => hasName(cast, to));
  return [...scenesByName(inBoth).values()].flatMap(({ name: from, all }): CharacterRename<S>[] => {
    const { kept = [], left = [] } = Object.groupBy(all, ({ scene }) => (hasName(scene.cast, from) ? "kept" : "left"));
    const counts = new Map<string, S[]>();
    for (const one of left)
      for (const name of one.scene.cast)
        if (!known.has(sameName(name)) && !taken.has(sameName(name))) listAt(counts, name).push(one);
    const isFound = (to: string, scenes: readonly S[]) =>
      scenes.length >= 2 && scenes.length * 2 > all.length && scenes.some((one) => isRenamedAlone(one, { from, to }));
    const isOne = ([to, scenes]: readonly [string, readonly S[]]) =>
      areApart(from, to) && (dismissedOnes.has(renameKey({ from, to })) || isFound(to, scenes));
    const [found] = [...counts].filter(isOne);
    if (found === undefined) return [];
    const [to, renamed] = found;
    taken.add(sameName(to));
    return [{ from, to, scenes: renamed, kept }];
  });
}

/** A rename with its place in a list, and the scenes that keep the former name. */
interface Former {
  rename: CharacterRename;
  at: number;
  kept: ReadonlySet<ComparedScene>;
}
const formerNames = new WeakMap<readonly CharacterRename[], ReadonlyMap<string, Former>>();

/** The renames of a list by the form of the former name. No two are of one name, and none gives a former name. */
function byFormerName(renames: readonly CharacterRename[]): ReadonlyMap<string, Former> {
  const known =
    formerNames.get(renames) ??
    new Map(renames.map((rename, at) => [sameName(rename.from), { rename, at, kept: new Set(rename.kept) }]));
  formerNames.set(renames, known);
  return known;
}

/** An approved scene as the newest draft calls its characters. */
export function withRenames(scene: DraftScene, renames: readonly CharacterRename[], one: ComparedScene): DraftScene {
  const known = byFormerName(renames);
  const own = [...namesIn(scene.cast)].flatMap((name) => known.get(name) ?? []);
  return own
    .sort((first, second) => first.at - second.at)
    .reduce((named, { rename, kept }) => (kept.has(one) ? named : withName(named, rename, one.scene)), scene);
}

export const isRename = (fields: FieldChanges): boolean => "character" in fields;

/** The names of a change that is a rename. */
export function renameOf({ character }: FieldChanges): NameChange {
  const { from, to } = character as { from: string; to: string }; // a rename has both
  return { from, to };
}

/** The same for two renames from one name to one name, in any case. */
export const renameKey = ({ from, to }: NameChange): string => JSON.stringify([sameName(from), sameName(to)]);
const isSameRename = (one: NameChange, other: NameChange): boolean => renameKey(one) === renameKey(other);
export const renamesOf = (renames: readonly NameChange[]): ReadonlySet<string> => new Set(renames.map(renameKey));

const numbersOf = (scenes: readonly ComparedScene[]): string[] => scenes.map(({ approved }) => approved.number);

/** What someone decides about a rename: the names, and the numbers of scenes. */
export const fieldsOfRename = ({ from, to, scenes, kept }: CharacterRename): FieldChanges => ({
  character: { from, to },
  scenes: { from: null, to: numbersOf(scenes) },
  ...(kept.length > 0 && { except: { from: null, to: numbersOf(kept) } }),
});
