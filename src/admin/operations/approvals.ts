// The operation of the admin API that reopens approvals.
import { loadLater } from "../../network.ts";
import { approval } from "../../operations/approvals.ts";
import { operation } from "../../operations/operation.ts";
import { writeAsAdmin } from "../admin.ts";

export const reopenApproval = operation({
  name: "reopen_approval",
  summary:
    "Reopens an approval for which changes were requested: its steps become pending, and the former round is kept in rounds.",
  method: "POST",
  path: "/admin/approvals/:id/reopen",
  scope: "edit",
  body: "none",
  output: approval,
  errors: [404, 409],
  async run(context, { id }) {
    const { reopenApproval } = await loadLater<typeof import("../approvals.ts")>("../approvals.ts", import.meta);
    return writeAsAdmin(context, (admin) => reopenApproval(admin, { id }).approval);
  },
});
