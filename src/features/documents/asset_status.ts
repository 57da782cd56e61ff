// POST /assets/{node_id}/status: sets the status of an asset as a change set, as `set` does.
import * as v from "valibot";
import { conflict, notFound } from "../../core/errors.ts";
import type { NodeId } from "../../core/ids.ts";
import { describe, oneOf } from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import { assetRow, assetRowOf, requireAsset } from "../../graph/assets.ts";
import { nodeStatuses } from "../../graph/values.ts";
import { runJob } from "./jobs/import_job.ts";

const module = new URL("./jobs/asset_status_work.ts", import.meta.url).href;

/** What the work of a change of status is asked for. */
export interface StatusRequest {
  production_id: number;
  node_id: NodeId;
  label: string;
  status: string;
  if_status?: string | undefined;
}

/** Throws 409 if the status of the asset is not the one that the client expects. */
export function checkStatus(present: string, if_status: string | undefined): void {
  if (if_status !== undefined && if_status !== present)
    throw conflict(`the status is ${present}, not ${if_status}; nothing was changed`);
}

export const setAssetStatus = operation({
  name: "set_asset_status",
  summary:
    "Sets the status of an asset, as a change set that can be undone. A status that is there already changes nothing.",
  method: "POST",
  path: "/assets/:node_id/status",
  scope: "write",
  hints: ["replaces", "repeats"],
  input: v.object({
    status: describe(oneOf(nodeStatuses), "The new status."),
    if_status: v.optional(describe(oneOf(nodeStatuses), "The status that is expected: 409 if it is another one.")),
  }),
  output: assetRow,
  errors: [404, 409],
  authorize: requireAsset,
  async run(context, { node_id, status, if_status }) {
    const { production_id } = context.caller;
    const text = assetRowOf(context.app.store, { production_id, node_id });
    if (text === undefined) throw notFound();
    const row: v.InferOutput<typeof assetRow> = JSON.parse(text);
    checkStatus(row.status, if_status);
    if (row.status === status) return text;
    const request: StatusRequest = { production_id, node_id, label: row.label, status, if_status };
    return runJob<v.InferOutput<typeof assetRow>>(context, { module, request, is_large: false }, undefined, "write");
  },
});
