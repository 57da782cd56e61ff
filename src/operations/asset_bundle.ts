// The bundle of an asset: one statement assembles it with its scenes, its released versions and the notes about it.
import * as v from "valibot";
import * as input from "../inputs.ts";
import { id, record, text } from "../records.ts";
import { assetFields } from "./assets.ts";
import { etag, placedNote, shapeVersion } from "./bundles.ts";
import { reading } from "./operation.ts";
import { versionSummary } from "./versions.ts";

const { describe } = input;

const assetBundle = record(
  "AssetBundle",
  v.object({
    version: shapeVersion,
    asset: v.object(assetFields),
    scenes: describe(
      v.array(v.object({ node_id: id, number: text, slugline: text })),
      "The scenes that contain the asset and that the key reaches, in script order.",
    ),
    released_versions: v.array(versionSummary),
    department_notes: describe(
      v.array(placedNote),
      "The notes on the asset, and the notes of its own department on the scenes above.",
    ),
    etag,
  }),
);

export const getAssetBundle = reading({
  name: "get_asset_bundle",
  summary:
    "Returns one asset of any kind with its scenes, released versions and department notes, in one round trip. A scene is 404.",
  path: "/bundles/asset/:node_id",
  scope: "read",
  reach: "engagement",
  output: assetBundle,
});
