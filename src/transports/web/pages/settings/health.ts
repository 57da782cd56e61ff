// /settings/health: the state of the server and its data directory.
import { healthOf } from "../../../../admin/health.ts";
import { html, type Markup } from "../../html.ts";
import type { Page, View } from "../../page.ts";
import { panel } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { settingsPage, settingsView } from "./frame.ts";

const sizeText = (bytes: number): string => {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
};

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  items: readonly string[];
}

const findingItem = ({ check, ok, detail, items }: Finding): Markup => html`<li>
<strong>${check.replaceAll("_", " ")}</strong> <span class="chip ${ok ? "done" : "failed"}">${ok ? "sound" : "wrong"}</span> <span class="under">${detail}</span>
${items.length > 0 && html`<ul>${items.slice(0, 20).map((item) => html`<li class="under">${item}</li>`)}</ul>`}
</li>`;

async function showHealth(visit: Visit): Promise<View> {
  const { database_size, free_space, findings } = await healthOf(visit.ctx.app);
  const { base_url } = visit.ctx.app.addresses;
  const body = html`<div class="cards">
${panel("Server", html`<dl><dt>Address</dt><dd>${base_url}</dd><dt>Database</dt><dd>${sizeText(database_size)}</dd><dt>Free space</dt><dd>${sizeText(free_space)}</dd></dl>`)}
${panel(
  "Checks",
  findings === undefined
    ? html`<p>The database is too large to be checked while it is served. Run <code>tallylight doctor</code> on the server's machine.</p>`
    : html`<ul class="lines">${findings.map(findingItem)}</ul>`,
)}
${panel("Backup", html`<p>Run <code>tallylight backup FOLDER</code> on the server's machine; the server keeps running meanwhile.</p>`)}
</div>`;
  return settingsView("health", body);
}

export const healthPage: Page = { ...settingsPage("health"), show: showHealth };
