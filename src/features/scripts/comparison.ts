// Compares a later draft with the one before it: finds the changes that need a decision, and those that are applied without one.

import { isDeepStrictEqual } from "node:util";
import { sameName } from "../../core/spelling.ts";
import { formatEighths } from "../names/sluglines.ts";
import { append } from "../sequences/sequences.ts";
import { type DraftScene, isTagged, type ScriptDraft, withoutMark } from "./drafts.ts";
import { type Matching, matchDrafts, type SceneHint, type ScenePair } from "./matching.ts";
import { movedScenes, placesWithoutPredecessor } from "./scene_places.ts";

export interface FieldChange {
  from: unknown;
  to: unknown;
}

/** A difference that someone approves or dismisses. */
export interface DraftChange {
  kind: "added" | "changed" | "omitted";
  /** The scene's number in the later draft; in the earlier one for an omitted scene. */
  number: string;
  /** Positions in the drafts; null where the draft has no such scene. */
  before: number | null;
  after: number | null;
  /** The number of the scene before it in its draft; null for the first. */
  follows: string | null;
  /**
   * number, slugline, text (null to "changed", since the text is shown to nobody), cast, omitted, and order (the number
   * of the scene before it); beside one of these also what applies without a decision.
   */
  fields: Record<string, FieldChange>;
  /** Such as "perhaps 41, renumbered", or "2A is not there: after 2". */
  hint?: string;
}

/** A scene that differs in nothing, or only in what applies without a decision: pages (such as "1 7/8"), synopsis, script_day, tags. */
export interface SilentChange {
  before: number;
  after: number;
  /** Whether it differs from the earlier draft in what someone decides about, and is as it was approved. */
  settled: boolean;
  fields: Record<string, FieldChange>;
}

export interface DraftComparison {
  /** In the order of the later draft; an omitted scene keeps its place. */
  changes: DraftChange[];
  silent: SilentChange[];
  /** By its position in the earlier draft, whether a scene of both stands in the later one where the production has it. */
  stands: ReadonlyMap<number, boolean>;
}

/** A scene of the earlier draft as the production has it. */
export interface ApprovedScene {
  /** As it was last approved: an earlier version, where that of the earlier draft waits or was dismissed. */
  scene: DraftScene;
  /** Its index among the scenes of the production. */
  order: number;
}

/** The place of a scene in the earlier draft. */
export interface FormerPlace {
  /** Null if that draft does not have the scene. */
  at: number | null;
  /** Whether the production has it there, too. */
  stands: boolean;
  /** Whether the place waits for a decision. */
  asked: boolean;
}

export interface ComparisonOptions {
  /** The positions in the later draft of revised pages: its other scenes stay where they were, and absent ones are not omitted. If absent, it is whole. */
  pages?: ReadonlySet<number> | undefined;
  /** Each scene of the earlier draft as the production has it; undefined for one that it does not have. If absent, it has that draft. */
  approved?: readonly (ApprovedScene | undefined)[];
  /** The place of each scene of the earlier draft. If absent, each stands where it is. */
  places?: readonly FormerPlace[];
  /** Whether what differs in a scene of the earlier draft from the production waits for a decision. If absent, nothing does. */
  waiting?: readonly boolean[];
  /** Which scenes are the same, if that is known. */
  matching?: Matching;
}

/** Equal for the same names in any case and order. */
export const sameNames = (names: readonly string[]): string => JSON.stringify(names.map(sameName).sort());

/** What someone decides about. The slugline and the length of an omitted scene stay as they are. */
function decidedFields(before: DraftScene, after: DraftScene): Record<string, FieldChange> {
  const fields: Record<string, FieldChange> = {};
  const note = (name: string, from: unknown, to: unknown) => {
    fields[name] = { from, to };
  };
  if (before.number !== after.number) note("number", before.number, after.number);
  if (before.omitted !== after.omitted) note("omitted", before.omitted, after.omitted);
  if (after.omitted) return fields;
  if (sameName(before.slugline) !== sameName(after.slugline)) note("slugline", before.slugline, after.slugline);
  if (before.text !== null && before.text !== after.text && !before.omitted) note("text", null, "changed");
  if (before.text !== null && sameNames(before.cast) !== sameNames(after.cast)) note("cast", before.cast, after.cast);
  return fields;
}

/** Whether nobody has to decide about what differs between two versions of a scene. */
export const isAsDecided = (before: DraftScene, after: DraftScene): boolean =>
  Object.keys(decidedFields(before, after)).length === 0;

/** Some of the lists of a scene. */
const listsOf = (tags: DraftScene["tags"], keys: readonly string[]): DraftScene["tags"] =>
  Object.fromEntries(keys.flatMap((key) => (tags[key] === undefined ? [] : [[key, tags[key]]])));

const pagesOf = ({ eighths }: DraftScene): string | null => (eighths === null ? null : formatEighths(eighths));

/**
 * What applies without a decision. What the later draft does not say stays; an estimate replaces nothing known. `tagged`: the later
 * draft says what is tagged, so that a list which it does not have goes, if the earlier draft has it.
 */
function silentFields(before: DraftScene, after: DraftScene, tagged: boolean): Record<string, FieldChange> {
  const fields: Record<string, FieldChange> = {};
  if (after.omitted) return fields;
  const isGuess = after.estimated && !before.estimated && before.eighths !== null;
  if (after.eighths !== null && before.eighths !== after.eighths && !isGuess)
    fields.pages = { from: pagesOf(before), to: pagesOf(after) };
  for (const name of ["synopsis", "script_day"] as const)
    if (after[name] !== null && before[name] !== after[name]) fields[name] = { from: before[name], to: after[name] };
  const former = before.text === null ? listsOf(before.tags, Object.keys(after.tags)) : before.tags;
  if (tagged && !isDeepStrictEqual(former, after.tags)) fields.tags = { from: former, to: after.tags };
  return fields;
}

const numberBefore = ({ scenes }: ScriptDraft, at: number): string | null => {
  const scene = scenes[at - 1];
  return scene === undefined ? null : withoutMark(scene.number);
};

/** The hint of a change, if there is any. */
function hinted(...hints: (string | undefined)[]): { hint?: string } {
  const hint = hints.filter((one) => one !== undefined).join("; ");
  return hint === "" ? {} : { hint };
}

/** The other scene of the first hint about each. */
const hintsBy = (hints: readonly SceneHint[], own: "before" | "after", other: "before" | "after") =>
  new Map(hints.toReversed().map((hint) => [hint[own], hint[other]]));

/**
 * How `after` differs from `before`. A scene whose number changed is one changed scene. A change of length alone asks
 * for no decision. Scenes of `before` without text, which come from a production that has no draft yet, differ in
 * number and slugline alone.
 */
export function compareDrafts(
  before: ScriptDraft,
  after: ScriptDraft,
  options: ComparisonOptions = {},
): DraftComparison {
  const { approved, waiting } = options;
  const { pairs, hints } = options.matching ?? matchDrafts(before.scenes, after.scenes);
  const { moved, stands } = movedScenes(before, after, pairs, options);
  const tagged = isTagged(after);
  const partners = new Map(pairs.map((pair) => [pair.after, pair.before]));
  const hintOf = hintsBy(hints, "after", "before");
  const elsewhere = placesWithoutPredecessor(after, (at) => {
    const partner = partners.get(at);
    const isAdded = partner === undefined || (approved?.[partner] === undefined && waiting?.[partner] === true);
    const isPlaced = isAdded || (stands.get(partner) ?? options.places?.[partner]?.stands ?? true);
    return isPlaced || moved.has(at);
  });
  const changes: DraftChange[] = [];
  const silent: SilentChange[] = [];
  for (const [at, scene] of after.scenes.entries()) {
    const partner = partners.get(at);
    const change = { number: scene.number, after: at, follows: numberBefore(after, at) };
    if (partner === undefined) {
      const likely = before.scenes[hintOf.get(at) ?? -1]?.number;
      const perhaps = likely === undefined ? undefined : `perhaps ${likely}, renumbered`;
      const fields: DraftChange["fields"] = scene.omitted ? { omitted: { from: null, to: true } } : {};
      changes.push({ kind: "added", before: null, ...change, fields, ...hinted(perhaps, elsewhere[at]) });
      continue;
    }
    const old = before.scenes[partner] as DraftScene;
    const known = approved === undefined ? old : approved[partner]?.scene;
    const waits = waiting?.[partner] === true;
    const isNew = Object.keys(decidedFields(old, scene)).length > 0;
    const isAsked = isNew || waits;
    const hint = hinted(moved.has(at) ? elsewhere[at] : undefined);
    if (known === undefined && (waits || moved.has(at) || (isNew && !scene.omitted))) {
      changes.push({ kind: "added", before: partner, ...change, fields: {}, ...hinted(elsewhere[at]) });
      continue;
    }
    // What was dismissed is asked again with the next change of its scene, but for an addition that the draft omits again.
    const fields = isAsked && known !== undefined ? decidedFields(known, scene) : {};
    if (moved.has(at)) fields.order = { from: numberBefore(before, partner), to: change.follows };
    const applied = silentFields(waits ? (known ?? old) : old, scene, tagged);
    if (Object.keys(fields).length === 0)
      silent.push({ before: partner, after: at, settled: isAsked, fields: applied });
    else {
      const kind = fields.omitted?.to === true ? "omitted" : "changed";
      changes.push({ kind, before: partner, ...change, fields: { ...fields, ...applied }, ...hint });
    }
  }
  append(changes, absentScenes(before, after, pairs, hints, options));
  // An omitted scene stands after what became of the scene before it.
  const afterOf = new Map(pairs.map((pair) => [pair.before, pair.after]));
  let last = -1;
  const places = before.scenes.map((_, at) => {
    last = afterOf.get(at) ?? last;
    return last + 0.5;
  });
  const place = (change: DraftChange): number => change.after ?? (places[change.before as number] as number);
  changes.sort((a, b) => place(a) - place(b) || (a.before ?? 0) - (b.before ?? 0));
  return { changes, silent, stands };
}

/** Scenes of the earlier draft that the later one has not; one that was omitted before stays so. */
function absentScenes(
  before: ScriptDraft,
  after: ScriptDraft,
  pairs: readonly ScenePair[],
  hints: readonly SceneHint[],
  { pages, waiting }: ComparisonOptions,
): DraftChange[] {
  const paired = new Set(pairs.map((pair) => pair.before));
  const hintOf = hintsBy(hints, "before", "after");
  return before.scenes.flatMap(({ number, omitted }, at): DraftChange[] => {
    const isAsked = pages === undefined && !omitted;
    if (paired.has(at) || !(isAsked || waiting?.[at] === true)) return [];
    const likely = after.scenes[hintOf.get(at) ?? -1]?.number;
    return [
      {
        kind: "omitted",
        number,
        before: at,
        after: null,
        follows: numberBefore(before, at),
        fields: { omitted: { from: false, to: true } },
        ...hinted(likely === undefined ? undefined : `perhaps now ${likely}`),
      },
    ];
  });
}
