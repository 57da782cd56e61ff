// Deciding approvals: one step at a time, by the person whose step it is. A key is not a signature.
import { type Context, reach } from "../context.ts";
import { conflict, forbidden, notFound, unprocessable } from "../errors.ts";
import type { approvalDecisions, approvalModes, approvalStatuses } from "../inputs.ts";
import { recordActivity } from "./activity.ts";
import { read } from "./read.ts";

interface Decision {
  approval_id: number;
  decision: (typeof approvalDecisions)[number];
  decided_by?: string | undefined;
  note?: string | null;
}

interface OpenStep {
  title: string;
  status: (typeof approvalStatuses)[number];
  mode: (typeof approvalModes)[number];
  node_id: number | null;
  /** Null where no step is left. */
  position: number | null;
  person_id: number | null;
}

interface Person {
  id: number;
  name: string;
}

const folded = (name: string): string => name.normalize("NFC").trim().toLowerCase();

/** The person whom `decided_by` names: by full name, else by id in digits. Throws 422 where that is nobody, or several. */
function personOf({ app, caller }: Context, decided_by: string): Person {
  const people = app.store.all<Person>("list_people_names", { production_id: caller.production_id });
  const named = people.filter(({ name }) => folded(name) === folded(decided_by));
  if (named.length > 1) throw unprocessable("decided_by is the name of more than one person: give the id");
  const person = named[0] ?? people.find(({ id }) => String(id) === decided_by.trim());
  if (person === undefined)
    throw unprocessable("decided_by must be the full name or the id of a person of this production");
  return person;
}

/** The approval of a path with the step that is next. Throws 404 where there is none. */
export function requireOpenStep(context: Context, { approval_id }: { approval_id: number }): OpenStep {
  const step = context.app.store.get<OpenStep>("get_open_step", { ...reach(context), approval_id });
  if (step === undefined) throw notFound();
  return step;
}

/** POST /approvals/{approval_id}/decide. Throws 404, then 409 not pending, 422 nobody or omitted, 403 not the step's person. */
export function decideApproval(context: Context, { approval_id, decision, decided_by, note = null }: Decision) {
  return context.write((context) => {
    const { app, caller, now } = context;
    const { production_id } = caller;
    const { title, status: before, mode, node_id, position, person_id } = requireOpenStep(context, { approval_id });
    if (before !== "pending") throw conflict(`the approval is not pending but ${before}; nothing was recorded`);
    if (position === null) throw conflict("the approval has no step left to decide; nothing was recorded");
    if (decided_by === undefined && mode === "decision")
      throw unprocessable("decided_by is required: this approval asks for one person's decision");
    const person = decided_by === undefined ? undefined : personOf(context, decided_by);
    if (person !== undefined && person.id !== person_id)
      throw forbidden("decided_by is not the person whose step it is; nothing was recorded");
    const status = decision === "approved" ? "approved" : "changes_requested";
    const step = { position, status, note, decided_by_person_id: person?.id ?? null };
    app.store.run("decide_step", { production_id, approval_id, ...step, now });
    app.store.run("settle_approval", { production_id, approval_id });
    const said = decision === "approved" ? "Approved" : "Asked for changes at";
    const by = person === undefined ? "through the key" : `by ${person.name}`;
    recordActivity(context, {
      verb: `approval.${status}`,
      summary: `${said} step ${position} of ${title}, ${by}`,
      node_id,
    });
    return read(context, "get_approval", { approval_id });
  });
}
