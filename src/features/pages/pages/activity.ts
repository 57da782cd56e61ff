// /activity: what happened, newest first; and the panel of what changed in the show since yesterday.

import * as v from "valibot";
import { date } from "../../../core/inputs.ts";
import { timestampAt } from "../../../core/times.ts";
import { momentAt, shifted } from "../../../core/zones.ts";
import { listActivity } from "../../../graph/activity.ts";
import { dateText, localDate, localTime, shownZoneName, timeOf, withTimes } from "../dates.ts";
import { type EpisodeChoice, episodeChoice } from "../episode_choice.ts";
import { narrowing } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { capitalized, emptyState, heading, lines, panel, wordOf } from "../html_parts.ts";
import { addressWith } from "../list_windows.ts";
import type { View } from "../page.ts";
import type { OutputOf, Visit } from "../visit.ts";

type ActivityEntry = OutputOf<typeof listActivity>[number];

/** What entries are about: the tab, and the page of what has none of its own. */
const subjects = {
  script: { tab: "Script", page: "/scenes" },
  schedule: { tab: "Schedule", page: "/schedule" },
  asset: { tab: "Assets", page: "/assets" },
  approval: { tab: "Approvals", page: "/approvals" },
  delivery: { tab: "Deliveries", page: "/deliveries" },
  people: { tab: "People", page: "/people" },
  production: { tab: "Imports", page: undefined },
} as const;
type Subject = keyof typeof subjects;

/** What an entry is called, and what it is about, by the first words of their verbs. */
const kinds: readonly (readonly [word: string, about: Subject | undefined, ...first: string[]])[] = [
  ["Scene", "script", "scene", "scenes"],
  ["Script", "script", "script", "draft", "drafts", "script_change", "script_changes"],
  ["Episode", "script", "episode", "episodes"],
  ["Day", "schedule", "schedule", "shoot_day", "shoot_days"],
  ["Asset", "asset", "asset", "assets"],
  ["Version", "asset", "version", "versions", "ingredient", "ingredients"],
  ["Note", "asset", "note", "notes"],
  ["Decision", "approval", "approval", "approvals"],
  ["Delivery", "delivery", "delivery", "deliveries", "turnover", "submission"],
  ["People", "people", "people", "person"],
  ["Department", "people", "department", "departments"],
  ["Note", "people", "department_note", "department_notes"],
  ["Import", "production", "production", "history", "import"],
  ["Vendor", undefined, "vendor", "vendors", "engagement", "engagements", "grant"],
  ["Money", undefined, "cost_report", "purchase_order", "purchase_orders", "order", "cost_line", "cost_lines"],
  ["Files", undefined, "storage"],
  ["Render", undefined, "job", "jobs"],
  ["Key", undefined, "key", "session_token"],
  ["Program", undefined, "webhook"],
];
const kindsByWord = new Map(kinds.flatMap(([word, about, ...first]) => first.map((one) => [one, { word, about }])));

/** What an entry is called, and what it is about; of a verb of another program, its own first word. */
function kindOf(verb: string): { word: string; about?: Subject | undefined } {
  const [first = verb] = verb.split(".", 1);
  return kindsByWord.get(first) ?? { word: capitalized(wordOf(first)) };
}

/**
 * The address of what an entry is about; undefined if it has no page. That of an asset leads to the page of a scene.
 */
function addressOf({ node_id, delivery_id, verb }: ActivityEntry): string | undefined {
  if (node_id !== null) return `/assets/${node_id}`;
  if (delivery_id !== undefined) return `/deliveries/${delivery_id}`;
  const { about } = kindOf(verb);
  return about && subjects[about].page;
}

/** The sentence of an entry, as the link to what it is about. */
function sentence(entry: ActivityEntry): Markup {
  const summary = withTimes(entry.summary);
  const address = addressOf(entry);
  return address === undefined ? html`${summary}` : html`<a href="${address}">${summary}</a>`;
}

const pageSize = 100;

const isSubject = (name: string): name is Subject => Object.hasOwn(subjects, name);

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
    for (const entry of document) if (!isSubject(subject) || kindOf(entry.verb).about === subject) entries.push(entry);
    after = next;
    if (next === undefined || !isSubject(subject) || entries.length >= pageSize) break;
  }
  const link = html`${after !== undefined && html`<p><a href="${addressWith(visit, "after", after)}">Earlier</a></p>`}`;
  return { entries, link };
}

/** The subjects as tabs, and the dates, with the episode of a series, in a fold. */
function activityFilter(visit: Visit, { fields }: EpisodeChoice): Markup {
  const about = visit.query.get("about") ?? "";
  const tab = (value: string, text: string) => ({
    href: addressWith(visit, "about", value || undefined, ["after"]),
    text,
    isCurrent: value === about,
  });
  const all = [tab("", "Everything"), ...Object.entries(subjects).map(([name, one]) => tab(name, one.tab))];
  const dates = [...fields, { name: "from", label: "From", type: "date" }, { name: "to", label: "To", type: "date" }];
  return narrowing(visit, all, fields.length > 0 ? "Dates and episode" : "Dates", dates, undefined, { about });
}

const feedItem = (entry: ActivityEntry): Markup =>
  html`<li><time datetime="${entry.created_at}">${localTime(Date.parse(entry.created_at)).slice(11, 16)}</time><span class="kind">${kindOf(entry.verb).word}</span><span dir="auto">${sentence(entry)}</span><span class="actor" dir="auto">${entry.actor}</span></li>`;

export async function showActivity(visit: Visit): Promise<View> {
  const episodes = await episodeChoice(visit);
  const { entries, link } = await foundEntries(visit, episodes);
  const byDay = Map.groupBy(entries, ({ created_at }) => localDate(Date.parse(created_at)));
  const days = [...byDay].map(
    ([date, of]) =>
      html`<li><h2><time datetime="${date}">${dateText(date)}</time></h2><ol>${of.map(feedItem)}</ol></li>`,
  );
  const isFiltered = ["about", "from", "to", "episode_id"].some((name) => visit.query.get(name));
  const none = isFiltered ? "Nothing matches." : "Nothing has happened yet.";
  const body = html`${heading("Activity", html`<span>Times of ${shownZoneName()}</span>`)}
${activityFilter(visit, episodes)}
${entries.length === 0 ? emptyState(none, isFiltered ? html`<a href="/activity">Show everything</a>` : undefined) : html`<ol class="feed">${days}</ol>`}
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
  const items = entries
    .slice(0, listedEntries)
    .map(
      (entry) =>
        html`<li>${sentence(entry)} <span class="under">${entry.actor}, ${timeOf(entry.created_at)}</span></li>`,
    );
  const body = items.length === 0 ? emptyState("Nothing yet.") : lines(items);
  return html`<div class="since flow" data-quiet>${panel("Since yesterday", body)}
${entries.length > listedEntries && html`<p class="under"><a href="/activity">and ${entries.length - listedEntries} more</a></p>`}</div>`;
}
