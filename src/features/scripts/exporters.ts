// Writes the script of a production, or of an episode of it, as it was last approved.
import { UsageError } from "../../core/errors.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { paragraphsOf } from "./compare/scene_text.ts";
import { type ScriptKey, scriptKeyOf } from "./script_store.ts";
import { fdxText, fountainText, type WrittenScene } from "./script_text.ts";

const approvedScenes = many<
  ScriptKey,
  Omit<WrittenScene, "paragraphs" | "omitted"> & { omitted: number; scene: string }
>("list_approved_script");

const writers: Readonly<Record<string, typeof fountainText>> = { fountain: fountainText, fdx: fdxText };

/** The approved script in a format. Throws UsageError if there is none. */
export function scriptOfProduction(
  store: Store,
  { id: production_id, title }: { id: number; title: string },
  format: string,
  episode: string | undefined,
): string {
  const key = scriptKeyOf(store, production_id, episode);
  if (episode !== undefined && key.episode_id === null) throw new UsageError(`there is no episode ${episode}`);
  const rows = approvedScenes(store, key);
  if (rows.length === 0)
    throw new UsageError(
      episode === undefined
        ? "no script is stored; of a series, name the script with --episode CODE"
        : `no script of episode ${episode} is stored`,
    );
  const scenes = rows
    .map(({ scene, omitted, ...row }): WrittenScene => {
      const paragraphs = paragraphsOf(JSON.parse(scene) as DraftScene); // only a DraftScene is written there
      return { ...row, omitted: omitted === 1, paragraphs };
    })
    .filter(({ omitted, number }) => !omitted || !number.includes("(omitted"));
  const write = writers[format] as typeof fountainText; // one of the formats of the feature
  return write({ title: episode === undefined ? title : `${title}, ${episode}`, scenes });
}
