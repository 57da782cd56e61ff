// What a new production needs, until it has it or somebody puts the list away, for everybody.
import { listPeople } from "../../../graph/people.ts";
import { getProduction } from "../../../graph/production.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { heading, lines } from "../../pages/html_parts.ts";
import type { Redirect, View } from "../../pages/page.ts";
import { markPage, mayMarkPages, pageMark } from "../../pages/page_marks.ts";
import { hasPage } from "../../pages/page_places.ts";
import type { Visit } from "../../pages/visit.ts";
import { listEngagements, listKeys } from "../access.ts";
import { isSaved } from "./health_view.ts";

interface Step {
  text: string;
  href: string;
  isDone: boolean;
}

const name = "checklist";
const scheduleImport = "/settings/import?as=schedule";

/** The steps of who may edit, and those of an admin. */
async function stepsOf(visit: Visit): Promise<Step[]> {
  const [{ stats }, days, people] = await Promise.all([
    visit.ask(getProduction, {}),
    visit.askPage(getSchedule, { limit: 1 }),
    visit.askPage(listPeople, { limit: 1 }),
  ]);
  const steps = [
    { text: "Import the script", href: "/settings/import?as=fountain", isDone: stats.scenes > 0 },
    { text: "Import the departments", href: "/settings/import?as=departments", isDone: stats.departments > 0 },
    { text: "Import the crew list", href: "/settings/import?as=people", isDone: people.document.length > 0 },
    { text: "Import the schedule", href: scheduleImport, isDone: days.document.length > 0 },
  ];
  if (!visit.isAdmin) return steps.filter(({ href }) => hasPage(href));
  const [vendors, keys] = await Promise.all([visit.ask(listEngagements, {}), visit.ask(listKeys, {})]);
  return [
    ...steps,
    { text: "Add the vendors", href: "/settings/vendors", isDone: vendors.length > 0 },
    { text: "Make a key for everybody who works here", href: "/settings/keys", isDone: keys.some(({ live }) => live) },
    { text: "Make a backup", href: "/settings/health", isDone: isSaved(visit.context.app) },
  ].filter(({ href }) => hasPage(href));
}

const listOf = (steps: readonly Step[]): Markup =>
  lines(
    steps.map(
      ({ text, href, isDone }) =>
        html`<li>${isDone ? html`<s>${text}</s> <span class="tone good">done</span>` : html`<a href="${href}">${text}</a>`}</li>`,
    ),
  );

/**
 * The list on the first page, folded once the production has shoot days; undefined if everything is there, or it was
 * put away.
 */
export async function checklist(visit: Visit): Promise<{ list: Markup; isAbove: boolean } | undefined> {
  if (!visit.mayEdit || !visit.holds("read") || !mayMarkPages(visit) || pageMark(visit, name) !== undefined)
    return undefined;
  const steps = await stepsOf(visit);
  const left = steps.filter(({ isDone }) => !isDone);
  if (left.length === 0) return undefined;
  const isAbove = left.some(({ href }) => href === scheduleImport);
  const list = html`<details class="panel"${isAbove && html` open`}><summary>To begin with <span class="count">${left.length} of ${steps.length} left</span></summary>
${listOf(steps)}
${postForm(visit, { to: "/checklist", buttons: [{ text: "Put this list away", kind: "quiet" }] })}</details>`;
  return { list, isAbove };
}

/** The list on a page of its own, also when it was put away. */
export async function showChecklist(visit: Visit): Promise<View> {
  const title = "To begin with";
  return { title, body: html`${heading(title)}${listOf(await stepsOf(visit))}` };
}

export async function putAway(visit: Visit): Promise<Redirect> {
  await markPage(visit, name, {});
  return { location: "/" };
}
