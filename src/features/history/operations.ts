// The operations of the admin API on one change set: what it changed, and its undo.
import * as v from "valibot";
import { operation } from "../../core/operation.ts";
import { adminOf } from "../../graph/admin.ts";
import { areMany, runJob } from "../documents/jobs/import_job.ts";
import { changesLimit, dry_run, if_revision, planSchema } from "../documents/plan_schema.ts";
import { changeSet, findSetRow, shownSet } from "./history.ts";

export const getChangeSet = operation({
  name: "get_change_set",
  summary: "Returns a change set with every field that it changed: before and after.",
  path: "/admin/history/:id",
  scope: "edit",
  input: v.object({ limit: changesLimit }),
  output: changeSet,
  run: (context, { id, limit }) => shownSet(adminOf(context), id, limit),
});

export const undoChangeSet = operation({
  name: "undo_change_set",
  summary:
    "Takes a change set back, all of it or nothing, in one transaction. Answers the plan. The undo is a change set itself.",
  method: "POST",
  path: "/admin/history/:id/undo",
  scope: "edit",
  query: ["dry_run", "if_revision", "limit"],
  input: v.object({
    limit: changesLimit,
    dry_run,
    if_revision,
  }),
  body: "none",
  output: planSchema,
  errors: [404, 409],
  authorize: (context, { id }) => void findSetRow(adminOf(context), id),
  run(context, { limit, ...request }) {
    const { added, changed, removed } = findSetRow(adminOf(context), request.id).counts;
    const module = new URL("./undo_work.ts", import.meta.url).href;
    return runJob(context, { module, request, is_large: areMany(added + changed + removed) }, limit);
  },
});
