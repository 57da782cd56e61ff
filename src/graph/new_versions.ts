// Lands versions of assets: one, or several in one transaction. Each has its medium, its activity entry and its event.
import * as v from "valibot";
import type { JsonText } from "../core/answers.ts";
import { maxFiles } from "../core/body_limits.ts";
import type { Context } from "../core/context.ts";
import { conflict, tooLarge, unprocessable } from "../core/errors.ts";
import type { NodeId, ProductionId, VersionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, document, many, one, value } from "../core/store/statements.ts";
import { cut } from "../core/wording.ts";
import { recordActivity } from "./activity.ts";
import { keepVersionNote, requireAsset } from "./assets.ts";
import { inBatch, inItem, maxBatch } from "./batches.ts";
import { asRepeated, givenExternalId, takenBy } from "./external_ids.ts";
import { prepareFiles, useFiles } from "./media.ts";
import { cleanLabel, createMedia, sentAs } from "./media_rows.ts";
import { touchNode } from "./nodes.ts";
import { landedVersion } from "./versions.ts";

const { describe } = input;
type LandedVersion = v.InferOutput<typeof landedVersion>;

const insertVersion = change("create_version");
const landedVersionOf = document<
  { production_id: ProductionId; version_id: VersionId },
  Omit<LandedVersion, "repeated" | "sent_as">
>("get_landed_version");
interface NamedVersion {
  id: VersionId;
  node_id: NodeId;
  variant: string;
  sha256: string | null;
}
const namedVersion = one<{ production_id: ProductionId; external_id: string }, NamedVersion>(
  "find_version_by_external_id",
);

const versionEntries = {
  note: v.optional(describe(input.text(), "What the version is about.")),
  variant: v.optional(describe(input.lineLabel(200), "Which kind of version it is."), "On-Set"),
  external_id: givenExternalId,
};

interface NewVersion {
  node_id: NodeId;
  variant: string;
  note?: string | undefined;
  external_id?: string | undefined;
  file: input.Upload;
}

/** The stored version of an external_id, if the request says the same. Throws 409 if it says something else. */
function storedVersion({ app, caller }: Context, version: NewVersion): VersionId | undefined {
  const { external_id, node_id, variant, file } = version;
  if (external_id === undefined) return undefined;
  const found = namedVersion(app.store, { production_id: caller.production_id, external_id });
  if (found === undefined) return undefined;
  const holder = `version ${found.id}`;
  if (found.node_id !== node_id) throw takenBy(external_id, holder, `another asset: ${found.node_id}`);
  if (found.variant !== variant) throw takenBy(external_id, holder, `another variant: ${found.variant}`);
  if (found.sha256 !== file.staged.sha256) throw takenBy(external_id, holder, "other bytes");
  return found.id;
}

/** Creates the version. Version numbers are consecutive and unique, because write transactions are serialised. */
function landVersion(context: Context, { node_id, variant, note, external_id, file }: NewVersion): VersionId {
  const { app, caller, now } = context;
  const { production_id, label: created_by, person_id: created_by_person_id } = caller;
  useFiles([file]);
  const node = requireAsset(context, { node_id }); // checked again, because the upload may have taken long
  const version = (node.version ?? 0) + 1;
  const named = { note: note ?? null, external_id: external_id ?? null };
  const row = { production_id, node_id, version, variant, created_by, created_by_person_id, ...named, now };
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
  return id;
}

/** The row of a version that was stored. */
function rowOf({ app, caller }: Context, version_id: VersionId): JsonText<Omit<LandedVersion, "repeated" | "sent_as">> {
  const row = landedVersionOf(app.store, { production_id: caller.production_id, version_id });
  if (row === undefined) throw new Error(`version ${version_id} is not stored`);
  return row;
}

const sentNameOf = ({ file: { file_name } }: NewVersion) => sentAs(file_name, cleanLabel(file_name, ""));

/** The version of the request in a write transaction: the stored one, or a new one, whose file must be prepared. */
function putVersion(context: Context, version: NewVersion, prepared: ReadonlySet<input.Upload>) {
  const stored = storedVersion(context, version);
  if (stored === undefined && !prepared.has(version.file))
    throw conflict("the version with this external_id was removed meanwhile; nothing was stored; try again");
  return { id: stored ?? landVersion(context, version), repeated: stored !== undefined };
}

/** Runs work about a version; a refusal says which one it is about. */
type Naming = <T>(at: number, work: () => T) => T;

/** Prepares the files of the versions that are not stored. */
async function prepare(
  context: Context,
  versions: readonly NewVersion[],
  named: Naming = (_, work) => work(),
): Promise<ReadonlySet<input.Upload>> {
  const isNew = (version: NewVersion, at: number) => named(at, () => storedVersion(context, version)) === undefined;
  const files = versions.filter(isNew).map(({ file }) => file);
  await prepareFiles(context, files);
  return new Set(files);
}

export const createVersion = operation({
  name: "create_version",
  summary: "Uploads an on-set still as the asset's next version, with the status wip.",
  method: "POST",
  path: "/assets/:node_id/versions",
  scope: "write",
  body: "json or multipart",
  files_in_json: "upload_ids",
  input: v.object({ file: input.upload, ...versionEntries }),
  output: landedVersion,
  errors: [404, 409, 413, 507],
  authorize: requireAsset,
  run: async (context, version) => {
    const prepared = await prepare(context, [version]);
    return context.write((context) => {
      const { id, repeated } = putVersion(context, version, prepared);
      const row = rowOf(context, id);
      if (repeated) return asRepeated<LandedVersion>(row);
      const landed: LandedVersion = JSON.parse(row);
      return { ...landed, ...sentNameOf(version) };
    });
  },
});

const batchItem = v.object({
  node_id: v.optional(describe(input.id, "The asset. Either this or asset.")),
  asset: v.optional(describe(input.text(300), "The external_id of the asset, or else its label.")),
  upload_id: v.optional(describe(input.text(200), "The id of a finished resumable upload. Either this or file.")),
  file: v.optional(
    describe(
      v.pipe(v.number("must be the number of a file of the form"), v.safeInteger(), v.minValue(0)),
      "In a form: which of its files it is, counted from 0.",
    ),
  ),
  ...versionEntries,
});
type BatchItem = v.InferOutput<typeof batchItem>;

interface FoundAsset {
  at: number;
  /** The asset that has the text as its external_id. */
  named: NodeId | null;
  /** The ids of the assets that have it as their label, as JSON. */
  labelled: string;
}
const assetIdOf = value<{ production_id: ProductionId; node_id: NodeId }, NodeId>("find_asset");
const assetsNamed = many<{ production_id: ProductionId; names: string }, FoundAsset>("find_assets_by_names");

/** The asset of each item. Throws 422, which names the item, for one that does not exist and for a label of several. */
function assetsOf(context: Context, items: readonly BatchItem[]): NodeId[] {
  const { app, caller } = context;
  const { production_id } = caller;
  const names = JSON.stringify(items.map(({ asset }) => asset?.normalize("NFC") ?? null));
  const found = new Map(assetsNamed(app.store, { production_id, names }).map((row) => [row.at, row]));
  return items.map(({ node_id, asset }, at) => {
    const place = `versions[${at}]`;
    if ((node_id === undefined) === (asset === undefined))
      throw unprocessable(
        `${place} must have ${asset === undefined ? "node_id or asset" : "node_id or asset, not both"}`,
      );
    if (node_id !== undefined) {
      // only its statement looks it up
      const known = assetIdOf(app.store, { production_id, node_id: node_id as NodeId });
      if (known === undefined) throw unprocessable(`${place}.node_id must be the id of an asset of this production`);
      return known;
    }
    const { named = null, labelled = "[]" } = found.get(at) ?? {};
    const ids: NodeId[] = named === null ? JSON.parse(labelled) : [named];
    const [first, ...others] = ids;
    const name = JSON.stringify(cut(asset ?? ""));
    if (first === undefined) throw unprocessable(`${place}.asset: no asset has the external_id or the label ${name}`);
    if (others.length > 0)
      throw unprocessable(`${place}.asset: several assets have the label ${name}: ${ids.join(", ")}`);
    return first;
  });
}

/** The file of each item. Throws 422 for an item without one, a file that two items name, and one that none names. */
function filesOf(items: readonly BatchItem[], files: readonly input.Upload[]): input.Upload[] {
  const named = new Map<number, number>();
  const found = items.map(({ file }, at) => {
    const upload = file === undefined ? undefined : files[file];
    if (file === undefined) throw unprocessable(`versions[${at}] must have upload_id or file`);
    if (upload === undefined)
      throw unprocessable(`versions[${at}].file must be the number of a file of the form, which has ${files.length}`);
    const other = named.get(file);
    if (other !== undefined) throw unprocessable(`versions[${at}] has the same file as versions[${other}]`);
    named.set(file, at);
    return upload;
  });
  const unnamed = files.findIndex((_, at) => !named.has(at));
  if (unnamed >= 0) throw unprocessable(`no item of versions names files[${unnamed}]`);
  return found;
}

export const createVersions = operation({
  name: "create_versions",
  summary:
    "Lands up to 500 versions in one transaction: all of them or none. Answers their rows in the same order. Files are named by upload_id, or sent in a form, whose field versions is JSON.",
  method: "POST",
  path: "/batch/versions",
  scope: "write",
  body: "json or multipart",
  item_files: "versions",
  input: v.object({
    versions: describe(
      v.pipe(input.list(batchItem, maxBatch), v.minLength(1, "must have at least one item")),
      "The asset and the file of each version.",
    ),
    files: v.optional(
      describe(input.list(input.upload, maxFiles), "The files of a form, which the items name by their numbers."),
      [],
    ),
  }),
  output: v.array(out.record("BatchVersion", v.object({ ...landedVersion.entries, ...inBatch }))),
  errors: [409, 413, 507],
  run: async (context, { versions: items, files }) => {
    const uploads = filesOf(items, files);
    const size = uploads.reduce((sum, { staged }) => sum + staged.size, 0);
    const { upload_limit } = context.app.config;
    if (size > upload_limit) throw tooLarge(`the files must have at most ${upload_limit} bytes together`);
    const versionsOf = (context: Context) =>
      // one for each item
      assetsOf(context, items).map((node_id, at) => ({ ...items[at], node_id, file: uploads[at] }) as NewVersion);
    const named: Naming = (at, work) => inItem(`versions[${at}]`, batchItem.entries, work);
    const prepared = await prepare(context, versionsOf(context), named);
    return context.write((context) =>
      versionsOf(context).map((version, at) => {
        const { id, repeated } = named(at, () => putVersion(context, version, prepared));
        const stored: LandedVersion = JSON.parse(rowOf(context, id));
        return { ...stored, ...(!repeated && sentNameOf(version)), repeated };
      }),
    );
  },
});
