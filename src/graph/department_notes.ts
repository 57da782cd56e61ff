// The schema of a department's note on a scene or an asset.
import * as v from "valibot";
import { describe } from "../core/inputs.ts";
import { id, record, text, timestamp } from "../core/records.ts";

export const departmentNote = record(
  "DepartmentNote",
  v.object({
    id,
    node_id: describe(id, "The scene or asset that the note is about."),
    department: describe(text, "The department's slug."),
    summary: text,
    created_at: v.nullable(timestamp),
  }),
);
