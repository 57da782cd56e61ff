// The settings: their overview, and the frame of their pages.
import { features } from "../../core/features.ts";
import type { FeaturePage, SettingsGroup } from "./contributions.ts";
import { html, type Markup } from "./html.ts";
import { heading } from "./html_parts.ts";
import type { View } from "./page.ts";
import type { Visit } from "./visit.ts";

type SettingsPage = FeaturePage & Required<Pick<FeaturePage, "setting">>;

const isSettingsPage = (page: FeaturePage): page is SettingsPage => page.setting !== undefined;

/** The pages of the settings that a visitor may see, in their order. */
const settingsPagesOf = ({ isAdmin }: Pick<Visit, "isAdmin">): readonly SettingsPage[] =>
  features()
    .flatMap(({ pages = [] }) => pages.filter(isSettingsPage))
    .filter(({ reach }) => isAdmin || reach === "edit")
    .sort((one, other) => one.setting.place - other.setting.place);

const groups: readonly SettingsGroup[] = ["The production", "Access", "The server"];

/** The pages in their groups; without those of which there are none. */
const grouped = (pages: readonly SettingsPage[]): [group: SettingsGroup, pages: SettingsPage[]][] =>
  groups.flatMap((group) => {
    const members = pages.filter(({ setting }) => setting.group === group);
    return members.length === 0 ? [] : [[group, members]];
  });

/** A page of the settings, or one below it, in their frame. */
export function settingsView(path: string, body: Markup, visit: Visit): View {
  const pages = settingsPagesOf(visit);
  const current = pages.find((page) => path === page.path || path.startsWith(`${page.path}/`));
  const title = current?.setting.label ?? "Settings";
  const link = (page: SettingsPage) =>
    html`<a href="${page.path}"${page === current && html` aria-current="page"`}>${page.setting.label}</a>`;
  const links = grouped(pages).map(
    ([group, members]) => html`<span class="row"><span class="under">${group}</span>${members.map(link)}</span>`,
  );
  return {
    title: `${title}, settings`,
    body: html`${heading(title)}<nav class="row pills" aria-label="Settings">${links}</nav>${body}`,
  };
}

export const showOverview = (visit: Visit): View => ({
  title: "Settings",
  body: html`${heading("Settings")}${grouped(settingsPagesOf(visit)).map(
    ([group, members]) =>
      html`<h2>${group}</h2><ul class="grid">${members.map(
        ({ path, setting: { label, about } }) =>
          html`<li class="panel"><h3><a href="${path}">${label}</a></h3><p class="under">${about}</p></li>`,
      )}</ul>`,
  )}`,
});
