// Compares a later draft with the one before it: finds the changes that need a decision, and those that are applied without one.
import type { Draft, DraftScene } from "./drafts.ts";
import { formatEighths } from "./eighths.ts";
import { matchDrafts } from "./matching.ts";

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
  /** Such as "perhaps 41, renumbered". */
  hint?: string;
}

/** A scene that differs only in what applies without a decision: pages (such as "1 7/8"), synopsis, script_day, tags. */
export interface SilentChange {
  number: string;
  before: number;
  after: number;
  fields: Record<string, FieldChange>;
}

export interface DraftComparison {
  /** In the order of the later draft; an omitted scene keeps its place. */
  changes: DraftChange[];
  silent: SilentChange[];
  /** Positions of the scenes that are the same in both. */
  unchanged: { before: number; after: number }[];
}

export interface ComparisonOptions {
  /** Whether the later draft has only revised pages, so that absent scenes are not omitted. */
  pagesOnly?: boolean;
}

const capitals = (names: readonly string[]): string => JSON.stringify(names.map((name) => name.toUpperCase()).sort());

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
  if (before.text !== null && capitals(before.cast) !== capitals(after.cast)) note("cast", before.cast, after.cast);
  return fields;
}

const pagesOf = ({ eighths }: DraftScene): string | null => (eighths === null ? null : formatEighths(eighths));

/** What applies without a decision. What the later draft does not say stays; an estimate replaces nothing known. */
function silentFields(before: DraftScene, after: DraftScene): Record<string, FieldChange> {
  const fields: Record<string, FieldChange> = {};
  if (after.omitted) return fields;
  const isGuess = after.estimated && !before.estimated && before.eighths !== null;
  if (after.eighths !== null && before.eighths !== after.eighths && !isGuess)
    fields.pages = { from: pagesOf(before), to: pagesOf(after) };
  for (const name of ["synopsis", "script_day"] as const)
    if (after[name] !== null && before[name] !== after[name]) fields[name] = { from: before[name], to: after[name] };
  if (JSON.stringify(before.tags) !== JSON.stringify(after.tags) && Object.keys(after.tags).length > 0)
    fields.tags = { from: before.tags, to: after.tags };
  return fields;
}

/** The positions in `sequence` that are not in its longest increasing run: the fewest that can have been moved. */
function movedPositions(sequence: readonly number[]): Set<number> {
  const ends: number[] = []; // the position of the least end of a run of each length
  const previous = sequence.map(() => -1);
  for (const [at, value] of sequence.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sequence[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const moved = new Set(sequence.keys());
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) moved.delete(at);
  return moved;
}

class Comparison {
  readonly #before: readonly DraftScene[];
  readonly #after: readonly DraftScene[];
  readonly #result: DraftComparison = { changes: [], silent: [], unchanged: [] };

  constructor(before: Draft, after: Draft) {
    this.#before = before.scenes;
    this.#after = after.scenes;
  }

  compare({ pagesOnly = false }: ComparisonOptions): DraftComparison {
    const { pairs, hints } = matchDrafts(this.#before, this.#after);
    const moved = movedPositions(pairs.map(({ before }) => before));
    const partners = new Map(pairs.map((pair, at) => [pair.after, { before: pair.before, moved: moved.has(at) }]));
    const hintOf = { before: new Map<number, number>(), after: new Map<number, number>() };
    for (const { before, after } of hints) {
      if (!hintOf.before.has(before)) hintOf.before.set(before, after);
      if (!hintOf.after.has(after)) hintOf.after.set(after, before);
    }
    const omitted = pagesOnly ? [] : this.#absent(new Set(pairs.map(({ before }) => before)), hintOf.before);
    for (const after of this.#after.keys()) {
      const partner = partners.get(after);
      if (partner === undefined) this.#added(after, hintOf.after.get(after));
      else this.#paired(partner.before, after, partner.moved);
    }
    this.#place(omitted, pairs);
    return this.#result;
  }

  #numberBefore(scenes: readonly DraftScene[], at: number): string | null {
    return scenes[at - 1]?.number ?? null;
  }

  #added(after: number, hint: number | undefined): void {
    const scene = this.#after[after] as DraftScene;
    this.#result.changes.push({
      kind: "added",
      number: scene.number,
      before: null,
      after,
      follows: this.#numberBefore(this.#after, after),
      fields: scene.omitted ? { omitted: { from: null, to: true } } : {},
      ...(hint === undefined ? {} : { hint: `perhaps ${this.#before[hint]?.number}, renumbered` }),
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

  #paired(before: number, after: number, moved: boolean): void {
    const [old, scene] = [this.#before[before] as DraftScene, this.#after[after] as DraftScene];
    const follows = this.#numberBefore(this.#after, after);
    const fields = decidedFields(old, scene);
    if (moved && !scene.omitted) fields.order = { from: this.#numberBefore(this.#before, before), to: follows };
    const silent = silentFields(old, scene);
    if (Object.keys(fields).length > 0) {
      const kind = scene.omitted && !old.omitted ? "omitted" : "changed";
      this.#result.changes.push({
        kind,
        number: scene.number,
        before,
        after,
        follows,
        fields: { ...fields, ...silent },
      });
    } else if (Object.keys(silent).length > 0)
      this.#result.silent.push({ number: scene.number, before, after, fields: silent });
    else this.#result.unchanged.push({ before, after });
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
export const compareDrafts = (before: Draft, after: Draft, options: ComparisonOptions = {}): DraftComparison =>
  new Comparison(before, after).compare(options);
