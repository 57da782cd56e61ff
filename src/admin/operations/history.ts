// The operations of the admin API that show the history of the production.
import * as v from "valibot";
import { describe, flag, text } from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { adminOf } from "../admin.ts";
import { changeSet, findSetRow, shownSet } from "../history.ts";
import { runJob } from "../import_job.ts";
import { changesLimit, planSchema } from "../plan_schema.ts";

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
    dry_run: v.optional(describe(flag, "Answers the plan, but writes nothing."), false),
    if_revision: v.optional(describe(text(500), "Refuses with 409 if the production is at another revision.")),
  }),
  body: "none",
  output: planSchema,
  errors: [404, 409],
  authorize: (context, { id }) => void findSetRow(adminOf(context), id),
  run: (context, { limit, ...request }) => runJob(context, { kind: "undo", request }, limit),
});
