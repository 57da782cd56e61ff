// The frame of the settings: the list of their pages.
import { html, Markup } from "../../html.ts";
import { functionOf, type NamesOf, type PageAnswer, type SubmittedForm, type View, type WebPage } from "../../page.ts";
import { heading } from "../../parts.ts";
import type { Visit } from "../../visit.ts";

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

export type SettingsName = (typeof settingsPages)[number][0];

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

/** What stands below the list of the settings. */
type ShowSetting = (visit: Visit) => Promise<Markup> | Markup;
/** Does what a form asks for. The page is opened anew if nothing is returned. */
type SubmitSetting = (visit: Visit, form: SubmittedForm) => Promise<Markup | PageAnswer | undefined>;

/** A page of the settings, by the names of the functions of its module. */
export function settingsPage<M>(
  name: SettingsName,
  load: () => Promise<M>,
  show: NamesOf<M, ShowSetting>,
  submit?: NamesOf<M, SubmitSetting>,
  more: Partial<WebPage> & { refused_status?: number } = {},
): WebPage {
  const path = `/settings/${name}`;
  const { refused_status, ...page } = more;
  return {
    ...{ path, reach: rowOf(name)[3], ...page },
    async show(visit) {
      const body = await functionOf<M, ShowSetting>(await load(), show)(visit);
      return { ...settingsView(name, body, visit), ...(visit.refused && refused_status && { status: refused_status }) };
    },
    ...(submit !== undefined && {
      async submit(visit, form) {
        const result = await functionOf<M, SubmitSetting>(await load(), submit)(visit, form);
        return result instanceof Markup ? settingsView(name, result, visit) : (result ?? { location: path });
      },
    }),
  };
}

export const showOverview = (visit: Visit): View => ({
  title: "Settings",
  body: html`${heading("Settings")}<ul class="cards">${settingsPagesOf(visit).map(
    ([name, title, text]) =>
      html`<li class="panel"><h2><a href="/settings/${name}">${title}</a></h2><p class="under">${text}</p></li>`,
  )}</ul>`,
});
