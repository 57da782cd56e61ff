// /settings: the list of the settings.
import { html } from "../../html.ts";
import type { WebPage } from "../../page.ts";
import { heading } from "../../parts.ts";
import { settingsPagesOf } from "./frame.ts";

export const overviewPage: WebPage = {
  path: "/settings",
  reach: "edit",
  section: "/settings",
  show: (visit) => ({
    title: "Settings",
    body: html`${heading("Settings")}<ul class="cards">${settingsPagesOf(visit).map(
      ([name, title, text]) =>
        html`<li class="panel"><h2><a href="/settings/${name}">${title}</a></h2><p class="under">${text}</p></li>`,
    )}</ul>`,
  }),
};
