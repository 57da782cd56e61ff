// The scenes that a list gives an asset: a list of one episode replaces those of that episode alone.
import { firstOf } from "../../core/wording.ts";
import { listAt } from "../sequences/sequences.ts";
import { episodeOf } from "./episodes.ts";
import type { Findings } from "./findings.ts";
import { assetsOfScenesIn } from "./known_names.ts";
import type { ReadOptions } from "./partial.ts";

export class SceneLinks {
  readonly #options: ReadOptions;
  readonly #findings: Findings;
  /** The scenes of each asset as they are stored. */
  readonly #stored = new Map<string, string[]>();

  constructor(options: ReadOptions, findings: Findings) {
    this.#options = options;
    this.#findings = findings;
    if (options.known.episodes.length === 0) return;
    for (const [scene, assets] of assetsOfScenesIn(options.known.items("scenes")))
      for (const asset of assets) listAt(this.#stored, asset).push(scene);
  }

  /** The scenes of an asset for which a row has some. Those of other episodes stay, or it is said that they go. */
  of(asset: string, given: string[], line: number): string[] {
    const { episode, known } = this.#options;
    const stored = this.#stored.get(asset) ?? [];
    if (episode !== undefined) return [...stored.filter((scene) => !scene.startsWith(`${episode}/`)), ...given];
    const listed = new Set(given.map((scene) => episodeOf(known.episodes, scene)));
    const gone = stored.filter((scene) => !given.includes(scene) && !listed.has(episodeOf(known.episodes, scene)));
    if (gone.length > 0)
      this.#findings.warn(`${asset} loses ${firstOf(gone, 20)}; with --episode, the scenes of other episodes stay`, {
        line,
      });
    return given;
  }
}
