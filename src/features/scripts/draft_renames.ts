// Compares a draft with a script whose characters have the names that the draft gives them, and leaves the names of the script until someone decides.

import type { StoredProduction } from "../documents/nouns/stored.ts";
import {
  type CharacterRename,
  characterRenames,
  fieldsOfRename,
  hasCharacter,
  isRename,
  renameOf,
  withFormerCast,
  withName,
  withRenames,
} from "./character_renames.ts";
import type { Colors, Compared, KnownScene, RaisedChange } from "./comparing.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { Matching } from "./matching.ts";
import { dependenciesOf } from "./scene_changes.ts";
import type { Proposal } from "./script_store.ts";

/** The renames of a draft, and the scenes that it is compared with. */
export interface DraftRenames {
  /** Those that someone decides, and those that the production has already. */
  asked: readonly CharacterRename[];
  done: readonly CharacterRename[];
  /** The scenes with the names of the production, and with those of the draft. */
  base: readonly KnownScene[];
  known: readonly KnownScene[];
  /** Gives the scenes of a compared script the names of the production back. */
  keepNames(next: Compared["next"]): void;
}

const renamedScenes = (
  scenes: readonly KnownScene[],
  renames: readonly CharacterRename[],
  partners: ReadonlyMap<number, DraftScene | undefined>,
): readonly KnownScene[] => {
  if (renames.length === 0) return scenes;
  return scenes.map((one, at) => {
    const renamed = (scene: DraftScene) => withRenames(scene, renames, at, partners.get(at));
    const scene = renamed(one.scene);
    return { ...one, scene, approved: one.approved === one.scene ? scene : renamed(one.approved) };
  });
};

function renamesOf(
  found: readonly KnownScene[],
  { asked, done }: Pick<DraftRenames, "asked" | "done">,
  partners: ReadonlyMap<number, DraftScene | undefined>,
): DraftRenames {
  const base = renamedScenes(found, done, partners);
  const known = renamedScenes(base, asked, partners);
  const keepNames = (next: Compared["next"]) => {
    for (const [at, row] of asked.length === 0 ? [] : next.entries()) {
      const [was, is] = [base[at], known[at]];
      if (row === undefined || was === undefined) continue;
      if (row.approved !== null)
        row.approved = row.approved === is?.approved ? was.approved : withFormerCast(row.approved, asked);
      row.scene = row.scene === is?.scene ? was.scene : withFormerCast(row.scene, asked);
    }
  };
  return { asked, done, base, known, keepNames };
}

/** The renames that a draft brings. */
export function draftRenames(
  stored: StoredProduction,
  found: readonly KnownScene[],
  draft: ScriptDraft,
  { pairs }: Matching,
): DraftRenames {
  const scenes = found.map(({ scene }) => scene);
  const renames = characterRenames(scenes, draft.scenes, pairs);
  const { asked = [], done = [] } = Object.groupBy(renames, ({ from }) =>
    hasCharacter(stored, from) ? "asked" : "done",
  );
  return renamesOf(found, { asked, done }, new Map(pairs.map(({ before, after }) => [before, draft.scenes[after]])));
}

/** The renames that wait: revised pages, which bring none, call the characters by their new names. */
export function waitingRenames(proposals: readonly Proposal[], found: readonly KnownScene[]): DraftRenames {
  const asked = proposals.flatMap(({ fields, rename }): CharacterRename[] => {
    if (!isRename(fields)) return [];
    const nodes = new Set(rename?.kept);
    const kept = found.flatMap(({ node }, at) => (node !== undefined && nodes.has(node.id) ? [at] : []));
    return [{ ...renameOf(fields), scenes: [], positions: [], except: [], kept }];
  });
  return renamesOf(found, { asked, done: [] }, new Map());
}

const maxNumber = 50;
/** The numbers of scenes, as many as the number of a change may have characters. */
const cutList = (numbers: readonly string[]): string => {
  const text = numbers.join(", ");
  return text.length > maxNumber ? `${text.slice(0, maxNumber - 2).toWellFormed()} …` : text;
};

/** The change that renames a character. The first of its scenes stands for all. */
export function raiseRename(
  rename: CharacterRename,
  { base, known, compared, colors }: Pick<DraftRenames, "base" | "known"> & { compared: Compared; colors: Colors },
): RaisedChange[] {
  const row = rename.positions.find((at) => known[at]?.node !== undefined && compared.next[at] !== undefined);
  const node = known[row ?? -1]?.node;
  const stored = compared.next[row ?? -1];
  if (row === undefined || node === undefined || stored === undefined) return [];
  const kept = new Set(rename.kept);
  const texts = base.flatMap(({ row, scene }, at) => {
    const text = (kept.has(at) ? withName(scene, rename) : known[at]?.scene)?.text;
    return row === undefined || scene.text === text ? [] : [[row.id, text]];
  });
  return [
    {
      kind: "changed",
      number: cutList(rename.scenes),
      fields: fieldsOfRename(rename),
      hint: undefined,
      node,
      row,
      place: stored.place,
      color: colors.given,
      seen: dependenciesOf(node),
      scene: stored.scene,
      rename: { texts: Object.fromEntries(texts), kept: rename.kept.flatMap((at) => known[at]?.node?.id ?? []) },
    },
  ];
}
