// Compares a later draft with the one before it: finds the changes that need a decision, and those that are applied without one.
import { isDeepStrictEqual } from "node:util";
import { formatEighths } from "../document/sections/scene_text.ts";
import { movedPositions, standingPositions } from "../sequences.ts";
import { type DraftScene, isTagged, type ScriptDraft } from "./drafts.ts";
import { type Matching, matchDrafts, type ScenePair } from "./matching.ts";

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
  /** As it was last approved: an earlier version, where that of the earlier draft was dismissed. */
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
  /** Whether somebody is asked about the place. */
  asked: boolean;
}

export interface ComparisonOptions {
  /** The positions in the later draft of revised pages: its other scenes are as they were, and absent ones are not omitted. If absent, it is whole. */
  pages?: ReadonlySet<number> | undefined;
  /** Each scene of the earlier draft as the production has it; undefined for one that it does not have. If absent, it has that draft. */
  approved?: readonly (ApprovedScene | undefined)[];
  /** The place of each scene of the earlier draft. If absent, each stands where it is. */
  places?: readonly FormerPlace[];
  /** Which scenes are the same, if that is known. */
  matching?: Matching;
}

/** Equal for the same names in whatever case and order. */
export const sameNames = (names: readonly string[]): string =>
  JSON.stringify(names.map((name) => name.toUpperCase()).sort());

/** What someone decides about. The slugline and the length of an omitted scene stay as they are. */
function decidedFields(before: DraftScene, after: DraftScene): Record<string, FieldChange> {
  const fields: Record<string, FieldChange> = {};
  const note = (name: string, from: unknown, to: unknown) => {
    fields[name] = { from, to };
  };
  if (before.number !== after.number) note("number", before.number, after.number);
  if (before.omitted !== after.omitted) note("omitted", before.omitted, after.omitted);
  if (after.omitted) return fields;
  if (before.slugline.toUpperCase() !== after.slugline.toUpperCase()) note("slugline", before.slugline, after.slugline);
  if (before.text !== null && before.text !== after.text && !before.omitted) note("text", null, "changed");
  if (before.text !== null && sameNames(before.cast) !== sameNames(after.cast)) note("cast", before.cast, after.cast);
  return fields;
}

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

/** The hint of a change, if there is any. */
const hinted = (hints: readonly string[], elsewhere: string | undefined): { hint?: string } => {
  const all = [...hints, ...(elsewhere === undefined ? [] : [elsewhere])];
  return all.length === 0 ? {} : { hint: all.join("; ") };
};

class Comparison {
  readonly #before: readonly DraftScene[];
  readonly #after: readonly DraftScene[];
  readonly #tagged: boolean;
  readonly #approved: readonly (ApprovedScene | undefined)[];
  readonly #places: readonly FormerPlace[];
  readonly #pages: ReadonlySet<number> | undefined;
  readonly #stands = new Map<number, boolean>();
  readonly #result: DraftComparison = { changes: [], silent: [], stands: this.#stands };

  constructor(before: ScriptDraft, after: ScriptDraft, { approved, places, pages }: ComparisonOptions) {
    this.#before = before.scenes;
    this.#after = after.scenes;
    this.#tagged = isTagged(after);
    this.#approved = approved ?? before.scenes.map((scene, order) => ({ scene, order }));
    this.#places = places ?? before.scenes.map((_, at) => ({ at, stands: true, asked: false }));
    this.#pages = pages;
  }

  compare({ matching }: ComparisonOptions): DraftComparison {
    const { pairs, hints } = matching ?? matchDrafts(this.#before, this.#after);
    const moved = this.#moved(pairs);
    const partners = new Map(pairs.map(({ before, after }) => [after, before]));
    const hintOf = { before: new Map<number, number>(), after: new Map<number, number>() };
    for (const { before, after } of hints) {
      if (!hintOf.before.has(before)) hintOf.before.set(before, after);
      if (!hintOf.after.has(after)) hintOf.after.set(after, before);
    }
    const omitted = this.#pages ? [] : this.#absent(new Set(pairs.map(({ before }) => before)), hintOf.before);
    const elsewhere = this.#elsewhere(partners, moved);
    for (const after of this.#pages ?? this.#after.keys()) {
      const partner = partners.get(after);
      if (partner === undefined) this.#added(after, hintOf.after.get(after), elsewhere[after]);
      else this.#paired(partner, after, moved.has(after), elsewhere[after]);
    }
    this.#place(omitted, pairs);
    return this.#result;
  }

  #numberBefore(scenes: readonly DraftScene[], at: number): string | null {
    return scenes[at - 1]?.number ?? null;
  }

  /**
   * The positions in the later draft of scenes about whose place somebody is asked: it is neither that of the production nor one that was
   * dismissed. What stood in the earlier draft stands first, so that the same draft asks the same whatever was decided since.
   */
  #moved(pairs: readonly ScenePair[]): Set<number> {
    const again = movedPositions(pairs.map(({ before }) => this.#places[before]?.at ?? undefined));
    const scenes = pairs.map(({ before, after }, at) => {
      const approved = this.#approved[before];
      const isIn = approved !== undefined && this.#after[after]?.omitted === false;
      const comesBack = isIn && approved.scene.omitted;
      // Not in the production, because its addition or its coming back was dismissed: only another place than in the earlier draft is asked.
      const isRefused = approved === undefined || (comesBack && this.#before[before]?.omitted === false);
      const { stands, asked } = this.#places[before] as FormerPlace; // one for each scene
      const isMoved = again.has(at);
      if (this.#pages?.has(after) === false)
        return {
          ...{ before, after, hasPlace: false, order: stands ? approved?.order : undefined },
          ...{ former: asked ? undefined : before, rank: 0, isKept: true },
        };
      return {
        ...{ before, after, hasPlace: isIn || isRefused },
        order: isIn && !isRefused ? approved.order : undefined,
        former: (isRefused || (isIn && !comesBack)) && (isMoved || !asked) ? before : undefined,
        ...{ rank: stands || (isMoved && !comesBack) ? 1 : 2, isKept: false },
      };
    });
    const standing = standingPositions(
      scenes.map(({ order }) => order),
      scenes.map(({ rank }) => rank),
    );
    const unmoved = standingPositions(
      scenes.map(({ former }) => former),
      scenes.map((_, at) => (standing.has(at) ? 0 : 1)),
    );
    for (const [at, { before, isKept }] of scenes.entries()) if (!isKept) this.#stands.set(before, standing.has(at));
    const asked = scenes.filter(({ hasPlace }, at) => hasPlace && !standing.has(at) && !unmoved.has(at));
    return new Set(asked.map(({ after }) => after));
  }

  /**
   * For each position in the later draft, where the production has its place, if the scene before it is not there: its place or its
   * addition was dismissed.
   */
  #elsewhere(partners: ReadonlyMap<number, number>, moved: ReadonlySet<number>): (string | undefined)[] {
    let last: string | undefined; // the number of the last scene that is there, or will be
    return this.#after.map((_, after) => {
      const before = partners.get(after - 1);
      const { number, omitted } = this.#after[after - 1] ?? { number: undefined, omitted: false };
      const stands = before === undefined || (this.#stands.get(before) ?? this.#places[before]?.stands);
      if (stands || omitted || moved.has(after - 1)) {
        last = number;
        return undefined;
      }
      return `${number} is not there: ${last === undefined ? "to the beginning" : `after ${last}`}`;
    });
  }

  #added(after: number, hint: number | undefined, elsewhere: string | undefined): void {
    const scene = this.#after[after] as DraftScene;
    const perhaps = hint === undefined ? [] : [`perhaps ${this.#before[hint]?.number}, renumbered`];
    this.#result.changes.push({
      kind: "added",
      number: scene.number,
      before: null,
      after,
      follows: this.#numberBefore(this.#after, after),
      fields: scene.omitted ? { omitted: { from: null, to: true } } : {},
      ...hinted(perhaps, elsewhere),
    });
  }

  /** Scenes of the earlier draft that the later one has not; one that was omitted before stays so. */
  #absent(paired: ReadonlySet<number>, hintOf: ReadonlyMap<number, number>): DraftChange[] {
    return [...this.#before.entries()].flatMap(([before, scene]): DraftChange[] => {
      if (paired.has(before) || scene.omitted) return [];
      const hint = this.#after[hintOf.get(before) ?? -1]?.number;
      return [
        {
          kind: "omitted",
          number: scene.number,
          before,
          after: null,
          follows: this.#numberBefore(this.#before, before),
          fields: { omitted: { from: false, to: true } },
          ...(hint === undefined ? {} : { hint: `perhaps now ${hint}` }),
        },
      ];
    });
  }

  #paired(before: number, after: number, moved: boolean, elsewhere: string | undefined): void {
    const [old, scene] = [this.#before[before] as DraftScene, this.#after[after] as DraftScene];
    const approved = this.#approved[before]?.scene;
    const follows = this.#numberBefore(this.#after, after);
    const news = decidedFields(old, scene);
    const isNew = Object.keys(news).length > 0;
    // What was dismissed is asked again with the next change of the scene; an addition that the draft omits again is not.
    const fields = !isNew || (approved === undefined && scene.omitted) ? {} : decidedFields(approved ?? old, scene);
    if (moved) fields.order = { from: this.#numberBefore(this.#before, before), to: follows };
    const silent = silentFields(old, scene, this.#tagged);
    if (Object.keys(fields).length > 0) {
      const kind = fields.omitted?.to === true ? "omitted" : "changed";
      this.#result.changes.push({
        kind,
        number: scene.number,
        before,
        after,
        follows,
        fields: { ...fields, ...silent },
        ...hinted([], moved ? elsewhere : undefined),
      });
    } else this.#result.silent.push({ before, after, settled: isNew, fields: silent });
  }

  /** Puts the omitted scenes among the changes: each after what became of the scene before it. */
  #place(omitted: readonly DraftChange[], pairs: readonly { before: number; after: number }[]): void {
    const afterOf = new Map(pairs.map(({ before, after }) => [before, after]));
    let last = -1;
    const places = this.#before.map((_, before) => {
      last = afterOf.get(before) ?? last;
      return last + 0.5;
    });
    const place = ({ before, after }: DraftChange): number => after ?? (places[before as number] as number);
    this.#result.changes = [...this.#result.changes, ...omitted].sort(
      (a, b) => place(a) - place(b) || (a.before ?? 0) - (b.before ?? 0),
    );
  }
}

/**
 * How `after` differs from `before`. A scene whose number changed is one changed scene. A change of length alone asks
 * for no decision. Scenes of `before` without text, which come from a production that has no draft yet, differ in
 * number and slugline alone.
 */
export const compareDrafts = (
  before: ScriptDraft,
  after: ScriptDraft,
  options: ComparisonOptions = {},
): DraftComparison => new Comparison(before, after, options).compare(options);
