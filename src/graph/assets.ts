// Lists assets and their versions. new_assets.ts and new_versions.ts create them.
import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { notFound } from "../core/errors.ts";
import type { NodeId, ProductionId, VersionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { updatedSince } from "../core/listing.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, document, one } from "../core/store/statements.ts";
import { externalIdFields, externalIdFilter } from "./external_ids.ts";
import { mediaFile } from "./media.ts";
import { note, notePlace } from "./note.ts";
import { nodeStatuses } from "./values.ts";
import { lockedVersion, versionFields, versionSummary } from "./versions.ts";

const { describe } = input;

/** The fields of an asset wherever it is listed. */
export const assetFields = {
  node_id: out.id,
  label: out.text,
  kind: out.text,
  status: v.picklist(nodeStatuses),
  department: describe(v.nullable(out.text), "The department's slug; null if the asset has no department."),
};

export const assetRow = out.record(
  "AssetRow",
  v.object({
    ...assetFields,
    versions: describe(out.count, "The number of versions."),
    updated_at: out.timestamp,
    cast_number: describe(v.optional(out.text), "Present on a character that has one."),
    performer: describe(v.optional(out.text), "Who plays the character. Present on a character that has one."),
    ...externalIdFields,
  }),
);

/** The list row of an asset. */
export const assetRowOf = document<{ production_id: ProductionId; node_id: NodeId }, v.InferOutput<typeof assetRow>>(
  "get_asset_row",
);

const versionList = v.array(v.union([versionSummary, lockedVersion]));

const assetDetail = out.record(
  "AssetDetail",
  v.object({
    ...assetRow.entries,
    versions: describe(versionList, "Newest last. Released versions are complete, others are locked stubs."),
  }),
);

const listedAsset = out.record(
  "ListedAsset",
  v.object({
    ...assetRow.entries,
    versions: describe(
      v.union([out.count, versionList]),
      "The number of versions; with include=versions the versions, as GET /assets/{node_id} has them.",
    ),
    notes: describe(v.optional(v.array(note)), "Every note, newest first. Present only with include=notes."),
    still: describe(
      v.optional(v.nullable(v.object({ id: out.id, content_type: out.text, sha256: out.text, size: out.count }))),
      "The medium of the newest released version that has one and is not archived. Present only with include=still.",
    ),
  }),
);

const assetVersion = out.record(
  "AssetVersion",
  v.object({
    id: out.id,
    node_id: out.id,
    ...versionFields,
    note: describe(v.nullable(out.text), "The newest note. GET /assets/{node_id}/notes lists all of them."),
    note_place: describe(v.nullable(notePlace), "The place on the still that the note is about; null without one."),
    created_by: v.nullable(out.text),
    created_by_person_id: v.nullable(out.id),
    archived: v.boolean(),
    created_at: v.nullable(out.timestamp),
    released: v.boolean(),
    ...externalIdFields,
    media: v.array(mediaFile),
  }),
);

/** How many versions a row of the list has. */
export const versionCount = ({ versions }: v.InferOutput<typeof listedAsset>): number =>
  typeof versions === "number" ? versions : versions.length;

/** What a node is found by. */
type NodeKey = { production_id: ProductionId; node_id: NodeId };

/** Keeps the note of a version among the notes of its asset, so that a later note does not hide it. */
export const keepVersionNote = change("keep_version_note");

interface AssetNode {
  id: NodeId;
  label: string;
  /** The id and the number of its newest version; null if it has none. */
  version_id: VersionId | null;
  version: number | null;
}
const assetNodeOf = one<NodeKey, AssetNode>("get_asset_node");

/** The asset of the path with its newest version. Throws 404 if it does not exist or is a scene. */
export function requireAsset({ app, caller }: Context, { node_id }: { node_id: NodeId }): AssetNode {
  const node = assetNodeOf(app.store, { production_id: caller.production_id, node_id });
  if (node === undefined) throw notFound();
  return node;
}

export const listAssets = reading({
  name: "list_assets",
  summary:
    "Lists the assets: every node that is not a scene. Filters by department, kind, status and released versions.",
  path: "/assets",
  scope: "read",
  input: v.object({
    department: v.optional(describe(input.text(64), "Return only assets of the department with this slug.")),
    kind: v.optional(
      describe(input.text(64), "Return only assets of this kind, such as character, costume or location."),
    ),
    status: v.optional(describe(input.oneOf(nodeStatuses), "Return only assets with this status.")),
    released: v.optional(describe(input.flag, "Whether to return only assets with a released version.")),
    include: v.optional(
      describe(
        input.listOf(["versions", "notes", "still"]),
        "versions replaces the number of versions by the versions, notes adds the notes, still the newest released medium.",
      ),
    ),
    external_id: externalIdFilter,
    updated_since: updatedSince,
    episode_id: v.optional(
      describe(input.ids, "Return only assets that scenes of these episodes need. May be repeated."),
    ),
  }),
  output: v.array(listedAsset),
  tool: { omit: ["released", "include", "external_id", "updated_since", "episode_id"] },
});

export const getAsset = reading({
  name: "get_asset",
  summary: "Returns one asset: released versions with their media, the others as locked stubs.",
  path: "/assets/:node_id",
  scope: "read",
  output: assetDetail,
  tool: {},
});

export const listVersions = reading({
  name: "list_versions",
  summary: "Lists every version of an asset, unreleased ones too, with its newest note and its media. Newest last.",
  path: "/assets/:node_id/versions",
  scope: "write",
  input: v.object({ external_id: externalIdFilter }),
  output: v.array(assetVersion),
  authorize: requireAsset,
});
