// Lists the scenes in script order.
import * as v from "valibot";
import type { NodeId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { pagedBySentIds, updatedSince } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import { free, id, record, text, timestamp } from "../core/records.ts";
import { many } from "../core/store/statements.ts";
import { nodeStatuses } from "./values.ts";

const { describe } = input;

const sceneStatuses = [...nodeStatuses, "omitted"] as const;

/** A department's note on a scene or an asset. */
export const departmentNote = record(
  "DepartmentNote",
  v.object({
    id,
    node_id: describe(id, "The scene or asset that the note is about."),
    department: describe(text, "The department's slug."),
    summary: text,
    created_at: v.nullable(timestamp),
  }),
);

/** What names a scene where something else lists it. */
export const sceneReference = {
  node_id: id,
  number: text,
  slugline: text,
  episode_code: describe(v.optional(text), "Present only on an episodic production."),
};

/** A scene, as bundles have it. */
export const scene = record(
  "Scene",
  v.object({
    node_id: id,
    number: text,
    slugline: text,
    synopsis: v.optional(text),
    status: describe(text, "An open set: planned, active, blocked, done, and omitted, which a script revision sets."),
    revision_color: text,
    elements: free,
    episode_id: describe(v.optional(id), "Present only on an episodic production."),
    episode_code: sceneReference.episode_code,
  }),
);

const listedScene = record(
  "ListedScene",
  v.object({
    ...scene.entries,
    asset_ids: describe(v.optional(v.array(id)), "The ids of the scene's assets. Present only with include=assets."),
    department_notes: describe(
      v.optional(v.array(departmentNote)),
      "The notes on the scene. Present only with include=department_notes.",
    ),
    shoot_day_ids: describe(
      v.optional(v.array(id)),
      "The ids of the scene's shoot days. Present only with include=shoot_days.",
    ),
  }),
);

const sceneIdsOf = many<{ production_id: ProductionId }, { id: NodeId }>("list_scene_ids");

export const listScenes = reading({
  name: "list_scenes",
  summary: "Lists every scene in script order.",
  path: "/scenes",
  scope: "read",
  input: v.object({
    include: v.optional(
      describe(
        input.listOf(["assets", "department_notes", "shoot_days"]),
        "assets adds asset_ids to each row, department_notes the notes, shoot_days shoot_day_ids.",
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
});

export const getScene = reading({
  name: "get_scene",
  summary: "Returns one scene, as the list of scenes has it.",
  path: "/scenes/:node_id",
  scope: "read",
  output: scene,
});
