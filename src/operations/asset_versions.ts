// Lists every version of an asset, for those who make and review them.
import * as v from "valibot";
import * as input from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import { requireAsset } from "./assets.ts";
import { mediaFile } from "./media.ts";
import { reading } from "./operation.ts";
import { versionFields } from "./versions.ts";

const { describe } = input;

const assetVersion = record(
  "AssetVersion",
  v.object({
    id,
    node_id: id,
    ...versionFields,
    note: describe(v.nullable(text), "The newest note. GET /assets/{node_id}/notes lists all of them."),
    created_by: v.nullable(text),
    created_by_person_id: v.nullable(id),
    archived: v.boolean(),
    created_at: v.nullable(timestamp),
    released: v.boolean(),
    media: v.array(mediaFile),
  }),
);

export const listVersions = reading({
  name: "list_versions",
  summary: "Lists every version of an asset, unreleased ones too, with its newest note and its media. Newest last.",
  path: "/assets/:node_id/versions",
  scope: "write",
  output: v.array(assetVersion),
  authorize: requireAsset,
});
