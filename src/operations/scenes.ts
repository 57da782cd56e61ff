// Lists the scenes in script order.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import * as input from "../inputs.ts";
import { free, id, record, text } from "../records.ts";
import { document } from "../store/statements.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

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

const scenesOf = document<Reach, v.InferOutput<typeof scene>[]>("list_scenes");

export const listScenes = operation({
  name: "list_scenes",
  summary: "Lists every scene in script order.",
  method: "GET",
  path: "/scenes",
  scope: "read",
  reach: "production",
  input: v.object({}),
  output: v.array(scene),
  errors: [],
  tool: {},
  resource: "service://script",
  run: (context) => read(context, scenesOf, {}),
});

const sceneOf = document<Reach & { node_id: number }, v.InferOutput<typeof scene>>("get_scene");

export const getScene = operation({
  name: "get_scene",
  summary: "Returns one scene, as the list of scenes has it.",
  method: "GET",
  path: "/scenes/:node_id",
  scope: "read",
  reach: "production",
  input: v.object({ node_id: input.id }),
  output: scene,
  errors: [404],
  run: (context, { node_id }) => read(context, sceneOf, { node_id }),
});
