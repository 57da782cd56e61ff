// /people/invite: invites several people at once, each by a line. Either all are invited or nobody is.
import type { PersonId } from "../../../core/ids.ts";
import { cut } from "../../../core/wording.ts";
import { listPeople } from "../../../graph/people.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { heading, plural } from "../../pages/html_parts.ts";
import { createInvitation } from "../../pages/invitations.ts";
import type { SubmittedForm, View } from "../../pages/page.ts";
import { linkTo } from "../../pages/page_places.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import { checkNotSent, sinceField } from "../../pages/repeated_submissions.ts";
import type { Visit } from "../../pages/visit.ts";
import { writeAsMinter } from "../vendor_setup.ts";
import { type Named, namedPeople, peopleCalled, whichOf } from "./crew_names.ts";
import { invitationPanel } from "./new_access.ts";
import { type Role, roleNamed } from "./roles.ts";

/** The most people of one form. */
export const maxInvited = 50;

/** Somebody whom a line invites. */
interface Invited {
  person_id: PersonId;
  name: string;
  role: Role;
  /** How to reach them: it is shown with the link, and not stored. */
  contact: string;
}

/** The people who are here, and those who have left. */
type Crew = Readonly<Record<"here" | "left", readonly Named[]>>;

/** Reads a line "Name, role, contact". Returns whom it invites, or what is wrong with it. */
function invitedBy(line: string, { here, left }: Crew): Invited | string {
  const [name = "", asked = "", ...contact] = line.split(/[,;\t]/).map((part) => part.trim());
  const called = peopleCalled(here, name);
  const [only, another] = called;
  if (another !== undefined) return whichOf(called);
  if (only === undefined) {
    const [former] = peopleCalled(left, name);
    return former === undefined
      ? `nobody in People is called “${cut(name)}”`
      : `${former.person.name} has left the production`;
  }
  const role = roleNamed(asked);
  if (role === undefined)
    return `“${cut(asked)}” is not one of look, work, run the show; a line is: name, role, contact`;
  return { person_id: only.person.id, name: only.person.name, role, contact: contact.join(", ") };
}

/** Reads all lines. Throws a refusal that names each wrong one by its number. */
async function readLines(visit: Visit, text: string): Promise<Invited[]> {
  const people = await visit.ask(listPeople, {});
  const named = (isHere: boolean) =>
    namedPeople(
      visit,
      people.filter(({ active }) => active === isHere),
    );
  const crew = { here: await named(true), left: await named(false) };
  const problems: string[] = [];
  const lineOf = new Map<PersonId, number>();
  const invited: Invited[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const number = at + 1;
    const found = invitedBy(line, crew);
    const before = typeof found === "string" ? undefined : lineOf.get(found.person_id);
    if (typeof found === "string") problems.push(`Line ${number}: ${found}.`);
    else if (before !== undefined) problems.push(`Line ${number}: ${found.name} is in line ${before} already.`);
    else {
      lineOf.set(found.person_id, number);
      invited.push(found);
    }
  }
  if (problems.length > 0) throw new FormRefusal(422, `${problems.join(" ")} Nobody was invited.`, ["lines"]);
  if (invited.length === 0) throw new FormRefusal(422, "Write a line for each person.", ["lines"]);
  if (invited.length > maxInvited)
    throw new FormRefusal(422, `At most ${maxInvited} people are invited at once. Nobody was invited.`, ["lines"]);
  return invited;
}

const form = (visit: Visit): Markup =>
  html`<section class="panel">${postForm(visit, {
    fields: [
      {
        name: "lines",
        label: "Whom to invite",
        hint: "one person in each line: name, role, contact. The role is look, work or run the show; work if it is left out. The contact is shown beside the link and not kept",
        rows: 8,
        required: true,
        placeholder: "Nora Brannigan, run the show, nora@example.org",
      },
      sinceField(visit),
    ],
    buttons: [{ text: "Invite them" }],
  })}</section>`;

export function showInvite(visit: Visit): View {
  const body = html`${heading("Invite people")}
<p class="hint">Each gets a link that works once, within a day, and acts in their name. Add whoever is not in ${linkTo("/people", "People")} yet there first: nobody is invited while a name is unknown.</p>
${form(visit)}`;
  return { title: "Invite people", body };
}

export async function submitInvite(visit: Visit, sent: SubmittedForm): Promise<View> {
  const invited = await readLines(visit, sent.text("lines"));
  const text = "these people were just invited, and their links are not shown again. To invite them once more";
  for (const { name, person_id } of invited)
    checkNotSent(visit, sent, "invitation.created", { label: name, person_id }, text);
  const made = await writeAsMinter(visit.context, (admin) =>
    invited.map(({ name, person_id, role: { scopes } }) =>
      createInvitation(admin, { production_id: admin.production_id, label: name, scopes, person_id }),
    ),
  );
  const panels = await visit.each([...made.entries()], ([at, one]) => {
    const { role, contact = "" } = invited[at] ?? {};
    const about = html`<p>${role?.name}: ${role?.about}${contact !== "" && html` · <bdi>${contact}</bdi>`}</p>`;
    return invitationPanel(visit, one, { id: `invitation-${at + 1}`, about });
  });
  const body = html`${heading("Invitations", html`<span>${plural(made.length, "link")} to hand out</span>`)}
<div class="grid half">${panels}</div>
<p>${linkTo("/people", "Back to People")}</p>`;
  return { title: "Invitations", body };
}
