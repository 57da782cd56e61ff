// The frame of the settings: the list of their pages.
import { html, type Markup } from "../../pages/html.ts";
import { type ShowNames, type SubmitNames, type View, type WebPage, webPage } from "../../pages/page.ts";
import { heading } from "../../pages/parts.ts";
import type { Visit } from "../../pages/visit.ts";

/** The pages, each with its name and what it is for. `edit`: also for sessions that have only that scope. */
export const settingsPages = [
  ["keys", "Keys", "Mint, see and revoke API keys.", "admin"],
  ["vendors", "Vendors", "Engagements, what each vendor was granted, and the production as a vendor sees it.", "admin"],
  ["import", "Import", "Update the production from documents, after a look at what would change.", "edit"],
  ["script-changes", "Script changes", "What a new draft changes, to approve or to dismiss.", "edit"],
  ["history", "History", "What changed the production, field by field, and the buttons that take it back.", "edit"],
  ["releases", "Releases", "Versions that wait to be released.", "edit"],
  ["storage", "Storage", "The active filespace, and file moves for the storage agent.", "admin"],
  ["webhooks", "Webhooks", "Where events are delivered to, and what was delivered.", "admin"],
  ["sessions", "Sessions", "The browsers that are signed in.", "edit"],
  ["audit", "Audit", "What admins did, newest first.", "admin"],
  ["health", "Health", "The state of this server and its data.", "admin"],
] as const;

type SettingsName = (typeof settingsPages)[number][0];

/** The pages of the settings that a visitor may see. */
const settingsPagesOf = ({ isAdmin }: Pick<Visit, "isAdmin">) =>
  settingsPages.filter(([, , , reach]) => isAdmin || reach === "edit");

const rowOf = (name: SettingsName) => settingsPages.find(([known]) => known === name) as (typeof settingsPages)[number]; // it is in the list

function settingsView(name: SettingsName, body: Markup, visit: Visit): View {
  const [, title] = rowOf(name);
  const links = settingsPagesOf(visit).map(
    ([each, label]) => html`<a href="/settings/${each}"${each === name && html` aria-current="page"`}>${label}</a>`,
  );
  return {
    title: `${title}, settings`,
    body: html`${heading(title)}<nav class="pills" aria-label="Settings">${links}</nav>${body}`,
  };
}

/** A page of the settings, by the names of the functions of its module. */
export const settingsPage = <M>(
  name: SettingsName,
  load: () => Promise<M>,
  show: ShowNames<M>,
  submit?: SubmitNames<M>,
  { path = `/settings/${name}`, refused_status, ...more }: Partial<WebPage> & { refused_status?: number } = {},
): WebPage =>
  webPage<M, Markup | undefined>(path, rowOf(name)[3], load, show, submit, {
    ...more,
    frame: (visit, body) => ({
      ...settingsView(name, body, visit),
      ...(visit.refused && refused_status && { status: refused_status }),
    }),
  });

export const showOverview = (visit: Visit): View => ({
  title: "Settings",
  body: html`${heading("Settings")}<ul class="cards">${settingsPagesOf(visit).map(
    ([name, title, text]) =>
      html`<li class="panel"><h2><a href="/settings/${name}">${title}</a></h2><p class="under">${text}</p></li>`,
  )}</ul>`,
});
