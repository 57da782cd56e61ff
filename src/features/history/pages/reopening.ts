// Reopens a decided approval, on the pages of the approvals.
import type { Approval } from "../../../graph/approvals.ts";
import { postForm } from "../../pages/form_parts.ts";
import type { Markup } from "../../pages/html.ts";
import type { Visit } from "../../pages/visit.ts";
import { reopenApproval } from "../approvals.ts";

export const reopenForm = (visit: Visit, { id, title }: Approval, text: string): Markup =>
  postForm(visit, {
    hidden: { approval_id: id },
    buttons: [{ name: "decision", value: "reopen", text, kind: "quiet", about: `${text}: ${title}` }],
    style: "row",
    to: `#approval-${id}`,
  });

export async function reopen(visit: Visit, id: number): Promise<void> {
  await visit.ask(reopenApproval, { id });
}
