// Collects the scenes that a draft is compared with: those of the stored script, and stored scenes that the script does not have. Decides for
// each scene of the draft whether it is stored without a decision or raised as a script change.
import type { StoredItem } from "../document/nouns/stored.ts";
import type { Raw } from "../document/sections/form.ts";
import { parseEighths } from "../document/sections/scene_text.ts";
import type { DraftChange, SilentChange } from "../formats/comparison.ts";
import { type DraftScene, isTagged, type ScriptDraft } from "../formats/drafts.ts";
import { straysAfter } from "../sequences.ts";
import { type CharacterRename, fieldsOfRename } from "./character_renames.ts";
import { type FieldChanges, fieldsForStored, isDecided, seenOf } from "./scene_changes.ts";
import type { NextRow, ScriptRow, Seen } from "./script_store.ts";

/** A scene that a draft is compared with: as the script has it, the production, or both. */
export interface KnownScene {
  row: ScriptRow | undefined;
  node: StoredItem | undefined;
  scene: DraftScene;
  /** As it was last approved. */
  approved: DraftScene;
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

/**
 * The scenes of the script in their order; a stored scene that the script does not have follows the one before it. A scene whose
 * addition was dismissed is the stored one of its number, which somebody added by hand.
 */
export function knownScenes(rows: readonly ScriptRow[], nodes: readonly StoredItem[]): KnownScene[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const inScript = new Set(rows.map(({ node_id }) => node_id));
  const others = nodes.filter(({ id }) => !inScript.has(id));
  const byNumber = new Map(others.map((node) => [String(node.raw.number), node]));
  const known = rows.map((row): KnownScene => {
    const { node_id, scene, approved } = row;
    const node = node_id === null ? byNumber.get(scene.number) : byId.get(node_id);
    return { row, node, scene, approved: approved ?? (node_id === null && node ? sceneOf(node) : scene) };
  });
  const kept = new Set(known.flatMap(({ node }) => node ?? []));
  const following = straysAfter(
    nodes,
    (node) => !kept.has(node),
    () => true,
  );
  const after = (previous: StoredItem | undefined) =>
    (following.get(previous) ?? []).map((node): KnownScene => {
      const scene = sceneOf(node);
      return { row: undefined, node, scene, approved: scene };
    });
  return [...after(undefined), ...known.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}

/** A change that a draft raises. */
export interface Raised {
  kind: DraftChange["kind"];
  number: string;
  fields: FieldChanges;
  /** Such as "perhaps 41, renumbered". */
  hint: string | undefined;
  node: StoredItem | undefined;
  /** The index of the scene among the scenes of the script; null if no earlier draft has it. */
  row: number | null;
  place: number | null;
  color: string | null;
  seen: Seen | null;
  scene: DraftScene;
}

/** A scene of a later draft with what only the earlier one says, unless it comes back. */
function completed(before: DraftScene, after: DraftScene, tagged: boolean): DraftScene {
  if (before.omitted && !after.omitted) return after;
  const guess = after.eighths === null || (after.estimated && !before.estimated && before.eighths !== null);
  return {
    ...after,
    synopsis: after.synopsis ?? before.synopsis,
    script_day: after.script_day ?? before.script_day,
    tags: tagged || before.text === null ? after.tags : before.tags,
    ...(guess && { eighths: before.eighths, estimated: before.estimated }),
  };
}

const maxNumber = 50;
/** The numbers of scenes, as many as the number of a change may have characters. */
const cutList = (numbers: readonly string[]): string => {
  const text = numbers.join(", ");
  return text.length > maxNumber ? `${text.slice(0, maxNumber - 2).toWellFormed()} …` : text;
};

export interface Colors {
  /** The colour that the import gives to all its changes. */
  given: string | null;
  /** The colours that the file gives to its scenes. */
  scenes: readonly (string | null)[];
}

export class Comparing {
  readonly known: readonly KnownScene[];
  readonly draft: ScriptDraft;
  readonly colors: Colors;
  readonly raised: Raised[] = [];
  /** Scenes that change without a decision: the fields of each. */
  readonly silent: { node: StoredItem; fields: FieldChanges; scene: DraftScene }[] = [];
  /** What becomes of each known scene; undefined: it goes. */
  readonly next: (NextRow | undefined)[];
  /** How many scenes had no text yet, and are taken with theirs. */
  texts = 0;
  readonly #hasDrafts: boolean;
  readonly #tagged: boolean;

  constructor(known: readonly KnownScene[], draft: ScriptDraft, colors: Colors, stands: ReadonlyMap<number, boolean>) {
    this.known = known;
    this.draft = draft;
    this.colors = colors;
    this.#hasDrafts = known.some(({ row }) => row !== undefined);
    this.#tagged = isTagged(draft);
    this.next = known.map(({ row, node, scene, approved }, at) => ({
      ...{ id: row?.id, node_id: node?.id ?? null, place: null },
      ...{ stands: Number(stands.get(at) ?? row?.stands ?? !scene.omitted), scene },
      approved: node === undefined || approved === scene ? null : approved,
    }));
  }

  #at(before: number): { known: KnownScene; next: NextRow } {
    // Both have an entry for each scene that was compared.
    return { known: this.known[before] as KnownScene, next: this.next[before] as NextRow };
  }

  /** Takes the scene of the draft without a decision. `settled`: it is as it was approved, though the earlier draft was not. */
  take({ before, after, settled, fields }: SilentChange): void {
    const { known, next } = this.#at(before);
    const scene = this.draft.scenes[after] as DraftScene;
    next.place = after;
    const isSame = Object.keys(fields).length === 0 && known.scene.text !== null && !settled;
    if (settled) next.approved = null;
    if (!isSame) next.scene = completed(known.scene, scene, this.#tagged);
    if (known.scene.text === null) this.texts++;
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
    if (after === null && (known.node === undefined || this.#isByHand(known))) {
      this.next[before] = undefined;
      return;
    }
    if (known.node === undefined) {
      this.#add(change, before);
      return;
    }
    const scene = after === null ? undefined : (this.draft.scenes[after] as DraftScene);
    const fields = fieldsForStored(change.fields, seenOf(known.node));
    if (!isDecided(fields)) {
      if (after === null) Object.assign(next, { scene: { ...next.scene, omitted: true }, approved: null });
      else this.take({ before, after, settled: true, fields });
      return;
    }
    if (after !== null && !("order" in fields) && fields.omitted?.to !== true) next.place = after;
    const proposed =
      scene === undefined ? { ...known.scene, omitted: true } : completed(known.scene, scene, this.#tagged);
    this.#raise(change, { fields, node: known.node, row: before, scene: proposed, seen: seenOf(known.node) });
  }

  /** Raises one change for a character that has another name in all of its scenes. The first of them stands for all. */
  rename(rename: CharacterRename): void {
    const numbers = new Set(rename.scenes);
    const row = this.known.findIndex(({ node, scene }) => node !== undefined && numbers.has(scene.number));
    const { node } = this.known[row] ?? {};
    const next = this.next[row];
    if (node === undefined || next === undefined) return;
    this.raised.push({
      ...{ kind: "changed", number: cutList(rename.scenes), fields: fieldsOfRename(rename), hint: undefined },
      ...{ node, row, place: next.place, color: this.colors.given, seen: seenOf(node), scene: next.scene },
    });
  }

  /** Whether no draft ever had the scene, though there are drafts. */
  #isByHand({ row }: KnownScene): boolean {
    return this.#hasDrafts && row === undefined;
  }

  #add(change: DraftChange, row: number | null): void {
    const scene = this.draft.scenes[change.after as number] as DraftScene; // an added scene is in the draft
    const { number, slugline, cast, omitted } = scene;
    const place = { order: change.follows };
    const added = { number, slugline, ...(cast.length > 0 && { cast }), ...(omitted && { omitted }), ...place };
    const fields = Object.fromEntries(Object.entries(added).map(([name, to]) => [name, { from: null, to }]));
    this.#raise({ ...change, kind: "added", number }, { fields, node: undefined, row, scene, seen: null });
  }

  #raise(change: DraftChange, one: Pick<Raised, "fields" | "node" | "row" | "scene" | "seen">): void {
    const { kind, number, after, hint } = change;
    const color = this.colors.given ?? (after === null ? null : (this.colors.scenes[after] ?? null));
    this.raised.push({ ...one, kind, number, hint, place: after, color });
  }
}
