// Begins a new round of an approval, on the pages of the approvals: reopens it, or asks about a newer version.
import type { Approval } from "../../../graph/approvals.ts";
import { postForm } from "../../pages/form_parts.ts";
import type { Markup } from "../../pages/html.ts";
import type { Visit } from "../../pages/visit.ts";
import { askAgainApproval, reopenApproval } from "../approvals.ts";

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

export const askForm = (
  visit: Visit,
  { id, title }: Approval,
  { id: version_id, version }: { id: number; version: number },
): Markup =>
  postForm(visit, {
    hidden: { approval_id: id, version_id },
    buttons: [
      {
        name: "decision",
        value: "ask_again",
        text: `Ask about v${version}`,
        about: `Ask about v${version} of ${title}`,
      },
    ],
    style: "row",
    to: `#approval-${id}`,
  });

export async function askAgain(visit: Visit, approval_id: number, version_id: number): Promise<void> {
  await visit.ask(askAgainApproval, { approval_id, version_id });
}
