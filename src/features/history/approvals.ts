// The operations that begin a new round of an approval: reopening it, and asking again about a version.
import * as v from "valibot";
import * as input from "../../core/inputs.ts";
import { operation } from "../../core/operation.ts";
import { adminOf, writeAsAdmin } from "../../graph/admin.ts";
import { approval } from "../../graph/approvals.ts";

const loadRounds = () => import("./approval_reopening.ts");

export const reopenApproval = operation({
  name: "reopen_approval",
  summary:
    "Reopens an approval that is approved or rejected, or for which changes were requested: its steps become pending, and the former round is kept in rounds.",
  method: "POST",
  path: "/admin/approvals/:id/reopen",
  scope: "edit",
  body: "none",
  output: approval,
  errors: [404, 409],
  async run(context, { id }) {
    const { reopenApproval } = await loadRounds();
    return writeAsAdmin(context, (admin) => reopenApproval(admin, { id }).approval);
  },
});

export const askAgainApproval = operation({
  name: "ask_again_approval",
  summary:
    "Asks again about a version, by default the newest: the approval is about that version, its steps become pending, and the former round is kept in rounds. For a key of the person of one of the steps, or one with the scope edit; of what is approved or rejected only for the latter; not after a release.",
  method: "POST",
  path: "/approvals/:approval_id/ask-again",
  scope: "write",
  input: v.object({
    version_id: v.optional(
      input.describe(
        input.id,
        "A version of the same asset and variant that is not archived; of any variant, if the approval names no version.",
      ),
    ),
  }),
  output: approval,
  errors: [404, 409],
  async run(context, { approval_id, version_id }) {
    const { askAgain } = await loadRounds();
    return context.write(
      (context) => askAgain(adminOf(context), { id: approval_id, version_id }, context.caller).approval,
    );
  },
});
