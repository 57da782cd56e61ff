// The operation of the admin API that reopens approvals.
import { importLazily } from "../../core/late_loading.ts";
import { operation } from "../../core/operation.ts";
import { writeAsAdmin } from "../../graph/admin.ts";
import { approval } from "../../graph/approvals.ts";

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
    const { reopenApproval } = await importLazily<typeof import("./approval_reopening.ts")>(
      "./approval_reopening.ts",
      import.meta,
    );
    return writeAsAdmin(context, (admin) => reopenApproval(admin, { id }).approval);
  },
});
