// What the forms of an approval do: they decide it, take a decision back, reopen it, or ask again about a newer
// version.
import { HttpError, unprocessable } from "../../../core/errors.ts";
import { decideApproval, getApproval } from "../../../graph/approvals.ts";
import { takeBackApproval } from "../../review/taking_back.ts";
import { newerOf, type Subject, subjectsByApproval } from "../approval_subjects.ts";
import { timeText } from "../dates.ts";
import type { SubmittedForm } from "../page.ts";
import { placeFiller } from "../page_places.ts";
import { FormRefusal } from "../refusals.ts";
import type { Visit } from "../visit.ts";
import { decideUnversioned } from "./unversioned_decision.ts";

/** What an approval is about now, and what it is called. */
async function subjectNow(visit: Visit, approval_id: number): Promise<Subject | undefined> {
  return (await subjectsByApproval(visit, [{ id: approval_id }])).get(approval_id);
}

/**
 * Why a step was not decided that somebody else has decided since its form was shown, with the note that was written;
 * undefined if nobody has.
 */
async function whoWasQuicker(visit: Visit, form: SubmittedForm): Promise<string | undefined> {
  const { steps } = await visit.ask(getApproval, { approval_id: Number(form.text("approval_id")) });
  const step = steps.find(({ position }) => String(position) === form.text("position"));
  if (step === undefined || step.decided_at === null) return undefined;
  const did = step.status === "approved" ? "approved this" : "asked for changes";
  const written = form.text("note") === "" ? "" : ` You wrote: “${form.text("note")}”`;
  return `${step.decided_by ?? "Somebody"} ${did} at ${timeText(step.decided_at)}, before you: nothing was recorded.${written}`;
}

/** Which version came since a form was shown; undefined if none did. */
async function whatCame(visit: Visit, form: SubmittedForm): Promise<string | undefined> {
  if (!form.names().includes("version_id")) return undefined;
  const subject = await subjectNow(visit, Number(form.text("approval_id")));
  const shown = [form.text("version_id"), form.text("seen")];
  const now = subject === undefined ? [] : [newerOf(subject), subject.version];
  const came = now.find((one) => one !== undefined && !shown.includes(String(one.id)));
  return came && `V${came.version} came since this page was shown: look at it, and decide again.`;
}

/**
 * Decides one approval. A step that somebody else has decided meanwhile is refused by that name, and a version that
 * came since by its number.
 */
export async function decideOne(visit: Visit, form: SubmittedForm): Promise<void> {
  try {
    await decide(visit, form);
  } catch (error) {
    const isLate =
      error instanceof HttpError && error.status === 409 && /^(?:approved|changes)$/.test(form.text("decision"));
    const why = isLate ? ((await whoWasQuicker(visit, form)) ?? (await whatCame(visit, form))) : undefined;
    throw why === undefined ? error : new FormRefusal(409, why);
  }
}

/**
 * Throws 422 if an older version is signed and the form does not say that its sender has seen the newer one, and why.
 */
async function checkOlder(visit: Visit, form: SubmittedForm): Promise<void> {
  const [shown, seen] = [form.text("version_id"), form.text("seen")];
  if (shown === seen || seen === "" || (form.text("older") === "yes" && form.text("note") !== "")) return;
  const { version, newest } = (await subjectNow(visit, Number(form.text("approval_id")))) ?? {};
  const [old, newer] = [`v${version?.version ?? ""}`, `v${newest?.version ?? ""}`];
  throw new FormRefusal(
    422,
    `${newer} is newer than ${old}: tick that you have seen it, and write in the note why you decide ${old}.`,
    ["note"],
  );
}

/** Decides, takes back, reopens or asks again, as a form asks. */
export async function decide(visit: Visit, form: SubmittedForm): Promise<void> {
  const [decision, approval_id] = [form.text("decision"), Number(form.text("approval_id"))];
  if (decision === "take_back") return void (await visit.ask(takeBackApproval, { approval_id }));
  const reopen = decision === "reopen" && visit.mayEdit ? await placeFiller("reopen_approval") : undefined;
  if (reopen !== undefined) return reopen(visit, approval_id);
  const askAgain = decision === "ask_again" ? await placeFiller("ask_again") : undefined;
  if (askAgain !== undefined) return askAgain(visit, approval_id, Number(form.text("version_id")));
  if (decision !== "approved" && decision !== "changes") throw unprocessable("choose Approve or Ask for changes");
  if (form.text("decided_by") === "") throw unprocessable("choose the name of the person who decides");
  if (decision === "changes" && form.text("note") === "")
    throw new FormRefusal(422, "Write in the note what should change, then ask for changes.", ["note"]);
  await checkOlder(visit, form);
  const isUnversioned = form.names().includes("version_id") && form.text("version_id") === "";
  await visit.send(isUnversioned ? decideUnversioned : decideApproval, form);
}
