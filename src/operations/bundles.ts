// The bundles: one statement assembles a scene or a character with everything around it.
import * as v from "valibot";
import type { Context, Reach } from "../context.ts";
import * as input from "../inputs.ts";
import type { JsonText } from "../json.ts";
import { id, record, text, timestamp } from "../records.ts";
import type { Store } from "../store/database.ts";
import { document } from "../store/statements.ts";
import { approvalRow } from "./approvals.ts";
import { etagOf, operation, read, TaggedDocument } from "./operation.ts";
import { scene } from "./scenes.ts";
import { shootDayRow } from "./schedule.ts";
import { versionSummary } from "./versions.ts";

const { describe } = input;

const sceneAsset = record(
  "SceneAsset",
  v.object({
    node_id: id,
    label: text,
    kind: text,
    status: v.picklist(input.nodeStatuses),
    released_versions: v.array(versionSummary),
  }),
);

export const departmentNote = record(
  "DepartmentNote",
  v.object({ id, summary: text, created_at: v.nullable(timestamp) }),
);
/** A note in a document that is about several nodes. */
export const placedNote = v.object({
  ...departmentNote.entries,
  node_id: describe(id, "The scene or asset that the note is about."),
  department: describe(text, "The department's slug."),
});

export const shapeVersion = describe(v.literal(1), "The version of the document's shape.");
export const etag = describe(text, "The value of the ETag header, character for character, quotes included.");

const sceneBundle = record(
  "SceneBundle",
  v.object({
    version: shapeVersion,
    scene,
    assets: v.array(sceneAsset),
    shoot_days: v.array(shootDayRow),
    approvals: v.array(approvalRow),
    department_notes: v.array(departmentNote),
    etag,
  }),
);

const ingredient = record(
  "Ingredient",
  v.object({
    id,
    kind: text,
    label: text,
    relation: v.optional(v.nullable(text)),
    media_path: describe(v.optional(v.nullable(text)), "Absent for a bound key, because it is not in its reach."),
    media_id: describe(v.optional(v.nullable(id)), "Absent for a bound key, like media_path."),
  }),
);

const costume = record(
  "Costume",
  v.object({
    node_id: id,
    label: text,
    status: v.picklist(input.nodeStatuses),
    released_versions: v.array(versionSummary),
    ingredients: describe(v.array(ingredient), "The ingredients of all released versions, each once."),
  }),
);

const characterBundle = record(
  "CharacterBundle",
  v.object({
    version: shapeVersion,
    character: v.object({ node_id: id, label: text, status: v.picklist(input.nodeStatuses) }),
    costumes: v.array(costume),
    etag,
  }),
);

type SceneBundle = v.InferOutput<typeof sceneBundle>;
type CharacterBundle = v.InferOutput<typeof characterBundle>;

export const sceneBundleOf = document<Reach & { node_id: number }, Omit<SceneBundle, "etag">>("get_scene_bundle");
export const characterBundleOf = document<Reach & { node_id: number }, Omit<CharacterBundle, "etag">>(
  "get_character_bundle",
);

/**
 * Adds the field etag to a bundle: the hash of the document without it, exactly as in the ETag header. Throws 404 if not found.
 */
export function tagged<T extends { etag: string }, P extends object>(
  context: Context,
  statement: (store: Store, parameters: Reach & P) => JsonText<Omit<T, "etag">> | undefined,
  parameters: P,
): TaggedDocument<T> {
  return withEtag<T>(read(context, statement, parameters));
}

/** The same for a document that is already assembled. */
export function withEtag<T extends { etag: string }>(assembled: JsonText<Omit<T, "etag">>): TaggedDocument<T> {
  const etag = etagOf(assembled);
  const text = `${assembled.slice(0, -1)},"etag":${JSON.stringify(etag)}}`;
  return new TaggedDocument(text as JsonText<T>, etag); // safe: the statement's object and the one field that it lacks
}

export const getSceneBundle = operation({
  name: "get_scene_bundle",
  summary:
    "Returns one scene with its assets' released versions, shoot days, approvals and department notes, in one round trip.",
  path: "/bundles/scene/:node_id",
  scope: "read",
  reach: "engagement",
  input: v.object({ node_id: input.id }),
  output: sceneBundle,
  tool: {},
  run: (context, { node_id }) => tagged<SceneBundle, { node_id: number }>(context, sceneBundleOf, { node_id }),
});

export const getCharacterBundle = operation({
  name: "get_character_bundle",
  summary: "Returns one character with its costumes, their released versions and their ingredients, in one round trip.",
  path: "/bundles/character/:node_id",
  scope: "read",
  reach: "engagement",
  input: v.object({ node_id: input.id }),
  output: characterBundle,
  tool: {},
  run: (context, { node_id }) => tagged<CharacterBundle, { node_id: number }>(context, characterBundleOf, { node_id }),
});
