// Lists every version of an asset, for those who make and review them.
import * as v from "valibot";
import * as input from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import { document } from "../store/statements.ts";
import { requireAsset } from "./assets.ts";
import { mediaFile } from "./media.ts";
import { operation, reading } from "./operation.ts";
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

const material = v.object({ id, kind: text, label: text, media_id: v.nullable(id) });
const materialsOf = document<
  { production_id: number; node_id: number; with_unreleased: 0 | 1 },
  v.InferOutput<typeof material>[]
>("list_materials");

/** What fed the versions of an asset, such as swatches, for its page; it is not in the table of the API. */
export const listMaterials = operation({
  name: "list_materials",
  summary:
    "Lists the ingredients of an asset's versions, each once; without the scope write, of its released versions.",
  path: "/assets/:node_id/materials",
  scope: "read",
  output: v.array(material),
  authorize: requireAsset,
  run({ app, caller }, { node_id }) {
    const { production_id, scopes } = caller;
    const with_unreleased = scopes.includes("write") ? 1 : 0;
    return materialsOf(app.store, { production_id, node_id, with_unreleased }) ?? [];
  },
});
