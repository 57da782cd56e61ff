// Collects the scenes that a draft is compared with: those of the stored script, and stored scenes that the script does not have.
import type { Raw } from "../document/item_schemas.ts";
import type { StoredItem } from "../document/stored.ts";
import type { DraftScene } from "../formats/drafts.ts";
import { parseEighths } from "../formats/eighths.ts";
import type { ScriptRow } from "./script_store.ts";

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
  let previous: StoredItem | undefined;
  const strays = nodes.flatMap((node) => {
    if (kept.has(node)) {
      previous = node;
      return [];
    }
    const scene = sceneOf(node);
    return { previous, known: { row: undefined, node, scene, approved: scene } };
  });
  const following = Map.groupBy(strays, (stray) => stray.previous);
  const after = (node: StoredItem | undefined) => (following.get(node) ?? []).map(({ known }) => known);
  return [...after(undefined), ...known.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}
