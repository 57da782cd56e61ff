// An asset's versions: the schemas of released, locked and landed ones, and the list of all of them for those who make them.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import * as input from "../inputs.ts";
import { count, id, record, text, timestamp } from "../records.ts";
import { document } from "../store/statements.ts";
import { mediaFile } from "./media.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

const { describe } = input;

export const versionSummary = record(
  "VersionSummary",
  v.object({
    id,
    version: count,
    variant: text,
    status: text,
    note: v.nullable(text),
    media_path: describe(
      v.nullable(text),
      "Append it to /media/ unchanged and add a media ticket. Null if the version has no media.",
    ),
    media_id: describe(v.nullable(id), "The bytes are at /media/{media_id}/content. Null if the version has no media."),
    created_by: v.nullable(text),
    created_by_person_id: v.nullable(id),
    archived: v.boolean(),
    created_at: v.nullable(timestamp),
    released: v.literal(true),
  }),
);

export const lockedVersion = record(
  "LockedVersion",
  v.object({
    id,
    version: count,
    variant: text,
    status: text,
    released: v.literal(false),
    locked: v.literal(true),
  }),
);

export const landedVersion = record(
  "LandedVersion",
  v.object({
    id,
    node_id: id,
    version: count,
    variant: text,
    status: v.literal("wip"),
    note: v.nullable(text),
    created_at: timestamp,
    released: v.literal(false),
  }),
);

const assetVersion = record(
  "AssetVersion",
  v.object({
    id,
    node_id: id,
    version: count,
    variant: text,
    status: text,
    note: describe(v.nullable(text), "The newest note. GET /assets/{node_id}/notes lists all of them."),
    created_by: v.nullable(text),
    created_by_person_id: v.nullable(id),
    archived: v.boolean(),
    created_at: v.nullable(timestamp),
    released: v.boolean(),
    media: v.array(mediaFile),
  }),
);

const versionsOf = document<Reach & { node_id: number }, v.InferOutput<typeof assetVersion>[]>("list_versions");

export const listVersions = operation({
  name: "list_versions",
  summary: "Lists every version of an asset, unreleased ones too, with its newest note and its media. Newest last.",
  method: "GET",
  path: "/assets/:node_id/versions",
  scope: "write",
  reach: "production",
  input: v.object({ node_id: input.id }),
  output: v.array(assetVersion),
  errors: [404],
  run: (context, { node_id }) => read(context, versionsOf, { node_id }),
});
