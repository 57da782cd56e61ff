// The bundles: one statement assembles a scene, a character or another asset with everything around it that the caller
// reaches. docs/api.md, "Reading".
import * as v from "valibot";
import * as input from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { approvalRow } from "./approvals.ts";
import { assetFields } from "./assets.ts";
import { departmentNote, scene, sceneReference } from "./scenes.ts";
import { shootDayRow } from "./schedule.ts";
import { nodeStatuses } from "./values.ts";
import { versionSummary } from "./versions.ts";

const { describe } = input;

const sceneAsset = out.record(
  "SceneAsset",
  v.object({
    node_id: out.id,
    label: out.text,
    kind: out.text,
    status: v.picklist(nodeStatuses),
    released_versions: v.array(versionSummary),
  }),
);

/** The field `version` of every bundle. */
export const shapeVersion = describe(v.literal(1), "The version of the document's shape.");
/** The field `etag` of every bundle. */
export const etag = describe(out.text, "The value of the ETag header, character for character, quotes included.");

const sceneBundle = out.record(
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

const ingredient = out.record(
  "Ingredient",
  v.object({
    id: out.id,
    kind: out.text,
    label: out.text,
    relation: v.optional(v.nullable(out.text)),
    media_path: describe(v.optional(v.nullable(out.text)), "Absent for a bound key, because it is not in its reach."),
    media_id: describe(v.optional(v.nullable(out.id)), "Absent for a bound key, like media_path."),
  }),
);

const costume = out.record(
  "Costume",
  v.object({
    node_id: out.id,
    label: out.text,
    status: v.picklist(nodeStatuses),
    released_versions: v.array(versionSummary),
    ingredients: describe(v.array(ingredient), "The ingredients of all released versions, each once."),
  }),
);

const characterBundle = out.record(
  "CharacterBundle",
  v.object({
    version: shapeVersion,
    character: v.object({ node_id: out.id, label: out.text, status: v.picklist(nodeStatuses) }),
    costumes: v.array(costume),
    etag,
  }),
);

const assetBundle = out.record(
  "AssetBundle",
  v.object({
    version: shapeVersion,
    asset: v.object(assetFields),
    scenes: describe(
      v.array(v.object(sceneReference)),
      "The scenes that contain the asset and that the key reaches, in script order.",
    ),
    released_versions: v.array(versionSummary),
    department_notes: describe(
      v.array(departmentNote),
      "The notes on the asset, and the notes of its own department on the scenes above.",
    ),
    etag,
  }),
);

export const getSceneBundle = reading({
  name: "get_scene_bundle",
  summary:
    "Returns one scene with its assets' released versions, shoot days, approvals and department notes, in one round trip.",
  path: "/bundles/scene/:node_id",
  scope: "read",
  reach: "engagement",
  output: sceneBundle,
  tool: {},
});

export const getCharacterBundle = reading({
  name: "get_character_bundle",
  summary: "Returns one character with its costumes, their released versions and their ingredients, in one round trip.",
  path: "/bundles/character/:node_id",
  scope: "read",
  reach: "engagement",
  output: characterBundle,
  tool: {},
});

export const getAssetBundle = reading({
  name: "get_asset_bundle",
  summary:
    "Returns one asset of any kind with its scenes, released versions and department notes, in one round trip. A scene is 404.",
  path: "/bundles/asset/:node_id",
  scope: "read",
  reach: "engagement",
  output: assetBundle,
});
