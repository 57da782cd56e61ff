// A later draft of a script: what someone decides about becomes pending script changes, what needs nobody a document, and the
// text is kept for the next draft.
import type { Raw } from "../document/partial_schema.ts";
import type { StoredItem, StoredProduction } from "../document/stored.ts";
import { breakDown } from "../formats/breakdown.ts";
import { compareDrafts, type DraftChange, type SilentChange } from "../formats/comparison.ts";
import { type Draft, type DraftScene, laterDraft } from "../formats/drafts.ts";
import { parseEighths } from "../formats/eighths.ts";
import type { Script } from "../formats/script.ts";
import type { Store } from "../store/database.ts";
import { breakdownOptions, scriptOf } from "./breakdowns.ts";
import type { DraftHead } from "./first_draft.ts";
import { type Fields, fieldsForStored, isDecided, sceneChange, seenOf } from "./scene_changes.ts";
import {
  type NextRow,
  type Part,
  type Proposal,
  proposalsOf,
  type ScriptRow,
  type Seen,
  scriptRows,
} from "./script_store.ts";
import { summaryOf } from "./summaries.ts";

/** A scene that a draft is compared with: as the script has it, the production, or both. */
interface Known {
  row: ScriptRow | undefined;
  node: StoredItem | undefined;
  scene: DraftScene;
}

/** A change that a draft raises. */
export interface Raised {
  kind: DraftChange["kind"];
  number: string;
  fields: Fields;
  summary: string;
  node: StoredItem | undefined;
  /** The index of the scene among the scenes of the script; null if no earlier draft has it. */
  row: number | null;
  place: number | null;
  color: string | null;
  seen: Seen | null;
  scene: DraftScene;
}

export interface LaterDraft {
  raised: Raised[];
  /** The scenes that change without a decision, as a document has them, and the assets that they need. */
  scenes: Raw[];
  assets: Raw[];
  before: readonly ScriptRow[];
  rows: NextRow[];
  /** The pending changes that the draft supersedes. */
  superseded: readonly Proposal[];
  /** Whether there is anything to write. */
  changes: boolean;
}

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;

/** A stored scene of which no draft is kept. */
function sceneOf({ raw }: StoredItem): DraftScene {
  const elements = (raw.elements ?? {}) as Raw;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const lists = Object.entries(elements).flatMap(([key, value]) => {
    const texts = key === "cast" ? undefined : textsOf(value);
    return texts === undefined ? [] : [[key, texts] as const];
  });
  return {
    ...{ number: String(raw.number), slugline: String(raw.slugline), omitted: raw.status === "omitted" },
    ...{ synopsis: text(raw.synopsis), text: null, cast: textsOf(elements.cast) ?? [] },
    eighths: parseEighths(text(elements.pages) ?? "") ?? null,
    ...{ estimated: elements.pages_estimated === true, script_day: text(elements.script_day) },
    ...{ tags: Object.fromEntries(lists), revision_color: String(raw.revision_color) },
  };
}

/** The scenes of the script in their order; a stored scene that the script does not have follows the one before it. */
function knownScenes(rows: readonly ScriptRow[], nodes: readonly StoredItem[]): Known[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = rows.map((row): Known => {
    const node = row.node_id === null ? undefined : byId.get(row.node_id);
    return { row, node, scene: row.scene };
  });
  const kept = new Set(known.flatMap(({ node }) => node ?? []));
  const strays = new Map<StoredItem | undefined, Known[]>();
  let previous: StoredItem | undefined;
  for (const node of nodes)
    if (kept.has(node)) previous = node;
    else strays.set(previous, [...(strays.get(previous) ?? []), { row: undefined, node, scene: sceneOf(node) }]);
  const after = (node: StoredItem | undefined) => strays.get(node) ?? [];
  return [...after(undefined), ...known.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}

/** A scene of a later draft with what only the earlier one says. */
function completed(before: DraftScene, after: DraftScene): DraftScene {
  const guess = after.eighths === null || (after.estimated && !before.estimated && before.eighths !== null);
  return {
    ...after,
    synopsis: after.synopsis ?? before.synopsis,
    script_day: after.script_day ?? before.script_day,
    tags: Object.keys(after.tags).length > 0 ? after.tags : before.tags,
    ...(guess && { eighths: before.eighths, estimated: before.estimated }),
  };
}

/** What makes two changes ask for the same decision. */
const questionOf = (
  row: number | string | null,
  { kind, fields, scene }: { kind: string; fields: Fields; scene: DraftScene },
): string => {
  const { number, slugline, omitted, text, cast } = scene;
  return JSON.stringify([
    row,
    kind,
    Object.keys(fields).filter((name) => isDecided({ [name]: fields[name] as Fields[string] })),
    number,
    slugline,
    omitted,
    text,
    cast,
  ]);
};

class Comparing {
  readonly known: readonly Known[];
  readonly draft: Draft;
  readonly colors: readonly (string | null)[];
  readonly raised: Raised[] = [];
  /** Scenes that change without a decision: the fields of each. */
  readonly silent: { node: StoredItem; fields: Fields; scene: DraftScene }[] = [];
  /** What becomes of each known scene; undefined: it goes. */
  readonly next: (NextRow | undefined)[];

  constructor(known: readonly Known[], draft: Draft, colors: readonly (string | null)[]) {
    this.known = known;
    this.draft = draft;
    this.colors = colors;
    this.next = known.map(({ row, node, scene }) => ({ id: row?.id, node_id: node?.id ?? null, place: null, scene }));
  }

  #at(before: number): { known: Known; next: NextRow } {
    // Both have an entry for each scene that was compared.
    return { known: this.known[before] as Known, next: this.next[before] as NextRow };
  }

  /** Takes the scene of the draft without a decision. */
  take(before: number, after: number, fields: Fields): void {
    const { known, next } = this.#at(before);
    const scene = this.draft.scenes[after] as DraftScene;
    next.place = after;
    const isSame = Object.keys(fields).length === 0 && known.scene.text !== null;
    if (!isSame) next.scene = completed(known.scene, scene);
    if (known.node !== undefined && Object.keys(fields).length > 0)
      this.silent.push({ node: known.node, fields, scene: next.scene });
  }

  change(change: DraftChange): void {
    const { before, after } = change;
    if (before === null) {
      this.#add(change, null);
      return;
    }
    const { known, next } = this.#at(before);
    if (known.node === undefined) {
      if (after === null) this.next[before] = undefined;
      else this.#add(change, before);
      return;
    }
    const scene = after === null ? undefined : (this.draft.scenes[after] as DraftScene);
    const fields = fieldsForStored(change.fields, seenOf(known.node));
    // Its omission was dismissed, and the draft has it again with another text.
    if (known.scene.omitted && scene?.omitted === false && !("omitted" in fields) && known.scene.text !== scene.text)
      fields.text ??= { from: null, to: "changed" };
    if (!isDecided(fields)) {
      if (after === null) next.scene = { ...next.scene, omitted: true };
      else this.take(before, after, fields);
      return;
    }
    if (after !== null && !("order" in fields)) next.place = after;
    const proposed = scene === undefined ? { ...known.scene, omitted: true } : completed(known.scene, scene);
    this.#raise(change, { fields, node: known.node, row: before, scene: proposed, seen: seenOf(known.node) });
  }

  #add(change: DraftChange, row: number | null): void {
    const scene = this.draft.scenes[change.after as number] as DraftScene; // an added scene stands in the draft
    const { number, slugline, cast, omitted } = scene;
    const added = { number, slugline, ...(cast.length > 0 && { cast }), ...(omitted && { omitted }) };
    const fields = Object.fromEntries(Object.entries(added).map(([name, to]) => [name, { from: null, to }]));
    this.#raise({ ...change, kind: "added", number }, { fields, node: undefined, row, scene, seen: null });
  }

  #raise(change: DraftChange, one: Pick<Raised, "fields" | "node" | "row" | "scene" | "seen">): void {
    const { kind, number, after } = change;
    const summary = summaryOf(change, one.fields, one.scene.slugline);
    const color = after === null ? null : (this.colors[after] ?? null);
    this.raised.push({ ...one, kind, number, summary, place: after, color });
  }
}

/** The revision colour of each scene, if the import or the file says one. */
const colorsOf = (script: Script, given: string | undefined): (string | null)[] =>
  script.scenes.map(({ revision }) => given ?? revision?.color ?? null);

/** The changes of known scenes that need no decision, as a document has them. */
function silentDocument(
  stored: StoredProduction,
  { silent }: Comparing,
  { departments }: DraftHead,
  episode: string | undefined,
): { scenes: Raw[]; assets: Raw[] } {
  const options = breakdownOptions(stored, departments, episode);
  const tagged = silent.map(({ scene, fields }) =>
    "tags" in fields ? { ...scene, cast: [] } : { ...scene, cast: [], tags: {} },
  );
  const { scenes, assets } = breakDown(scriptOf(tagged), {
    ...options,
    numbers: silent.map(({ scene }) => scene.number),
  });
  const parts = silent.map(({ node, fields, scene }, at) =>
    sceneChange(node, fields, scenes[at] as (typeof scenes)[number], { color: null, draft: scene }),
  );
  return { scenes: parts, assets: assets.map((asset) => ({ ...asset })) };
}

interface LaterOptions {
  head: DraftHead;
  episode: string | undefined;
  part: Part;
  pages: boolean;
}

/** Gives every scene its place where revised pages are put among the others: each new one after the scene before it. */
function placeAmongOthers({ next, raised }: Comparing): void {
  const moved = new Set(raised.flatMap(({ row, fields }) => (row !== null && "order" in fields ? row : [])));
  const places = next.flatMap((row) => row?.place ?? []).sort((one, other) => one - other);
  const inserted = raised.filter(({ row, place, fields }) => place !== null && (row === null || "order" in fields));
  const following = Map.groupBy(inserted, (one) => places.findLast((place) => place < (one.place as number)) ?? -1);
  const placed: (NextRow | Raised)[] = places.length === 0 ? [...inserted] : [];
  for (const [at, row] of next.entries()) {
    if (row === undefined) continue;
    const { place } = row;
    if (place !== null && place === places[0]) placed.push(...(following.get(-1) ?? []));
    if (!moved.has(at)) placed.push(row);
    if (place !== null) placed.push(...(following.get(place) ?? []));
  }
  for (const [place, one] of placed.entries()) one.place = place;
  for (const one of raised) if (one.row !== null && !moved.has(one.row)) one.place = next[one.row]?.place ?? null;
}

/** Compares a draft with the script that is kept, or with the production's scenes if none is. */
export function planLaterDraft(
  store: Store,
  stored: StoredProduction,
  script: Script,
  { head, episode, part, pages }: LaterOptions,
): LaterDraft {
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === episode);
  const before = scriptRows(store, part);
  const known = knownScenes(before, nodes);
  const earlier: Draft = { scenes: known.map(({ scene }) => scene) };
  const options = { ...breakdownOptions(stored, head.departments, episode), ...(head.color && { color: head.color }) };
  const { draft } = laterDraft(script, earlier, options);
  const comparison = compareDrafts(earlier, draft, { pagesOnly: pages });
  const comparing = new Comparing(known, draft, colorsOf(script, head.color));
  for (const { before, after } of comparison.unchanged) comparing.take(before, after, {});
  for (const { before, after, fields } of comparison.silent as SilentChange[]) comparing.take(before, after, fields);
  for (const change of comparison.changes) comparing.change(change);
  const isTouched = touchedIn(comparing);
  if (pages) placeAmongOthers(comparing);
  const pending = proposalsOf(store, part).filter((one) => !pages || isTouched(one));
  const isAsked = sameQuestions(pending, comparing);
  const raised = isAsked ? [] : comparing.raised;
  const kept = comparing.next.flatMap((row) => row ?? []);
  const indexes = new Map(kept.map((row, at) => [row, at]));
  for (const one of raised) if (one.row !== null) one.row = indexes.get(comparing.next[one.row] as NextRow) ?? null; // a raised scene stays
  const document = silentDocument(stored, comparing, head, episode);
  const isSame =
    kept.length === before.length &&
    kept.every((row, at) => JSON.stringify(row) === JSON.stringify(ordered(before[at] as ScriptRow)));
  return {
    ...{ raised, ...document, before, rows: kept, superseded: isAsked ? [] : pending },
    changes: raised.length > 0 || document.scenes.length > 0 || (!isAsked && pending.length > 0) || !isSame,
  };
}

const ordered = ({ id, node_id, place, scene }: ScriptRow): NextRow => ({ id, node_id, place, scene });

/** Whether a pending change is about a scene that the draft has or that it changes. */
function touchedIn({ known, next, raised }: Comparing): (pending: Proposal) => boolean {
  const touched = new Set([
    ...known.flatMap(({ row }, at) => (row !== undefined && next[at]?.place !== null ? row.id : [])),
    ...raised.flatMap(({ row }) => (row === null ? [] : (known[row]?.row?.id ?? []))),
  ]);
  const numbers = new Set(raised.map(({ number }) => number));
  return ({ script_scene_id, scene_number }) =>
    script_scene_id === null ? numbers.has(scene_number) : touched.has(script_scene_id);
}

/** Whether every change that a draft would raise is pending already, and no other. */
function sameQuestions(pending: readonly Proposal[], { raised, known }: Comparing): boolean {
  if (pending.length !== raised.length) return false;
  const asked = new Set(pending.map((one) => questionOf(one.script_scene_id, one)));
  return raised.every((one) => asked.has(questionOf(one.row === null ? null : (known[one.row]?.row?.id ?? ""), one)));
}
