// GET /scenes/{node_id}/script: the text of a scene as it was last approved.
import * as v from "valibot";
import { notFound } from "../../core/errors.ts";
import type { Id, ProductionId } from "../../core/ids.ts";
import { describe } from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import { id, record, text, timestamp } from "../../core/records.ts";
import { one } from "../../core/store/statements.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { paragraphsOf } from "./compare/scene_text.ts";

const sceneScript = record(
  "SceneScript",
  v.object({
    draft: describe(
      v.nullable(v.object({ id, file: text, color: text, imported_at: timestamp })),
      "The draft that has the text; null if no draft has the scene.",
    ),
    elements: v.array(
      v.object({
        type: describe(
          v.picklist(["action", "character", "parenthetical", "dialogue", "lyrics", "transition", "dual"]),
          "What is printed. `character` is a cue; `dual` has no text and says that the next cue speaks beside the one before it.",
        ),
        text,
      }),
    ),
  }),
);

type Draft = NonNullable<v.InferOutput<typeof sceneScript>["draft"]>;
/** A scene without a draft has neither. */
type Row = { [F in Exclude<keyof Draft, "id">]: Draft[F] | null } & { id: Id<"draft"> | null; scene: string | null };
const scriptOf = one<{ production_id: ProductionId; node_id: number }, Row>("get_scene_script");

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
    const found = scriptOf(context.app.store, { production_id, node_id });
    if (found === undefined) throw notFound();
    const { scene, id, file, color, imported_at } = found;
    const draft =
      id === null || file === null || color === null || imported_at === null ? null : { id, file, color, imported_at };
    return { draft, elements: scene === null ? [] : paragraphsOf(JSON.parse(scene) as DraftScene) }; // only a DraftScene is written there
  },
});
