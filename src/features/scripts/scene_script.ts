// The text of a scene as it was last approved: GET /scenes/{node_id}/script, and in the list of scenes.
import * as v from "valibot";
import { notFound } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { operation } from "../../core/operation.ts";
import { one } from "../../core/store/statements.ts";
import { sceneScript } from "../../graph/scenes.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { paragraphsOf } from "./compare/scene_text.ts";

type SceneScript = v.InferOutput<typeof sceneScript>;
const storedOf = one<{ production_id: ProductionId; node_id: number }, { script: string | null }>("get_scene_script");

/** A script as statements build it: only a DraftScene is written there. */
interface StoredScript {
  scene: DraftScene;
  draft: SceneScript["draft"];
}

const scriptOf = (stored: StoredScript | null): SceneScript => ({
  draft: stored?.draft ?? null,
  elements: stored === null ? [] : paragraphsOf(stored.scene),
});

/** The script of a scene as the list of scenes sends it: null if it has no text. */
export function listedScript(stored: StoredScript | null): SceneScript | null {
  const script = scriptOf(stored);
  return script.elements.length === 0 ? null : script;
}

export const getSceneScript = operation({
  name: "get_scene_script",
  summary:
    "Returns the text of a scene as it was last approved, without what is pending: a list of cues, dialogue and action, about 3 KB for a page.",
  method: "GET",
  path: "/scenes/:node_id/script",
  scope: "read",
  input: v.object({}),
  output: sceneScript,
  run(context, { node_id }) {
    const { production_id } = context.caller;
    const found = storedOf(context.app.store, { production_id, node_id });
    if (found === undefined) throw notFound();
    // the statement builds one
    return scriptOf(found.script === null ? null : (JSON.parse(found.script) as StoredScript));
  },
});
