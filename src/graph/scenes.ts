// Lists the scenes in script order.

import * as v from "valibot";
import type { ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { pagedBySentIds, updatedSince } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import { free, id, record, text } from "../core/records.ts";
import { many } from "../core/store/statements.ts";

const { describe } = input;

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
    episode_code: describe(v.optional(text), "Present only on an episodic production."),
  }),
);

const listedScene = record(
  "ListedScene",
  v.object({
    ...scene.entries,
    asset_ids: describe(v.optional(v.array(id)), "The ids of the scene's assets. Present only with include=assets."),
  }),
);

const sceneIdsOf = many<{ production_id: ProductionId }, { id: number }>("list_scene_ids");

export const listScenes = reading({
  name: "list_scenes",
  summary: "Lists every scene in script order.",
  path: "/scenes",
  scope: "read",
  input: v.object({
    include: v.optional(describe(input.listOf(["assets"]), "assets adds the field asset_ids to each row.")),
    updated_since: updatedSince,
  }),
  output: v.array(listedScene),
  tool: { omit: ["include", "updated_since"] },
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
