// Finds what the newest draft of a script changes and nobody decided: compares it with what was approved, less what was dismissed. A pure function,
// without a database.

import type { NameChange } from "../../documents/plan/scenes.ts";
import { type ComparedScene, type Dismissed, dismissedOf, isContentDismissed, isPlaceDismissed } from "./compared.ts";
import { type DraftScene, withoutMark } from "./drafts.ts";
import {
  differingFields,
  type FieldChanges,
  fieldsForStored,
  isAsDecided,
  silentFields,
  withSilent,
} from "./fields.ts";
import { inDraft, isMoved, placesWithoutPredecessor, standingScenes } from "./places.ts";
import { type CharacterRename, characterRenames, fieldsOfRename, isSameRename, withRenames } from "./renames.ts";

/** A difference that someone approves or dismisses. */
export interface Question {
  kind: "added" | "changed" | "omitted";
  /** The index of its scene; of a rename, of the first of its scenes. */
  at: number;
  /** The scene's number in the newest draft; of a rename, those of its scenes. */
  number: string;
  /**
   * number, slugline, text (null to "changed", since the text is shown to nobody), cast, omitted, and order (the number of the scene before it);
   * beside one of these also what applies without a decision. Of a rename: character, scenes and except.
   */
  fields: FieldChanges;
  /** Such as "perhaps 41, renumbered", or "2A is not there: after 2". */
  hint: string | undefined;
}

/** What becomes of a scene about which nobody is asked. */
export interface SettledScene {
  /** As approved from now on. */
  approved: DraftScene;
  dismissed: Dismissed;
  /** What applies without a decision: pages (such as "1 7/8"), synopsis, script_day, tags. */
  silent: FieldChanges;
}

export interface Comparison {
  /** In the order of the newest draft; an omitted scene keeps its place. Renames come last. */
  questions: Question[];
  /** By the index of the scene. */
  settled: SettledScene[];
  /** The renames that the draft has, of characters that the production knows by the former name. */
  renames: CharacterRename[];
}

export interface KnownNames {
  /** Whether the production has a character of the name. */
  hasCharacter(name: string): boolean;
  /** The renames that somebody dismissed. */
  dismissed: readonly NameChange[];
}

const maxNumber = 50;
/** The numbers of scenes, as many as the number of a change may have characters. */
const cutList = (numbers: readonly string[]): string => {
  const text = numbers.join(", ");
  return text.length > maxNumber ? `${text.slice(0, maxNumber - 2).toWellFormed()} …` : text;
};

const questionOfRename = (rename: CharacterRename): Question => ({
  kind: "changed",
  at: rename.positions[0] as number, // it has two at least
  number: cutList(rename.scenes),
  fields: fieldsOfRename(rename),
  hint: undefined,
});

/** The number of the scene after which another one comes; null for the first. */
const numberBefore = (scene: { number: string } | undefined): string | null =>
  scene === undefined ? null : withoutMark(scene.number);

/** The fields of an addition. */
function addedFields({ number, slugline, cast, omitted }: DraftScene, follows: string | null): FieldChanges {
  const added = { number, slugline, ...(cast.length > 0 && { cast }), ...(omitted && { omitted }), order: follows };
  return Object.fromEntries(Object.entries(added).map(([name, to]) => [name, { from: null, to }]));
}

/** Sorts questions into the order of the draft: a scene that it lacks comes after what became of the scene before it. */
function inScriptOrder(questions: Question[], scenes: readonly ComparedScene[]): Question[] {
  let last = -1;
  const places = scenes.map(({ place }) => {
    last = place ?? last;
    return place ?? last + 0.5;
  });
  const placeOf = ({ at }: Question) => places[at] as number; // of every scene
  return questions.sort((one, other) => placeOf(one) - placeOf(other) || one.at - other.at);
}

/** Compares the newest draft with what was approved. The scenes are in the order of the draft before it, and then the new ones. */
export function compareScript(scenes: readonly ComparedScene[], names: KnownNames): Comparison {
  const { known = [], handmade = [] } = Object.groupBy(characterRenames(scenes), ({ from }) =>
    names.hasCharacter(from) ? "known" : "handmade",
  );
  const order = inDraft(scenes);
  const standing = standingScenes(scenes, order);
  const elsewhere = placesWithoutPredecessor(scenes, order, standing);
  const follows = new Map(order.map((at, index) => [at, numberBefore(scenes[order[index - 1] ?? -1]?.scene)]));
  const stored = [...scenes.entries()]
    .flatMap(([at, one]) => (one.stored === undefined ? [] : [{ at, ...one.stored }]))
    .sort((one, other) => one.order - other.order);
  const followed = new Map(stored.map(({ at }, index) => [at, numberBefore(stored[index - 1])]));

  const questions: Question[] = [];
  const settled = [...scenes.entries()].map(([at, one]): SettledScene => {
    const { scene, stored, dismissed, former = scene } = one;
    const isPlaced = standing.has(at) || one.place === null || scene.omitted;
    const ask = (kind: Question["kind"], fields: FieldChanges, isElsewhere: boolean) => {
      const hint = [one.hint, isElsewhere ? elsewhere.get(at) : undefined]
        .filter((part) => part !== undefined)
        .join("; ");
      questions.push({ kind, at, number: scene.number, fields, hint: hint || undefined });
    };
    if (stored === undefined) {
      if (dismissed === 0) ask("added", addedFields(scene, follows.get(at) ?? null), true);
      return { approved: scene, dismissed, silent: {} };
    }
    const approved = withRenames(one.approved, handmade, at, scene);
    const named = withRenames(approved, known, at, scene);
    const standsAs = named.omitted === stored.omitted ? named : { ...named, omitted: stored.omitted };
    const differing = fieldsForStored(differingFields(standsAs, scene), stored);
    const isDiffering = Object.keys(differing).length > 0;
    const asksPlace = !isPlaced && isMoved(one);
    const isSilenced = isContentDismissed(one);
    const isElsewhere = isPlaceDismissed(one) && !standing.has(at);
    const fields = isSilenced ? {} : differing;
    if (asksPlace) fields.order = { from: followed.get(at) ?? null, to: follows.get(at) ?? null };
    if (Object.keys(fields).length > 0) {
      const isOmission = fields.omitted?.to === true;
      const silent = silentFields(named, scene);
      ask(isOmission ? "omitted" : "changed", { ...fields, ...silent }, asksPlace);
      return { approved, dismissed: dismissedOf(isSilenced, isElsewhere), silent: {} };
    }
    const unasked = silentFields(approved, scene);
    const isOpen = isSilenced && (isDiffering || Object.keys(unasked).length > 0);
    const silent = isOpen ? silentFields(former, scene) : unasked;
    const isRenamed = named.cast.join() !== approved.cast.join();
    const kept = isOpen || isRenamed ? withSilent(approved, isOpen && former === scene ? approved : scene) : scene;
    const left = isOpen || !isAsDecided(kept, scene) ? kept : scene;
    return { approved: left, dismissed: dismissedOf(isOpen, isElsewhere), silent };
  });
  const asked = known.filter((one) => !names.dismissed.some((other) => isSameRename(one, other)));
  return {
    questions: [...inScriptOrder(questions, scenes), ...asked.map(questionOfRename)],
    settled,
    renames: known,
  };
}
