// The order of script changes in lists: that of the script.

import type { ScriptChange } from "../../graph/script_changes.ts";

/** What of a scene its place in a list of changes is found by. */
interface PlacedScene {
  node_id: number;
  number: string;
  episode_code?: string | undefined;
}

type Ordered = Pick<ScriptChange, "id" | "node_id" | "fields" | "scene_number"> & {
  episode_code?: string | null | undefined;
};

/** The changes in the order of the script, an added scene after the one that it follows. `scenes` are those of the production in their order. */
export function inScriptOrder<C extends Ordered>(changes: readonly C[], scenes: readonly PlacedScene[]): C[] {
  const places = new Map(scenes.map(({ node_id }, at) => [node_id, at]));
  const byNumber = new Map(scenes.map(({ number, episode_code }, at) => [`${episode_code ?? ""}/${number}`, at]));
  const firsts = new Map(
    scenes.toReversed().map(({ episode_code }, at) => [episode_code ?? "", scenes.length - 1 - at]),
  );
  const added = new Map(
    changes.flatMap((one) => (one.node_id === null ? [[`${one.episode_code ?? ""}/${one.scene_number}`, one]] : [])),
  );
  const placeOf = ({ node_id, fields, episode_code, scene_number }: Ordered, depth = 1): number => {
    const at = node_id === null ? undefined : places.get(node_id);
    if (at !== undefined) return at;
    const code = episode_code ?? "";
    const follows = fields.order === undefined ? scene_number.replace(/[A-Za-z]+$/, "") : fields.order.to;
    if (follows === null) return (firsts.get(code) ?? scenes.length) - 0.5;
    const before = byNumber.get(`${code}/${String(follows)}`);
    if (before !== undefined) return before + 0.5;
    const other = added.get(`${code}/${String(follows)}`); // an added scene after another one
    return other === undefined || depth > 20 ? scenes.length : placeOf(other, depth + 1) + 2 ** -(depth + 1);
  };
  return changes
    .map((change) => [placeOf(change), change] as const)
    .sort(([a, one], [b, other]) => a - b || one.id - other.id)
    .map(([, change]) => change);
}
