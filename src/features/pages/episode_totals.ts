// The scenes and pages of each episode of a series, as pages show them.
import type { ProductionId } from "../../core/ids.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { parseEighths } from "../names/page_lengths.ts";

const scenesByEpisode = many<{ production_id: ProductionId }, { episode_id: number; is_shot: 0 | 1; pages: unknown }>(
  "list_scenes_by_episode",
);

export interface EpisodeTotal {
  scenes: number;
  eighths: number;
  shot: { scenes: number; eighths: number };
}

/** The totals of the scenes that are not omitted, by the id of their episode; none on a single production. */
export function episodeTotals(store: Store, production_id: ProductionId): ReadonlyMap<number, EpisodeTotal> {
  const totals = new Map<number, EpisodeTotal>();
  for (const { episode_id, is_shot, pages } of scenesByEpisode(store, { production_id })) {
    const eighths = parseEighths(String(pages ?? "")) ?? 0;
    const of = totals.get(episode_id) ?? { scenes: 0, eighths: 0, shot: { scenes: 0, eighths: 0 } };
    totals.set(episode_id, of);
    for (const sum of is_shot === 1 ? [of, of.shot] : [of]) {
      sum.scenes++;
      sum.eighths += eighths;
    }
  }
  return totals;
}
