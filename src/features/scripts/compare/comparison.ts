// Finds what the newest draft of a script changes and nobody decided: compares it with what was approved, less what was
// dismissed. A pure function, without a database.
import { isDeepStrictEqual } from "node:util";
import { sameName } from "../../../core/wording.ts";
import { type NameChange, renamedCast } from "../../documents/cast_names.ts";
import { textsIn } from "../../names/sluglines.ts";
import { type ComparedScene, type Dismissed, dismissedOf, isContentDismissed, isPlaceDismissed } from "./compared.ts";
import { type DraftScene, withoutMark } from "./drafts.ts";
import {
  differingFields,
  type FieldChanges,
  fieldsForStored,
  isAsDecided,
  isEmpty,
  silentFields,
  withSilent,
} from "./fields.ts";
import { inDraft, isMoved, placesWithoutPredecessor, standingScenes } from "./places.ts";
import {
  type CharacterRename,
  characterRenames,
  fieldsOfRename,
  renameKey,
  renamesOf,
  withRenames,
} from "./renames.ts";

/** A difference that someone approves or dismisses. */
export interface Question<S = ComparedScene> {
  kind: "added" | "changed" | "omitted";
  /** Its scene; of a rename, the first of its scenes. */
  of: S;
  /** The scene's number in the newest draft; of a rename, those of its scenes. */
  number: string;
  /**
   * number, slugline, text (null to "changed", since the text is shown to nobody), cast, omitted, and order (the number
   * of the scene before it); beside one of these also what applies without a decision. Of a rename: character, scenes
   * and except.
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

export interface Comparison<S> {
  /** In the order of the newest draft; an omitted scene keeps its place. Renames come last. */
  questions: Question<S>[];
  /** Of each scene, in the order of the scenes. */
  settled: SettledScene[];
  /** The renames that the draft has, of characters that the production knows by the former name. */
  renames: CharacterRename[];
}

export interface KnownNames {
  /** Whether the production has a character of the name. */
  hasCharacter(name: string): boolean;
  /** The renames that somebody dismissed. */
  dismissed: readonly NameChange[];
  /** The names that its approved text has of characters whom another episode renamed, with those of today. */
  aliases?: readonly NameChange[];
}

const maxNumber = 50;

/** The number of the change of a rename: those of the scenes, as many as it may have characters. */
function questionOfRename<S extends ComparedScene>(rename: CharacterRename<S>): Question<S> {
  const [of] = rename.scenes as [S]; // it has two at least
  const numbers = rename.scenes.map(({ approved }) => approved.number).join(", ");
  const number = numbers.length > maxNumber ? `${numbers.slice(0, maxNumber - 2).toWellFormed()} …` : numbers;
  return { kind: "changed", of, number, fields: fieldsOfRename(rename), hint: undefined };
}

/** The number of the scene after which each of a list comes; null for the first. */
const predecessors = <S>(order: readonly S[], numberOf: (one: S) => string): Map<S, string | null> =>
  // it is not the first
  new Map(order.map((one, at) => [one, at === 0 ? null : withoutMark(numberOf(order[at - 1] as S))]));

/** The fields of a change with the names that characters have today. */
function withNamesOfToday(fields: FieldChanges, aliases: readonly NameChange[]): FieldChanges {
  const { cast, ...others } = fields;
  if (cast === undefined || aliases.length === 0) return fields;
  const namesOf = (value: unknown) => (Array.isArray(value) ? (renamedCast(textsIn(value), aliases) ?? value) : value);
  const named = { from: namesOf(cast.from), to: namesOf(cast.to) };
  return isDeepStrictEqual(named.from, named.to) ? others : { ...fields, cast: named };
}

/** The fields of an addition. */
function addedFields({ number, slugline, cast, omitted }: DraftScene, follows: string | null): FieldChanges {
  const added = { number, slugline, ...(cast.length > 0 && { cast }), ...(omitted && { omitted }), order: follows };
  return Object.fromEntries(Object.entries(added).map(([name, to]) => [name, { from: null, to }]));
}

/**
 * Sorts questions into the order of the draft: a scene that it lacks comes after what became of the scene before it.
 */
function inScriptOrder<S extends ComparedScene>(questions: Question<S>[], scenes: readonly S[]): Question<S>[] {
  let last = -1;
  const places = new Map(
    scenes.map((one) => {
      last = one.place ?? last;
      return [one, one.place ?? last + 0.5];
    }),
  );
  const placeOf = ({ of }: Question<S>) => places.get(of) as number; // of every scene
  return questions.sort((one, other) => placeOf(one) - placeOf(other));
}

/**
 * Compares the newest draft with what was approved. The scenes are in the order of the draft before it, and then the
 * new ones.
 */
export function compareScript<S extends ComparedScene>(scenes: readonly S[], names: KnownNames): Comparison<S> {
  const { aliases = [] } = names;
  const nameToday = (name: string) => aliases.find(({ from }) => sameName(from) === sameName(name))?.to;
  const isKnown = ({ from, to }: NameChange): boolean => {
    const today = nameToday(from);
    return today === undefined ? names.hasCharacter(from) : sameName(today) !== sameName(to);
  };
  const { known = [], handmade = [] } = Object.groupBy(characterRenames(scenes, names.dismissed), (one) =>
    isKnown(one) ? "known" : "handmade",
  );
  const order = inDraft(scenes);
  const standing = standingScenes(order);
  const elsewhere = placesWithoutPredecessor(order, standing);
  const follows = predecessors(order, ({ scene }) => scene.number);
  const stored = scenes.filter((one) => one.stored !== undefined);
  stored.sort((one, other) => Number(one.stored?.order) - Number(other.stored?.order));
  const followed = predecessors(stored, (one) => String(one.stored?.number));

  const questions: Question<S>[] = [];
  const settled = scenes.map((one): SettledScene => {
    const { scene, stored, dismissed, former = scene } = one;
    const ask = (kind: Question["kind"], fields: FieldChanges, isElsewhere: boolean) => {
      const hints = [one.hint, isElsewhere ? elsewhere.get(one) : undefined].filter((part) => part !== undefined);
      questions.push({ kind, of: one, number: scene.number, fields, hint: hints.join("; ") || undefined });
    };
    if (stored === undefined) {
      if (dismissed === 0) ask("added", withNamesOfToday(addedFields(scene, follows.get(one) ?? null), aliases), true);
      return { approved: scene, dismissed, silent: {} };
    }
    const approved = withRenames(one.approved, handmade, one);
    const named = withRenames(approved, known, one);
    const standsAs = named.omitted === stored.omitted ? named : { ...named, omitted: stored.omitted };
    const differing = fieldsForStored(withNamesOfToday(differingFields(standsAs, scene), aliases), stored);
    const asksPlace = !standing.has(one) && one.place !== null && isMoved(one);
    const isSilenced = isContentDismissed(one);
    const isElsewhere = isPlaceDismissed(one) && !standing.has(one);
    const fields = isSilenced ? {} : { ...differing };
    if (asksPlace) fields.order = { from: followed.get(one) ?? null, to: follows.get(one) ?? null };
    if (!isEmpty(fields)) {
      const isOmission = fields.omitted?.to === true;
      ask(isOmission ? "omitted" : "changed", { ...fields, ...silentFields(named, scene, stored) }, asksPlace);
      return { approved, dismissed: dismissedOf(isSilenced, isElsewhere), silent: {} };
    }
    const unasked = silentFields(approved, scene, stored);
    const isOpen = isSilenced && !(isEmpty(differing) && isEmpty(unasked));
    const silent = isOpen ? silentFields(former, scene, stored) : unasked;
    const isRenamed = named.cast.join() !== approved.cast.join();
    const kept = isOpen || isRenamed ? withSilent(approved, isOpen && former === scene ? approved : scene) : scene;
    const left = isOpen || !isAsDecided(kept, scene) ? kept : scene;
    return { approved: left, dismissed: dismissedOf(isOpen, isElsewhere), silent };
  });
  const dismissed = renamesOf(names.dismissed);
  const asked = known.filter((one) => !dismissed.has(renameKey(one)));
  return {
    questions: [...inScriptOrder(questions, scenes), ...asked.map(questionOfRename)],
    settled,
    renames: known,
  };
}
