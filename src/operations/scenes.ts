// Lists the scenes in script order.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import * as input from "../inputs.ts";
import { free, id, record, text } from "../records.ts";
import { document, many } from "../store/statements.ts";
import { listing, pageEntries, pageFields, placedBySent, readPage, updatedSince } from "./listing.ts";
import { operation, read } from "./operation.ts";

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
type Filter = Reach & { updated_since: string | null; with_assets: 0 | 1 };

const sceneIdsOf = many<{ production_id: number }, { id: number }>("list_scene_ids");

const storedScenes = listing<Filter, v.InferOutput<typeof listedScene>>("list_scenes", placedBySent(sceneIdsOf));

export const listScenes = operation({
  name: "list_scenes",
  summary: "Lists every scene in script order.",
  path: "/scenes",
  scope: "read",
  input: v.object({
    include: v.optional(describe(input.listOf(["assets"]), "assets adds the field asset_ids to each row.")),
    updated_since: updatedSince,
    ...pageEntries,
  }),
  output: v.array(listedScene),
  tool: { omit: ["include", "updated_since", ...pageFields] },
  resource: "service://script",
  run: (context, { include, updated_since = null, ...page }) =>
    readPage(context, storedScenes, { updated_since, with_assets: include === undefined ? 0 : 1 }, page),
});

const sceneOf = document<Reach & { node_id: number }, v.InferOutput<typeof scene>>("get_scene");

export const getScene = operation({
  name: "get_scene",
  summary: "Returns one scene, as the list of scenes has it.",
  path: "/scenes/:node_id",
  scope: "read",
  input: v.object({ node_id: input.id }),
  output: scene,
  run: (context, { node_id }) => read(context, sceneOf, { node_id }),
});
