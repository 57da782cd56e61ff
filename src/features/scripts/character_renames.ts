// Finds characters that a later draft calls by another name in all of their scenes: one script change with all these scenes, instead of one for each.

import type { StoredProduction } from "../documents/nouns/stored.ts";
import { capitals, castOfScene, inCaseOf, type NameChange } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { wholeWords } from "../names/names.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { FieldChanges } from "./scene_changes.ts";

export interface CharacterRename extends NameChange {
  /** The numbers of its scenes in the earlier draft. */
  scenes: readonly string[];
}

const has = (names: readonly string[], name: string): boolean => names.some((one) => capitals(one) === capitals(name));

/** A scene as it is when a character has its new name: wherever the name is, or only in capitals where the later draft says so. */
function renamedScene(scene: DraftScene, { from, to }: CharacterRename, after?: DraftScene): DraftScene {
  if (!has(scene.cast, from)) return scene;
  const cast = scene.cast.map((name) => (capitals(name) === capitals(from) ? to : name));
  if (scene.text === null) return { ...scene, cast };
  const inCapitals = scene.text.replace(wholeWords([capitals(from)], "gu"), () => capitals(to));
  const everywhere = scene.text.replace(wholeWords([from], "giu"), (found) => inCaseOf(found, to));
  return { ...scene, cast, text: after?.text === inCapitals ? inCapitals : everywhere };
}

/** The numbers of the scenes of each character, by the name in capitals. */
function scenesOf(scenes: readonly DraftScene[]): Map<string, { name: string; numbers: string[] }> {
  const found = new Map<string, { name: string; numbers: string[] }>();
  for (const { number, cast, omitted } of scenes)
    for (const name of omitted ? [] : cast) {
      const one = found.get(capitals(name)) ?? { name, numbers: [] };
      found.set(capitals(name), one);
      one.numbers.push(number);
    }
  return found;
}

/**
 * The characters of several scenes that a later draft has in the same scenes under another name. The text of one of these scenes differs in
 * the name alone.
 */
export function characterRenames(before: ScriptDraft, after: ScriptDraft): CharacterRename[] {
  const [former, later] = [scenesOf(before.scenes), scenesOf(after.scenes)];
  const byNumber = new Map(after.scenes.map((scene) => [scene.number, scene]));
  const formerly = new Map(before.scenes.map((scene) => [scene.number, scene]));
  const come = Map.groupBy(
    [...later].filter(([key]) => !former.has(key)),
    ([, { numbers }]) => JSON.stringify(numbers.filter((number) => formerly.has(number))),
  );
  return [...former].flatMap(([key, { name: from, numbers }]) => {
    const scenes = numbers.filter((number) => byNumber.get(number)?.omitted === false);
    if (later.has(key) || scenes.length < 2) return [];
    const isOnly = ([, { name: to }]: readonly [string, { name: string }]) =>
      scenes.some((number) => {
        const [scene, next] = [formerly.get(number), byNumber.get(number)];
        if (scene === undefined || next === undefined || scene.text === null) return false;
        return renamedScene(scene, { from, to, scenes }, next).text === next.text;
      });
    const [found] = (come.get(JSON.stringify(scenes)) ?? []).filter(isOnly);
    return found === undefined ? [] : [{ from, to: found[1].name, scenes }];
  });
}

/** A scene as the later draft calls its characters. `renames` are by the former name in capitals. */
export function withRenames<S extends DraftScene | null>(
  scene: S,
  renames: ReadonlyMap<string, CharacterRename>,
  after: ReadonlyMap<string, DraftScene>,
): S | DraftScene {
  if (scene === null) return scene;
  const own = scene.cast.flatMap((name) => renames.get(capitals(name)) ?? []);
  return own.reduce<DraftScene>((now, rename) => renamedScene(now, rename, after.get(now.number)), scene);
}

export const byFormerName = (renames: readonly CharacterRename[]): Map<string, CharacterRename> =>
  new Map(renames.map((rename) => [capitals(rename.from), rename]));

export const isRename = (fields: FieldChanges): boolean => "character" in fields;

/** The names of a change that is a rename. */
export function renameOf({ character }: FieldChanges): NameChange {
  const { from, to } = character as { from: string; to: string }; // a rename has both
  return { from, to };
}

/** What someone decides about a rename. */
export const fieldsOfRename = ({ from, to, scenes }: CharacterRename): FieldChanges => ({
  character: { from, to },
  scenes: { from: null, to: scenes },
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
