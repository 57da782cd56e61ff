// The settings: their overview, which says how each part stands, and the frame of their pages.
import { features } from "../../core/features.ts";
import type { FeaturePage, SettingsGroup, SettingWaits } from "./contributions.ts";
import { html, type Markup } from "./html.ts";
import { heading, rows } from "./html_parts.ts";
import type { View } from "./page.ts";
import { placeFiller } from "./page_places.ts";
import type { Visit } from "./visit.ts";

type SettingsPage = FeaturePage & Required<Pick<FeaturePage, "setting">>;

const isSettingsPage = (page: FeaturePage): page is SettingsPage => page.setting !== undefined;

const settingsPages: readonly SettingsPage[] = features().flatMap(({ pages = [] }) => pages.filter(isSettingsPage));

/** The pages of the settings that a visitor is offered, in their order. */
const settingsPagesOf = ({ isAdmin }: Pick<Visit, "isAdmin">): readonly SettingsPage[] =>
  settingsPages
    .filter(({ reach, setting }) => (isAdmin ? !setting.withoutAdmins : reach === "edit"))
    .sort((one, other) => one.setting.place - other.setting.place);

const groups: readonly SettingsGroup[] = ["Show", "Access", "Server"];

/** A page with what waits there. */
interface Entry {
  page: SettingsPage;
  waits: SettingWaits | undefined;
}

/** The pages in their groups, each with what waits there; without the groups that have none. */
async function grouped(visit: Visit): Promise<[group: SettingsGroup, entries: Entry[]][]> {
  const entries = settingsPagesOf(visit).map(async (page): Promise<Entry> => {
    const state = await page.setting.state?.();
    return { page, waits: await state?.waits?.(visit) };
  });
  const byGroup = Map.groupBy(await Promise.all(entries), ({ page }) => page.setting.group);
  return groups.flatMap((group) => {
    const members = byGroup.get(group);
    return members === undefined ? [] : [[group, members]];
  });
}

/** The names of the pages beside each of them. A number stands only where somebody must act. */
function rail(entries: Awaited<ReturnType<typeof grouped>>, current: SettingsPage | undefined): Markup {
  const link = ({ page, waits }: Entry): Markup =>
    html`<li><a href="${page.path}"${page === current && html` aria-current="page"`}>${page.setting.label}${waits && html` <span class="tone ${waits.tone}">${waits.count ?? "!"}<span class="unseen"> ${waits.text}</span></span>`}</a></li>`;
  return html`<nav class="side" aria-label="Settings"><ul><li><a href="/settings"${current === undefined && html` aria-current="page"`}>Overview</a></li></ul>
${entries.map(([group, members]) => html`<h2>${group}</h2><ul>${members.map(link)}</ul>`)}</nav>`;
}

const framed = (side: Markup, body: Markup): Markup =>
  html`<div class="settings">${side}<div class="flow">${body}</div></div>`;

/** A page of the settings, or one below it, in their frame. */
export async function settingsView(path: string, body: Markup, visit: Visit): Promise<View> {
  const current = settingsPages.find((page) => path === page.path || path.startsWith(`${page.path}/`));
  const title = current?.setting.label ?? "Settings";
  return {
    title: `${title}, settings`,
    body: html`<p class="over narrow"><a href="/settings">Settings</a></p>${heading(title)}${framed(rail(await grouped(visit), current), body)}`,
  };
}

async function overviewRow(visit: Visit, { page, waits }: Entry): Promise<Markup> {
  const { label, about, state } = page.setting;
  const says = (await (await state?.())?.says?.(visit)) ?? about;
  return html`<li><a class="name" href="${page.path}">${label}</a><span class="under" dir="auto">${says}</span><span>${waits && html`<span class="chip ${waits.tone}">${waits.text}</span>`}</span></li>`;
}

export async function showOverview(visit: Visit): Promise<View> {
  const entries = await grouped(visit);
  const parts: Markup[] = [];
  for (const [group, members] of entries) {
    const list: Markup[] = [];
    for (const entry of members) list.push(await overviewRow(visit, entry));
    parts.push(html`<section><h2>${group}</h2>${rows("overview", list)}</section>`);
  }
  const alarm = await (await placeFiller("alarm"))?.(visit);
  return {
    title: "Settings",
    body: html`${heading("Settings")}${framed(rail(entries, undefined), html`${alarm}${parts}`)}`,
  };
}
