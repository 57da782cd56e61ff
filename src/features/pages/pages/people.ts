// /people: the crew by department.
import { listDepartments } from "../../../graph/departments.ts";
import { listPeople } from "../../../graph/people.ts";
import { html } from "../html.ts";
import { emptyState, heading, lines, panel, plural } from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { editLink, hasPage, importLink, linkTo } from "../page_places.ts";
import type { Visit } from "../visit.ts";

export async function showPeople(visit: Visit): Promise<View> {
  const [listed, listedDepartments] = await Promise.all([visit.ask(listPeople, {}), visit.ask(listDepartments, {})]);
  const people = await visit.byName(listed, ({ name }) => name);
  const departments = await visit.byName(listedDepartments, ({ name }) => name);
  const bySlug = new Map(departments.map((one) => [one.slug, one]));
  const slugs = [...bySlug.keys(), ""];
  const placeOf = ({ department }: { department: string | null }) => slugs.indexOf(department ?? "");
  const part = windowOf(
    visit,
    people.toSorted((a, b) => placeOf(a) - placeOf(b)),
  );
  const groups = [...Map.groupBy(part.shown, ({ department }) => department ?? "")].map(([slug, of]) => {
    const department = bySlug.get(slug);
    const members = of.toSorted((a, b) => Number(b.is_hod) - Number(a.is_hod));
    const rows = members.map(
      ({ id, name, role, is_hod, is_admin, active }) =>
        html`<li><strong>${visit.mayEdit ? linkTo(`/edit/people/${id}`, name) : name}</strong>${!active && html` <span class="chip">left</span>`}${is_hod && html` <span class="chip">head</span>`}${is_admin && html` <span class="chip">admin</span>`} <span class="under">${role}</span></li>`,
    );
    const name = department?.name ?? "Without a department";
    const title = department && visit.mayEdit ? linkTo(`/edit/departments/${department.id}`, name) : html`${name}`;
    return panel(title, lines(rows), members.length);
  });
  const lettingIn =
    visit.isAdmin &&
    hasPage("/people/invite") &&
    html`${linkTo("/people/invite", "Invite people")}${linkTo("/settings/vendors?new=1", "Let a vendor in")}`;
  const body = html`${heading("People", html`<span>${plural(people.length, "person", "people")}</span>${lettingIn}${editLink(visit, "/edit/people", "Add a person")}${editLink(visit, "/edit/departments", "Add a department")}`)}
${people.length === 0 ? emptyState("There is no crew yet.", importLink(visit, "people", "Import a crew list")) : html`<div class="masonry">${groups}</div>${part.pager}`}`;
  return { title: "People", body };
}
