// Lists the work that vendors submitted on all deliveries, and answers it. docs/api.md, "Writing".
import * as v from "valibot";
import type { Reach } from "../../core/context.ts";
import * as input from "../../core/inputs.ts";
import { operation, read, reading } from "../../core/operation.ts";
import { change, document } from "../../core/store/statements.ts";
import { recordActivity } from "../../graph/activity.ts";
import { maxNoteLength } from "../../graph/note.ts";
import { vendorSubmission } from "../../graph/turnovers.ts";

const { describe } = input;

const submissionDecisions = ["accepted", "returned"] as const;
const submissionStatuses = ["submitted", ...submissionDecisions] as const;

export const listAllSubmissions = reading({
  name: "list_all_submissions",
  summary:
    "Lists the work that vendors submitted, newest first: all of it, that on some deliveries, or that with some statuses.",
  path: "/submissions",
  scope: "read",
  input: v.object({
    delivery_id: v.optional(describe(input.ids, "Return only work on these deliveries. May be repeated.")),
    status: v.optional(describe(input.listOf(submissionStatuses), "Return only work with these statuses.")),
  }),
  output: v.array(vendorSubmission),
  list: { limit: 500 },
});

const vendorSubmissionOf = document<Reach & { id: number }, v.InferOutput<typeof vendorSubmission>>(
  "get_vendor_submission",
);
const putDecision = change("decide_submission");

export const decideSubmission = operation({
  hints: ["replaces"],
  name: "decide_submission",
  summary:
    "Accepts submitted work or returns it, with a note that its vendor sees. It may be decided again; without a note, the former one goes.",
  method: "POST",
  path: "/submissions/:id/decide",
  scope: "write",
  input: v.object({
    decision: input.oneOf(submissionDecisions),
    note: v.optional(input.text(maxNoteLength)),
  }),
  output: vendorSubmission,
  run: (context, { id, decision, note = null }) =>
    context.write((context) => {
      const { app, caller, now } = context;
      const { production_id, person_id } = caller;
      putDecision(app.store, { production_id, id, status: decision, note, person_id, now });
      const answer = read(context, vendorSubmissionOf, { id }); // 404 if there is no such submission
      const { title, vendor, delivery_id }: v.InferOutput<typeof vendorSubmission> = JSON.parse(answer);
      const done = decision === "accepted" ? "Accepted" : "Returned";
      const summary = `${done} ${title} of ${vendor}${note === null ? "" : `: ${note}`}`;
      recordActivity(
        context,
        { verb: `submission.${decision}`, summary, delivery_id, work_item_id: id },
        { type: "submission.decided", subject: { kind: "submission", id }, data: { delivery_id, decision, title } },
      );
      return answer;
    }),
});
