// Assets: list, get and create them, and add and list their versions. Each write is one transaction with its activity entry and its event.
import * as v from "valibot";
import type { Context, Reach } from "../core/context.ts";
import { notFound, unprocessable } from "../core/errors.ts";
import type { Id, NodeId, ProductionId, VersionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { updatedSince } from "../core/listing.ts";
import { operation, read, reading } from "../core/operation.ts";
import { count, id, record, text, timestamp } from "../core/records.ts";
import { change, document, one, value } from "../core/store/statements.ts";
import { recordActivity } from "./activity.ts";
import { mediaFile, prepareFiles, useFiles } from "./media.ts";
import { cleanLabel, createMedia } from "./media_rows.ts";
import { note, notePlace } from "./note.ts";
import { assetKind, maxThings, nodeStatuses, tooMany } from "./values.ts";
import { touchNode } from "./version_status.ts";
import { landedVersion, lockedVersion, versionFields, versionSummary } from "./versions.ts";

const { describe } = input;

/** The fields of an asset wherever it is listed. */
export const assetFields = {
  node_id: id,
  label: text,
  kind: text,
  status: v.picklist(nodeStatuses),
  department: describe(v.nullable(text), "The department's slug; null if the asset has no department."),
};

export const assetRow = record(
  "AssetRow",
  v.object({
    ...assetFields,
    versions: describe(count, "The number of versions."),
    updated_at: timestamp,
    cast_number: describe(v.optional(text), "Present on a character that has one."),
    performer: describe(v.optional(text), "Who plays the character. Present on a character that has one."),
  }),
);

const versionList = v.array(v.union([versionSummary, lockedVersion]));

const assetDetail = record(
  "AssetDetail",
  v.object({
    ...assetRow.entries,
    versions: describe(versionList, "Newest last. Released versions are complete, others are locked stubs."),
  }),
);

const listedAsset = record(
  "ListedAsset",
  v.object({
    ...assetRow.entries,
    versions: describe(
      v.union([count, versionList]),
      "The number of versions; with include=versions the versions, as GET /assets/{node_id} has them.",
    ),
    notes: describe(v.optional(v.array(note)), "Every note, newest first. Present only with include=notes."),
    still: describe(
      v.optional(v.nullable(v.object({ id, content_type: text, sha256: text, size: count }))),
      "The medium of the newest released version that has one and is not archived. Present only with include=still.",
    ),
  }),
);

const assetVersion = record(
  "AssetVersion",
  v.object({
    id,
    node_id: id,
    ...versionFields,
    note: describe(v.nullable(text), "The newest note. GET /assets/{node_id}/notes lists all of them."),
    note_place: describe(v.nullable(notePlace), "The place on the still that the note is about; null without one."),
    created_by: v.nullable(text),
    created_by_person_id: v.nullable(id),
    archived: v.boolean(),
    created_at: v.nullable(timestamp),
    released: v.boolean(),
    media: v.array(mediaFile),
  }),
);

/** How many versions a row of the list has. */
export const versionCount = ({ versions }: v.InferOutput<typeof listedAsset>): number =>
  typeof versions === "number" ? versions : versions.length;

const createdAsset = record(
  "CreatedAsset",
  v.object({
    ...assetRow.entries,
    same_label: describe(
      v.optional(v.array(id)),
      "The ids of the other assets of this label. Present only if there are some: perhaps one of them was meant.",
    ),
  }),
);

/** What a node is found by. */
export type NodeKey = { production_id: ProductionId; node_id: NodeId };

const createdAssetOf = document<Reach & { node_id: NodeId }, v.InferOutput<typeof createdAsset>>("get_created_asset");
const departmentIdOf = one<{ production_id: ProductionId; slug: string }, { id: Id<"department"> }>(
  "get_department_id",
);
const assetCount = value<{ production_id: ProductionId }, number>("count_assets");
const insertAsset = change("create_asset");
const insertVersion = change("create_version");
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
    updated_since: updatedSince,
  }),
  output: v.array(listedAsset),
  tool: { omit: ["released", "include", "updated_since"] },
});

export const getAsset = reading({
  name: "get_asset",
  summary: "Returns one asset: released versions with their media, the others as locked stubs.",
  path: "/assets/:node_id",
  scope: "read",
  output: assetDetail,
  tool: {},
});

export const createAsset = operation({
  name: "create_asset",
  summary: "Creates an asset of any kind except scene. By default it is planned and has no department.",
  method: "POST",
  path: "/assets",
  scope: "write",
  input: v.object({
    label: input.text(300),
    kind: v.optional(describe(assetKind, "Any kind except scene, because scenes come from the script."), "asset"),
    department: v.optional(describe(input.slug, "The slug of the department that owns it.")),
    status: v.optional(input.oneOf(nodeStatuses), "planned"),
  }),
  output: createdAsset,
  run: (context, { label, kind, department, status }) =>
    context.write((context) => {
      const { app, caller, now } = context;
      const { production_id } = caller;
      if ((assetCount(app.store, { production_id }) ?? 0) >= maxThings)
        throw unprocessable(`the asset ${tooMany("assets")}`);
      let department_id: number | null = null;
      if (department !== undefined) {
        const found = departmentIdOf(app.store, { production_id, slug: department });
        if (found === undefined) throw unprocessable("department must be the slug of a department of this production");
        department_id = found.id;
      }
      const { id: node_id } = insertAsset(app.store, { production_id, kind, label, status, department_id, now });
      recordActivity(
        context,
        { verb: "asset.created", summary: `Created the ${kind} ${label}`, node_id },
        {
          type: "asset.created",
          subject: { kind: "asset", id: node_id },
          data: { label, kind, status, department: department ?? null },
        },
      );
      return read(context, createdAssetOf, { node_id });
    }),
});

export const createVersion = operation({
  name: "create_version",
  summary: "Uploads an on-set still as the asset's next version, with the status wip.",
  method: "POST",
  path: "/assets/:node_id/versions",
  scope: "write",
  body: "json or multipart",
  files_in_json: "upload_ids",
  input: v.object({
    file: input.upload,
    note: v.optional(input.text()),
    variant: v.optional(input.text(200), "On-Set"),
  }),
  output: landedVersion,
  errors: [404, 413, 507],
  authorize: requireAsset,
  run: async (context, { node_id, variant, note = null, file }) => {
    if (file.staged.size === 0) throw unprocessable("file must not be empty");
    await prepareFiles(context, [file]);
    return context.write((context) => landVersion(context, { node_id, variant, note, file }));
  },
});

interface NewVersion {
  node_id: NodeId;
  variant: string;
  note: string | null;
  file: input.Upload;
}

/** Creates the version. Version numbers are consecutive and unique, because write transactions are serialised. */
function landVersion(
  context: Context,
  { node_id, variant, note, file }: NewVersion,
): v.InferOutput<typeof landedVersion> {
  const { app, caller, now } = context;
  const { production_id, label: created_by, person_id: created_by_person_id } = caller;
  useFiles([file]);
  const node = requireAsset(context, { node_id }); // checked again, because the upload may have taken long
  const version = (node.version ?? 0) + 1;
  const row = { production_id, node_id, version, variant, note, created_by, created_by_person_id, now };
  const { id } = insertVersion(app.store, row);
  keepVersionNote(app.store, { production_id, version_id: id, now });
  const label = cleanLabel(file.file_name, `${node.label} v${version}`);
  const media = { production_id, version_id: id, kind: "still", label, created_by, created_at: now };
  createMedia(app.store, app.blobs, file.staged, media, now);
  touchNode(app.store, { production_id, node_id, now });
  const summary = `Landed ${node.label} v${version} (${variant})`;
  recordActivity(
    context,
    { verb: "version.landed", summary, node_id },
    { type: "version.landed", subject: { kind: "version", id }, data: { node_id, version, variant } },
  );
  return { id, node_id, version, variant, status: "wip", note, created_at: now, released: false };
}

export const listVersions = reading({
  name: "list_versions",
  summary: "Lists every version of an asset, unreleased ones too, with its newest note and its media. Newest last.",
  path: "/assets/:node_id/versions",
  scope: "write",
  output: v.array(assetVersion),
  authorize: requireAsset,
});
