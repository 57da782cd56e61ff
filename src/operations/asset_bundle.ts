// The bundle of an asset: one statement assembles it with its scenes, its released versions and the notes about it.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import * as input from "../inputs.ts";
import { id, record, text } from "../records.ts";
import { document } from "../store/statements.ts";
import { assetFields } from "./assets.ts";
import { etag, placedNote, shapeVersion, tagged } from "./bundles.ts";
import { operation } from "./operation.ts";
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
type AssetBundle = v.InferOutput<typeof assetBundle>;

export const assetBundleOf = document<Reach & { node_id: number }, Omit<AssetBundle, "etag">>("get_asset_bundle");

export const getAssetBundle = operation({
  name: "get_asset_bundle",
  summary:
    "Returns one asset of any kind with its scenes, released versions and department notes, in one round trip. A scene is 404.",
  path: "/bundles/asset/:node_id",
  scope: "read",
  reach: "engagement",
  input: v.object({ node_id: input.id }),
  output: assetBundle,
  run: (context, { node_id }) => tagged<AssetBundle, { node_id: number }>(context, assetBundleOf, { node_id }),
});
