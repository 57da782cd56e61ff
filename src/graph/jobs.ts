// Lists the generation jobs: image and video renders.
import * as v from "valibot";
import { limit } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import { id, record, text, timestamp } from "../core/records.ts";
import { jobKinds, jobStatuses } from "./values.ts";

const job = record(
  "Job",
  v.object({
    id,
    kind: v.picklist(jobKinds),
    status: v.picklist(jobStatuses),
    summary: text,
    model: v.nullable(text),
    node_id: v.nullable(id),
    created_by: v.nullable(text),
    created_at: timestamp,
    finished_at: v.nullable(timestamp),
  }),
);

export const listJobs = reading({
  name: "list_jobs",
  summary: "Lists recent generation jobs, newest first.",
  path: "/jobs",
  scope: "read",
  input: v.object({ limit: v.optional(limit, 50) }),
  output: v.array(job),
});
