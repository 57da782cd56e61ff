// What fed the versions of an asset, such as swatches, for its page. The operation is not one of the API, so its file
// has no other.
import * as v from "valibot";
import type { NodeId, ProductionId } from "../../core/ids.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document } from "../../core/store/statements.ts";
import { requireAsset } from "../../graph/assets.ts";

const medium = v.object({ id: out.id, sha256: out.text, content_type: out.text });
const material = v.object({ id: out.id, kind: out.text, label: out.text, medium: v.nullable(medium) });
const materialsOf = document<
  { production_id: ProductionId; node_id: NodeId; with_unreleased: 0 | 1 },
  v.InferOutput<typeof material>[]
>("list_materials");

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
