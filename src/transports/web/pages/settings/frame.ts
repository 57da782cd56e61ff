// The frame of the settings: the list of their pages.
import { html, type Markup } from "../../html.ts";
import type { View } from "../../page.ts";
import { heading } from "../../parts.ts";
import type { Visit } from "../../visit.ts";

export const settingsPages = [
  ["keys", "Keys", "Mint, see and revoke API keys."],
  ["vendors", "Vendors", "Engagements, what each vendor was granted, and the production as a vendor sees it."],
  ["import", "Import", "Update the production from documents, after a look at what would change."],
  ["script-changes", "Script changes", "What a new draft changes, to approve or to dismiss."],
  ["history", "History", "What changed the production, field by field, and the buttons that take it back."],
  ["releases", "Releases", "Versions that wait to be released."],
  ["storage", "Storage", "The active filespace, and file moves for the storage agent."],
  ["webhooks", "Webhooks", "Where events are delivered to, and what was delivered."],
  ["sessions", "Sessions", "The browsers that are signed in."],
  ["audit", "Audit", "What admins did, newest first."],
  ["health", "Health", "The state of this server and its data."],
] as const;

export type SettingsName = (typeof settingsPages)[number][0];

const editPages: ReadonlySet<SettingsName> = new Set<SettingsName>([
  "import",
  "script-changes",
  "history",
  "releases",
  "sessions",
]);

/** The pages of the settings that a visitor may see. */
export const settingsPagesOf = ({ isAdmin }: Pick<Visit, "isAdmin">) =>
  settingsPages.filter(([name]) => isAdmin || editPages.has(name));

/** A page of the settings. Pages that only the admin sees need no visit. */
export function settingsView(name: SettingsName, body: Markup, status = 200, visit = { isAdmin: true }): View {
  const title = settingsPages.find(([known]) => known === name)?.[1] ?? "Settings";
  const links = settingsPagesOf(visit).map(
    ([each, label]) => html`<a href="/settings/${each}"${each === name && html` aria-current="page"`}>${label}</a>`,
  );
  return {
    title: `${title}, settings`,
    status,
    body: html`${heading(title)}<nav class="pills" aria-label="Settings">${links}</nav>${body}`,
  };
}

/** The path and the reach that every page of the settings has. */
export const settingsPage = (name: SettingsName) =>
  ({ path: `/settings/${name}`, reach: editPages.has(name) ? "edit" : "admin", section: "/settings" }) as const;
