// The schema of a note on an asset.
import * as v from "valibot";
import { describe } from "../core/inputs.ts";
import { id, record, text, timestamp } from "../core/records.ts";

export const note = record(
  "Note",
  v.object({
    id,
    node_id: id,
    version_id: describe(v.nullable(id), "Null if the asset had no version and the note became an activity entry."),
    text,
    author: text,
    created_at: timestamp,
  }),
);
