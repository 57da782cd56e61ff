// Lists the generation jobs: image and video renders.
import * as v from "valibot";
import * as input from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { jobKinds, jobStatuses } from "./values.ts";

const job = out.record(
  "Job",
  v.object({
    id: out.id,
    kind: v.picklist(jobKinds),
    status: v.picklist(jobStatuses),
    summary: out.text,
    model: v.nullable(out.text),
    node_id: v.nullable(out.id),
    created_by: v.nullable(out.text),
    created_at: out.timestamp,
    finished_at: v.nullable(out.timestamp),
  }),
);

export const listJobs = reading({
  name: "list_jobs",
  summary: "Lists recent generation jobs, newest first.",
  path: "/jobs",
  scope: "read",
  input: v.object({ limit: v.optional(input.limit, 50) }),
  output: v.array(job),
});
