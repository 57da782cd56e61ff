// Lists the scenes in script order.
import * as v from "valibot";
import { contribution } from "../core/features.ts";
import type { NodeId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { pagedBySentIds, type RowForm, updatedSince } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { many } from "../core/store/statements.ts";
import { nodeStatuses } from "./values.ts";

const { describe } = input;

const sceneStatuses = [...nodeStatuses, "omitted"] as const;

/** A department's note on a scene or an asset. */
export const departmentNote = out.record(
  "DepartmentNote",
  v.object({
    id: out.id,
    node_id: describe(out.id, "The scene or asset that the note is about."),
    department: describe(out.text, "The department's slug."),
    summary: out.text,
    created_at: v.nullable(out.timestamp),
  }),
);

/** What names a scene where something else lists it. */
export const sceneReference = {
  node_id: out.id,
  number: out.text,
  slugline: out.text,
  episode_code: describe(v.optional(out.text), "Present only on an episodic production."),
};

/** A scene, as bundles have it. */
export const scene = out.record(
  "Scene",
  v.object({
    node_id: out.id,
    number: out.text,
    slugline: out.text,
    synopsis: v.optional(out.text),
    status: describe(
      out.text,
      "An open set: planned, active, blocked, done, and omitted, which a script revision sets.",
    ),
    revision_color: out.text,
    elements: out.free,
    episode_id: describe(v.optional(out.id), "Present only on an episodic production."),
    episode_code: sceneReference.episode_code,
  }),
);

/** The text of a scene. */
export const sceneScript = out.record(
  "SceneScript",
  v.object({
    draft: describe(
      v.nullable(v.object({ id: out.id, file: out.text, color: out.text, imported_at: out.timestamp })),
      "The draft that has the text; null if no draft has the scene.",
    ),
    elements: v.array(
      v.object({
        type: describe(
          v.picklist(["action", "character", "parenthetical", "dialogue", "lyrics", "transition", "dual"]),
          "What is printed. `character` is a cue; `dual` has no text and says that the next cue speaks beside the one before it.",
        ),
        text: out.text,
      }),
    ),
  }),
);

const listedScene = out.record(
  "ListedScene",
  v.object({
    ...scene.entries,
    asset_ids: describe(
      v.optional(v.array(out.id)),
      "The ids of the scene's assets. Present only with include=assets.",
    ),
    department_notes: describe(
      v.optional(v.array(departmentNote)),
      "The notes on the scene. Present only with include=department_notes.",
    ),
    shoot_day_ids: describe(
      v.optional(v.array(out.id)),
      "The ids of the scene's shoot days. Present only with include=shoot_days.",
    ),
    script: describe(
      v.optional(v.nullable(sceneScript)),
      "What /scenes/{node_id}/script answers; null if the scene has no text. Present only with include=script.",
    ),
  }),
);

/** Loads what makes the text of each scene that is sent of the stored one. */
async function scriptForm(): Promise<RowForm> {
  const scripts = await contribution("sceneScripts")?.();
  return (document) => {
    const row: Record<string, unknown> = JSON.parse(document);
    return JSON.stringify({ ...row, script: scripts?.listedScript(row.script) ?? null });
  };
}

const sceneIdsOf = many<{ production_id: ProductionId }, { id: NodeId }>("list_scene_ids");

export const listScenes = reading({
  name: "list_scenes",
  summary: "Lists every scene in script order.",
  path: "/scenes",
  scope: "read",
  input: v.object({
    include: v.optional(
      describe(
        input.listOf(["assets", "department_notes", "shoot_days", "script"]),
        "assets adds asset_ids to each row, department_notes the notes, shoot_days shoot_day_ids, script the approved text.",
      ),
    ),
    status: v.optional(describe(input.listOf(sceneStatuses), "Return only scenes with these statuses.")),
    episode_id: v.optional(describe(input.ids, "Return only scenes of these episodes. May be repeated.")),
    updated_since: updatedSince,
  }),
  output: v.array(listedScene),
  tool: { omit: ["include", "status", "episode_id", "updated_since"] },
  resource: "service://script",
  list: pagedBySentIds(sceneIdsOf),
  form: ({ include }) => (include?.includes("script") ? scriptForm() : undefined),
});

export const getScene = reading({
  name: "get_scene",
  summary: "Returns one scene, as the list of scenes has it.",
  path: "/scenes/:node_id",
  scope: "read",
  output: scene,
});
