// Lists the generation jobs: image and video renders.
import * as v from "valibot";
import type { Reach } from "../context.ts";
import { jobKinds, jobStatuses, limit } from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import { listing, pageEntries, readPage } from "./listing.ts";
import { operation } from "./operation.ts";

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

const jobsOf = listing<Reach, v.InferOutput<typeof job>>("list_jobs");

export const listJobs = operation({
  name: "list_jobs",
  summary: "Lists recent generation jobs, newest first.",
  path: "/jobs",
  scope: "read",
  input: v.object({ limit: v.optional(limit, 50), after: pageEntries.after }),
  output: v.array(job),
  run: (context, page) => readPage(context, jobsOf, {}, page),
});
