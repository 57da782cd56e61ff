// /settings/audit: what admins did, newest first.
import { timeOf } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, lines, sizeText, valueText, wordOf } from "../../pages/html_parts.ts";
import { listPage } from "../../pages/list_windows.ts";
import type { Visit } from "../../pages/visit.ts";
import { listAudit } from "../audit.ts";

const pageSize = 100;

/** The details of an entry as pairs of name and text. Who acted has a column. */
const detailText = (detail: Readonly<Record<string, unknown>>): string =>
  Object.entries(detail)
    .filter(([name, value]) => value !== null && value !== 0 && name !== "acting_key_id")
    .map(([name, value]) => `${wordOf(name)} ${name === "bytes" ? sizeText(Number(value)) : valueText(value)}`)
    .join(" · ");

export async function showAudit(visit: Visit): Promise<Markup> {
  const { rows: entries, link } = await listPage(visit, listAudit, { limit: pageSize });
  const items = entries.map(
    ({ created_at, actor, action, detail }) =>
      html`<li><time>${timeOf(created_at)}</time> <b>${actor}</b> ${wordOf(action.replace(".", " "))} <span class="under">${detailText(detail)}</span></li>`,
  );
  return html`${entries.length === 0 ? emptyState("No admin has changed anything yet.") : lines(items)}${link}`;
}
