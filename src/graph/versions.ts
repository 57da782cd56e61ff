// The schemas of a version of an asset: released, locked (for a reader who may not see it yet), and landed (the answer to its upload).
import * as v from "valibot";
import * as input from "../core/inputs.ts";
import { count, id, record, text, timestamp } from "../core/records.ts";
import { notePlace } from "./note.ts";

const { describe } = input;

/** What every form of a version has. */
export const versionFields = { version: count, variant: text, status: text };

/** A released version. */
export const versionSummary = record(
  "VersionSummary",
  v.object({
    id,
    ...versionFields,
    note: v.nullable(text),
    note_place: describe(v.nullable(notePlace), "The place on the still that the note is about; null without one."),
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

/** The newest version of an asset, released or not. */
export const newestVersion = v.object({ id, ...versionFields, released: v.boolean() });

/** What is shown of a version that is not released. */
export const lockedVersion = record(
  "LockedVersion",
  v.object({
    id,
    ...versionFields,
    released: v.literal(false),
    locked: v.literal(true),
  }),
);

/** The answer to the upload of a version. */
export const landedVersion = record(
  "LandedVersion",
  v.object({
    id,
    node_id: id,
    ...versionFields,
    status: v.literal("wip"),
    note: v.nullable(text),
    created_at: timestamp,
    released: v.literal(false),
  }),
);
