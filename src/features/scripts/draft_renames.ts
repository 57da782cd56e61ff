// Compares a draft with a script whose characters have the names that the draft gives them, and leaves the approved names until someone decides.

import type { StoredProduction } from "../documents/nouns/stored.ts";
import {
  type CharacterRename,
  characterRenames,
  fieldsOfRename,
  hasCharacter,
  isRename,
  isSameRename,
  renameOf,
  withFormerCast,
  withRenames,
} from "./character_renames.ts";
import type { Colors, Compared, KnownScene, RaisedChange } from "./comparing.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { Matching } from "./matching.ts";
import type { PendingChange } from "./script_store.ts";

/** The renames of a draft that someone decides, and the scenes that it is compared with. */
export interface DraftRenames {
  asked: readonly CharacterRename[];
  /** The scenes with the names of the draft. */
  known: readonly KnownScene[];
  /** Gives the approved scenes of a compared script the names of the production back. */
  keepNames(next: Compared["next"]): void;
}

function renamedScenes(
  scenes: readonly KnownScene[],
  renames: readonly CharacterRename[],
  partners: ReadonlyMap<number, DraftScene>,
): readonly KnownScene[] {
  if (renames.length === 0) return scenes;
  return scenes.map((one, at) => {
    const renamed = (scene: DraftScene) => withRenames(scene, renames, at, partners.get(at));
    const scene = renamed(one.scene);
    return { ...one, scene, approved: one.approved === one.scene ? scene : renamed(one.approved) };
  });
}

/** The renames that the newest draft has: they wait, or somebody dismissed them. */
function formerRenames(found: readonly KnownScene[]): CharacterRename[] {
  const drafted = found.filter(({ row }) => row?.place !== null);
  const pairs = drafted.map((_, at) => ({ before: at, after: at, by: "number" as const }));
  const [approved, newest] = [drafted.map(({ approved }) => approved), drafted.map(({ scene }) => scene)];
  return characterRenames(approved, newest, pairs);
}

/**
 * The renames between the approved script and a draft, but for those that were dismissed in the newest draft. Revised pages bring none: of
 * them only those that wait.
 */
export function draftRenames(
  stored: StoredProduction,
  found: readonly KnownScene[],
  pending: readonly PendingChange[],
  { draft, matching: { pairs }, pages }: { draft: ScriptDraft; matching: Matching; pages: boolean },
): DraftRenames {
  const approved = found.map(({ approved }) => approved);
  const waiting = pending.flatMap(({ fields }) => (isRename(fields) ? renameOf(fields) : []));
  const all = characterRenames(approved, draft.scenes, pairs);
  const former = all.length === 0 ? [] : formerRenames(found);
  const waits = (one: CharacterRename) => waiting.some((other) => isSameRename(one, other));
  const isOpen = (one: CharacterRename) => waits(one) || !(pages || former.some((other) => isSameRename(one, other)));
  const { asked = [], done = [] } = Object.groupBy(all.filter(isOpen), ({ from }) =>
    hasCharacter(stored, from) ? "asked" : "done",
  );
  const partners = new Map(pairs.map(({ before, after }) => [before, draft.scenes[after] as DraftScene]));
  const base = renamedScenes(found, done, partners);
  const known = renamedScenes(base, asked, partners);
  const keepNames = (next: Compared["next"]) => {
    for (const [at, row] of asked.length === 0 ? [] : next.entries()) {
      const [was, is] = [base[at], known[at]];
      if (row === undefined || row.node_id === null || was === undefined || is === undefined) continue;
      const last = row.approved ?? row.scene;
      const kept = last === is.approved ? was.approved : withFormerCast(last, asked);
      if (kept !== row.scene && kept.cast.join() !== last.cast.join()) row.approved = kept;
    }
  };
  return { asked, known, keepNames };
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
  known: readonly KnownScene[],
  { next }: Compared,
  colors: Colors,
): RaisedChange[] {
  const at = rename.positions.find((at) => known[at]?.node !== undefined && next[at] !== undefined) ?? -1;
  const [one, row] = [known[at], next[at]];
  if (one === undefined || row === undefined) return [];
  return [
    {
      kind: "changed",
      number: cutList(rename.scenes),
      fields: fieldsOfRename(rename),
      hint: undefined,
      node: one.node,
      row: undefined,
      known: undefined,
      place: row.place,
      color: colors.given,
      scene: row.scene,
    },
  ];
}
