// Lists every version of an asset, for those who make and review them.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import * as input from "../inputs.ts";
import { count, id, record, text, timestamp } from "../records.ts";
import { requireAsset } from "./assets.ts";
import { listing, pageEntries, readPage } from "./listing.ts";
import { mediaFile } from "./media.ts";
import { operation } from "./operation.ts";

const { describe } = input;

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

const versionsOf = listing<Reach & { node_id: number }, v.InferOutput<typeof assetVersion>>("list_versions");

export const listVersions = operation({
  name: "list_versions",
  summary: "Lists every version of an asset, unreleased ones too, with its newest note and its media. Newest last.",
  method: "GET",
  path: "/assets/:node_id/versions",
  scope: "write",
  reach: "production",
  input: v.object({ node_id: input.id, ...pageEntries }),
  output: v.array(assetVersion),
  errors: [404],
  authorize: requireAsset,
  run: (context, { node_id, ...page }) => readPage(context, versionsOf, { node_id }, page),
});
