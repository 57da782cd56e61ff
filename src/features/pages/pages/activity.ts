// /activity: what happened, newest first; and the panel of what changed in the show since yesterday.

import * as v from "valibot";
import { date } from "../../../core/inputs.ts";
import { timestampAt } from "../../../core/times.ts";
import { momentAt, shifted } from "../../../core/zones.ts";
import { listActivity } from "../../../graph/activity.ts";
import { dateText, localDate, shownZoneName, timeOf, withTimes } from "../dates.ts";
import { type EpisodeChoice, episodeChoice } from "../episode_choice.ts";
import { filterForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { emptyState, heading, lines, panel } from "../html_parts.ts";
import { addressWith } from "../list_windows.ts";
import type { View } from "../page.ts";
import type { OutputOf, Visit } from "../visit.ts";

type ActivityEntry = OutputOf<typeof listActivity>[number];

/**
 * The address of what an entry is about; undefined if it has no page. That of an asset leads to the page of a scene.
 */
function addressOf({ node_id, delivery_id }: ActivityEntry): string | undefined {
  if (node_id !== null) return `/assets/${node_id}`;
  return delivery_id === undefined ? undefined : `/deliveries/${delivery_id}`;
}

const activityItem = (entry: ActivityEntry): Markup => {
  const { actor, created_at } = entry;
  const summary = withTimes(entry.summary);
  const address = addressOf(entry);
  return html`<li>${address === undefined ? summary : html`<a href="${address}">${summary}</a>`} <span class="under">${actor}, ${timeOf(created_at)}</span></li>`;
};

const pageSize = 100;

/** What the entries of the feed are about, by the beginnings of their verbs. */
const subjects = {
  script: "The script",
  schedule: "The schedule",
  asset: "Assets and versions",
  approval: "Approvals",
  delivery: "Deliveries and submitted work",
  people: "People and departments",
  production: "Imports and undos",
} as const;
const verbsOf: { readonly [S in keyof typeof subjects]: RegExp } = {
  script: /^(?:scenes?|episodes?|drafts?|script_changes?)\./,
  schedule: /^(?:schedule|shoot_day)\./,
  asset: /^(?:assets?|versions?|notes?|ingredients?)\./,
  approval: /^approvals?\./,
  delivery: /^(?:deliver(?:y|ies)|turnover|submission)\./,
  people: /^(?:people|person|departments?|department_notes?)\./,
  production: /^(?:production|history|import)\./,
};

const isSubject = (name: string): name is keyof typeof subjects => Object.hasOwn(subjects, name);

/** When a date of the production begins, or one some days later; undefined for a text that is no date. */
const midnight = ({ zone }: Visit, text: string, days = 0): string | undefined =>
  v.is(date, text) ? timestampAt(momentAt(zone, shifted(text, days))) : undefined;

/** How many pages are searched for entries about a subject. */
const searched = 10;

/** A page of the entries that the address asks for, and the link to the page after it. */
async function foundEntries(
  visit: Visit,
  episodes: EpisodeChoice,
): Promise<{ entries: ActivityEntry[]; link: Markup }> {
  const [since, until] = ["from", "to"].map((name, days) => midnight(visit, visit.query.get(name) ?? "", days));
  const given = { ...episodes.given, limit: pageSize, ...(since && { since }), ...(until && { until }) };
  const subject = visit.query.get("about") ?? "";
  const entries: ActivityEntry[] = [];
  let after = visit.query.get("after") ?? undefined;
  for (let page = 0; page < searched; page++) {
    const { document, next } = await visit.askPage(listActivity, after === undefined ? given : { ...given, after });
    for (const entry of document) if (!isSubject(subject) || verbsOf[subject].test(entry.verb)) entries.push(entry);
    after = next;
    if (next === undefined || !isSubject(subject) || entries.length >= pageSize) break;
  }
  const link = html`${after !== undefined && html`<p><a href="${addressWith(visit, "after", after)}">Earlier</a></p>`}`;
  return { entries, link };
}

const activityFilter = (visit: Visit, { fields }: EpisodeChoice): Markup =>
  filterForm(visit, [
    ...fields,
    { name: "about", label: "About", choices: Object.entries(subjects) },
    { name: "from", label: "From", type: "date" },
    { name: "to", label: "To", type: "date" },
  ]);

export async function showActivity(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const { entries, link } = await foundEntries(visit, episodes);
  const byDay = Map.groupBy(entries, ({ created_at }) => localDate(Date.parse(created_at)));
  const days = [...byDay].map(
    ([date, of]) =>
      html`<section class="panel"><h2>${dateText(date, "long")}</h2>${lines(of.map(activityItem))}</section>`,
  );
  const isFiltered = ["about", "from", "to", "episode_id"].some((name) => visit.query.get(name));
  const none = isFiltered ? "Nothing matches. Change the filter above." : "Nothing has happened yet.";
  const body = html`${heading("Activity", html`<span>Times of ${shownZoneName()}</span>`)}
${activityFilter(visit, episodes)}
${entries.length === 0 ? emptyState(none) : html`${days}`}
${link}`;
  return { title: "Activity", body };
}

/** The verbs of the entries about the show itself. */
const aboutShow =
  /^(?:schedule|shoot_day|scenes?|episodes?|drafts?|script_changes?|deliver(?:y|ies)|turnover|submission|approvals?|versions?)\./;
const listedEntries = 12;

/** What changed in the days, scenes, script and deliveries, and nothing of the server's keys. */
export async function sinceYesterday(visit: Visit): Promise<Markup> {
  const since = midnight(visit, visit.today, -1);
  const entries = (await visit.ask(listActivity, { ...(since && { since }), limit: 200 })).filter(({ verb }) =>
    aboutShow.test(verb),
  );
  const items = entries.slice(0, listedEntries).map(activityItem);
  const body = items.length === 0 ? emptyState("Nothing yet.") : lines(items);
  return html`<div class="since flow" data-quiet>${panel("Since yesterday", body)}
${entries.length > listedEntries && html`<p class="under"><a href="/activity">and ${entries.length - listedEntries} more</a></p>`}</div>`;
}
