// The operation that decides script changes.
import * as v from "valibot";
import { describe, id, list, oneOf, text } from "../../inputs.ts";
import { operation } from "../../operations/operation.ts";
import { scriptChange } from "../../operations/script_changes.ts";
import { findScriptChange } from "../../paperwork/script_store.ts";
import { adminOf, thing, touchable } from "../admin.ts";
import { runDecisionJob } from "../import_job.ts";

export const decideScriptChange = operation({
  name: "decide_script_change",
  summary:
    "Decides a pending script change. Approving applies it to the scene, which keeps its id, links, strips, approvals and status.",
  method: "POST",
  path: "/script-changes/:id/decide",
  scope: "edit",
  reach: "production",
  input: v.object({
    ...thing.entries,
    decision: oneOf(["approved", "dismissed"]),
    decided_by: v.optional(
      describe(
        text(300),
        "The person who decides, by full name or id; the person of the key by default, if the key has one.",
      ),
    ),
    note: v.optional(text()),
  }),
  output: scriptChange,
  errors: [404, 409],
  authorize: (context, { id }) =>
    touchable(adminOf(context), findScriptChange(context.app.store, { id }), `script change ${id}`),
  run(context, { id, decision, decided_by, note }) {
    const { production_id } = context.caller;
    return runDecisionJob(context, { ids: [id], production_id, decision, decided_by, note });
  },
});

/** How many changes one request decides at most. */
const maxDecided = 1_000;

/** The same for several changes at once, all of them or none, for the pages. It is not in the table of the API. */
export const decideScriptChangesOfPage = operation({
  name: "decide_script_changes",
  summary: "Decides several pending script changes of the production in one transaction. Answers the first.",
  method: "POST",
  path: "/script-changes/decide",
  scope: "edit",
  reach: "production",
  input: v.object({
    ids: v.pipe(list(id, maxDecided), v.minLength(1, "choose at least one change")),
    decision: oneOf(["approved", "dismissed"]),
  }),
  output: scriptChange,
  errors: [404, 409],
  run(context, { ids, decision }) {
    const { production_id } = context.caller;
    return runDecisionJob(context, { ids, production_id, decision, decided_by: undefined, note: undefined });
  },
});
