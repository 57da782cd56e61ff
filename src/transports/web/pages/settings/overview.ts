// /settings: the list of the settings.
import { html } from "../../html.ts";
import type { Page } from "../../page.ts";
import { heading } from "../../parts.ts";
import { settingsPages } from "./frame.ts";

export const overviewPage: Page = {
  path: "/settings",
  reach: "admin",
  section: "/settings",
  show: () => ({
    title: "Settings",
    body: html`${heading("Settings")}<ul class="cards">${settingsPages.map(
      ([name, title, text]) =>
        html`<li class="panel"><h2><a href="/settings/${name}">${title}</a></h2><p class="under">${text}</p></li>`,
    )}</ul>`,
  }),
};
