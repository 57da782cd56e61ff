// Creates assets: one, or several in one transaction. Each has its activity entry and its event.
import * as v from "valibot";
import type { Context, Reach } from "../core/context.ts";
import { unprocessable } from "../core/errors.ts";
import type { Id, NodeId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation, read } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, document, one, value } from "../core/store/statements.ts";
import { recordActivity } from "./activity.ts";
import { assetRow, assetRowOf } from "./assets.ts";
import { inBatch, inItem, maxBatch } from "./batches.ts";
import { asRepeated, givenExternalId, repeatedField, takenBy } from "./external_ids.ts";
import { assetKind, maxThings, nodeStatuses, tooMany } from "./values.ts";

const { describe } = input;

const createdAsset = out.record(
  "CreatedAsset",
  v.object({
    ...assetRow.entries,
    same_label: describe(
      v.optional(v.array(out.id)),
      "The ids of the other assets of this label. Present only if there are some: perhaps one of them was meant.",
    ),
    ...repeatedField,
  }),
);

const createdAssetOf = document<Reach & { node_id: NodeId }, Omit<v.InferOutput<typeof createdAsset>, "repeated">>(
  "get_created_asset",
);
const departmentIdOf = one<{ production_id: ProductionId; slug: string }, { id: Id<"department"> }>(
  "get_department_id",
);
const assetCount = value<{ production_id: ProductionId }, number>("count_assets");
const insertAsset = change("create_asset");
const namedAsset = one<
  { production_id: ProductionId; external_id: string },
  { id: NodeId; label: string; kind: string }
>("find_asset_by_external_id");

const newAsset = v.object({
  label: describe(input.lineLabel(300), "What the asset is called."),
  kind: v.optional(describe(assetKind, "Any kind except scene, because scenes come from the script."), "asset"),
  department: v.optional(describe(input.slug, "The slug of the department that owns it.")),
  status: v.optional(input.oneOf(nodeStatuses), "planned"),
  external_id: givenExternalId,
});
type NewAsset = v.InferOutput<typeof newAsset>;

/** The stored asset of an external_id, if the request says the same. Throws 409 if it says something else. */
function storedAsset({ app, caller }: Context, { external_id, label, kind }: NewAsset): NodeId | undefined {
  if (external_id === undefined) return undefined;
  const found = namedAsset(app.store, { production_id: caller.production_id, external_id });
  if (found === undefined) return undefined;
  if (found.kind !== kind) throw takenBy(external_id, `asset ${found.id}`, `another kind: ${found.kind}`);
  if (found.label.normalize("NFC") !== label.normalize("NFC"))
    throw takenBy(external_id, `asset ${found.id}`, `another label: ${found.label}`);
  return found.id;
}

/**
 * Creates an asset in a write transaction, unless its external_id is stored. Throws 422 for an unknown department and
 * for one too many.
 */
function putAsset(context: Context, asset: NewAsset): { node_id: NodeId; repeated: boolean } {
  const stored = storedAsset(context, asset);
  if (stored !== undefined) return { node_id: stored, repeated: true };
  const { app, caller, now } = context;
  const { production_id } = caller;
  const { label, kind, department, status, external_id = null } = asset;
  if ((assetCount(app.store, { production_id }) ?? 0) >= maxThings)
    throw unprocessable(`the asset ${tooMany("assets")}`);
  let department_id: number | null = null;
  if (department !== undefined) {
    const found = departmentIdOf(app.store, { production_id, slug: department });
    if (found === undefined) throw unprocessable("department must be the slug of a department of this production");
    department_id = found.id;
  }
  const row = { production_id, kind, label, status, department_id, external_id, now };
  const { id: node_id } = insertAsset(app.store, row);
  recordActivity(
    context,
    { verb: "asset.created", summary: `Created the ${kind} ${label}`, node_id },
    {
      type: "asset.created",
      subject: { kind: "asset", id: node_id },
      data: { label, kind, status, department: department ?? null },
    },
  );
  return { node_id, repeated: false };
}

export const createAsset = operation({
  name: "create_asset",
  summary: "Creates an asset of any kind except scene. By default it is planned and has no department.",
  method: "POST",
  path: "/assets",
  scope: "write",
  input: newAsset,
  output: createdAsset,
  errors: [409],
  run: (context, asset) =>
    context.write((context) => {
      const { node_id, repeated } = putAsset(context, asset);
      const row = read(context, createdAssetOf, { node_id });
      return repeated ? asRepeated<v.InferOutput<typeof createdAsset>>(row) : row;
    }),
});

export const createAssets = operation({
  name: "create_assets",
  summary: "Creates up to 500 assets in one transaction: all of them or none. Answers their rows in the same order.",
  method: "POST",
  path: "/batch/assets",
  scope: "write",
  input: v.object({
    assets: describe(
      v.pipe(input.list(newAsset, maxBatch), v.minLength(1, "must have at least one item")),
      "What POST /assets takes, for each asset.",
    ),
  }),
  output: v.array(out.record("BatchAsset", v.object({ ...assetRow.entries, ...inBatch }))),
  errors: [409],
  run: (context, { assets }) =>
    context.write((context) => {
      const { production_id } = context.caller;
      return assets.map((asset, at) => {
        const { node_id, repeated } = inItem(`assets[${at}]`, newAsset.entries, () => putAsset(context, asset));
        const row = assetRowOf(context.app.store, { production_id, node_id }) ?? "{}"; // it was stored above
        const stored: v.InferOutput<typeof assetRow> = JSON.parse(row);
        return { ...stored, repeated };
      });
    }),
});
