// Says what uses an asset, and which vendors see it.
import * as v from "valibot";
import type { Reach } from "../../core/context.ts";
import { NothingLabelled, unprocessable } from "../../core/errors.ts";
import type { NodeId, ProductionId } from "../../core/ids.ts";
import * as input from "../../core/inputs.ts";
import { operation, read } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document, many } from "../../core/store/statements.ts";
import { gatingApproval } from "../../graph/approvals.ts";
import { assetRow } from "../../graph/assets.ts";
import { sceneReference } from "../../graph/scenes.ts";
import { shootDayRow } from "../../graph/schedule.ts";
import { deliveryStatuses, grantVerbs } from "../../graph/values.ts";
import { newestVersion } from "../../graph/versions.ts";
import { assetsByWords } from "./search.ts";

const { describe } = input;

const assetUsage = out.record(
  "AssetUsage",
  v.object({
    asset: assetRow,
    newest: describe(
      v.nullable(newestVersion),
      "The version with the highest number that is not archived, released or not. Null if there is none.",
    ),
    newest_released: describe(
      v.nullable(v.object({ ...newestVersion.entries, media_id: v.nullable(out.id) })),
      "The released version with the highest number that is not archived, with its picture. Null if there is none.",
    ),
    scenes: v.array(
      v.object({
        ...sceneReference,
        status: out.text,
        shoot_day_ids: describe(v.array(out.id), "The days on which the scene is, also if it is omitted."),
      }),
    ),
    shoot_days: describe(v.array(shootDayRow), "The days of its scenes that are not omitted."),
    approvals: describe(v.array(gatingApproval), "Those that gate the asset or a delivery about it."),
    deliveries: v.array(
      v.object({
        id: out.id,
        title: out.text,
        status: v.picklist(deliveryStatuses),
        due: v.optional(out.text),
        external_to: v.optional(out.text),
      }),
    ),
    grants: describe(
      v.array(
        v.object({
          engagement_id: out.id,
          vendor: out.text,
          verb: v.picklist(grantVerbs),
          expires_at: v.nullable(out.timestamp),
        }),
      ),
      "The live grants by which a vendor sees the asset, also those of its department.",
    ),
  }),
);

/** How many assets a refusal names. */
const shownAssets = 10;
const usageOf = document<Reach & { node_id: NodeId }, v.InferOutput<typeof assetUsage>>("get_asset_usage");
const assetsOfLabel = many<{ production_id: ProductionId; label: string }, { id: NodeId }>("list_assets_of_label");

export const getAssetUsage = operation({
  name: "get_asset_usage",
  summary:
    "Returns where an asset, by id or by label, is used: scenes, shoot days, approvals, deliveries, and the vendors who see it. About 1 KB and 100 bytes for each scene.",
  path: "/assets/:node_id/usage",
  path_of_query: "/assets/usage",
  named_by: "label",
  scope: "read",
  input: v.object({
    node_id: v.optional(describe(input.id, "The asset's id. Give either this or label.")),
    label: v.optional(
      describe(input.text(300), "The asset's label, or words of it that no other asset has. Case does not matter."),
    ),
  }),
  output: assetUsage,
  run(context, { node_id, label }) {
    if (label === undefined && node_id === undefined) throw unprocessable("label is required");
    if (label === undefined) return read(context, usageOf, { node_id: node_id as number }); // one of the two is given
    if (node_id !== undefined) throw unprocessable("label must not be given together with node_id");
    const { app, caller } = context;
    const whole = assetsOfLabel(app.store, { production_id: caller.production_id, label }).map(({ id }) => id);
    const parts = whole.length > 0 ? [] : assetsByWords(context, label, shownAssets);
    const [only] = [...whole, ...parts.map(({ id }) => id)];
    if (only === undefined) throw new NothingLabelled(label);
    if (whole.length > 1) throw unprocessable(`label is that of the assets ${whole.join(", ")}; send node_id instead`);
    if (parts.length > 1) {
      const named = parts.map(({ id, label }) => `${id} (${label})`).join(", ");
      throw unprocessable(`label is a part of several labels: ${named}; send node_id instead`);
    }
    return read(context, usageOf, { node_id: only });
  },
});
