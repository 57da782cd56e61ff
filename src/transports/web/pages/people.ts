// /people: the crew by department.
import { listDepartments } from "../../../operations/departments.ts";
import { listPeople } from "../../../operations/people.ts";
import { html } from "../html.ts";
import type { View, WebPage } from "../page.ts";
import { emptyState, heading, panel, plural } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { windowOf } from "../windows.ts";

async function showPeople(visit: Visit): Promise<View> {
  const [people, departments] = await Promise.all([visit.ask(listPeople, {}), visit.ask(listDepartments, {})]);
  const names = new Map(departments.map(({ slug, name }) => [slug, name]));
  const order = [...departments.map(({ slug }) => slug), ""];
  const sorted = people.toSorted((a, b) => order.indexOf(a.department ?? "") - order.indexOf(b.department ?? ""));
  const part = windowOf(visit, sorted);
  const byDepartment = Map.groupBy(part.shown, ({ department }) => department ?? "");
  const groups = order
    .filter((slug) => byDepartment.has(slug))
    .map((slug) => {
      const members = (byDepartment.get(slug) ?? []).toSorted((a, b) => Number(b.is_hod) - Number(a.is_hod));
      const rows = members.map(
        ({ name, role, is_hod, is_admin }) =>
          html`<li><strong>${name}</strong> <span class="under">${role}</span>${is_hod && html` <span class="chip">head</span>`}${is_admin && html` <span class="chip">admin</span>`}</li>`,
      );
      return panel(names.get(slug) ?? "Without a department", html`<ul class="lines">${rows}</ul>`, members.length);
    });
  const body = html`${heading("People", html`<span>${plural(people.length, "person", "people")}</span>`)}
${people.length === 0 ? emptyState("There is no crew yet. Import a crew list with `tallylight import FILE.csv --as people`.") : html`<div class="masonry">${groups}</div>${part.pager}`}`;
  return { title: "People", body };
}

export const peoplePage: WebPage = { path: "/people", reach: "production", section: "/people", show: showPeople };
