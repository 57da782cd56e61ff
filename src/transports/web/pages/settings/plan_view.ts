// A plan as a page shows it: before and after, thing by thing and field by field.
import type * as v from "valibot";
import type { planSchema } from "../../../../admin/plan_schema.ts";
import { html, type Markup } from "../../html.ts";
import { capitalized, panel, wordOf } from "../../parts.ts";
import { valueText } from "./values.ts";

export type ShownPlan = v.InferOutput<typeof planSchema>;
type Change = ShownPlan["changes"][number];

/** How many changes a page shows: it asks for no more. */
export const shownChanges = 500;

const actionChips: Readonly<Record<Change["action"], string>> = { add: "done", change: "pending", remove: "blocked" };

const fieldRow = ([name, { from, to }]: [string, { from: unknown; to: unknown }], action: Change["action"]): Markup =>
  html`<div><dt>${wordOf(name)}</dt><dd>${action !== "add" && html`<del>${valueText(from)}</del> `}${action !== "remove" && html`<ins>${valueText(to)}</ins>`}</dd></div>`;

/** A key of a document as people read it: its timestamps end with the minute. */
const keyText = (key: string): string => key.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z/g, "$1 $2 UTC");

const changeItem = ({ key, action, fields }: Change): Markup => {
  const entries = Object.entries(fields);
  const rows = html`<dl class="diff">${entries.map((entry) => fieldRow(entry, action))}</dl>`;
  const head = html`<span class="chip ${actionChips[action]}">${action}</span> <strong>${keyText(key)}</strong>`;
  return html`<li>${action === "change" || entries.length === 0 ? html`${head}${rows}` : html`<details><summary>${head}</summary>${rows}</details>`}</li>`;
};

const countsLine = ({ added, changed, removed, unchanged }: ShownPlan["counts"]): Markup =>
  html`<p class="facts counts"><span>${added} added</span><span>${changed} changed</span><span>${removed} removed</span><span>${unchanged} unchanged</span></p>`;

/** How many things change. */
export const changeCount = ({ added, changed, removed }: Omit<ShownPlan["counts"], "unchanged">): number =>
  added + changed + removed;

/** The first changes of `count`, thing by thing and field by field. */
export function changesView(changes: readonly Change[], count: number): Markup {
  const sections = [...Map.groupBy(changes, ({ section }) => section)];
  return html`${sections.map(([section, own]) => panel(capitalized(wordOf(section)), html`<ul class="lines">${own.map(changeItem)}</ul>`, own.length))}
${count > changes.length && html`<p class="hint">and ${count - changes.length} more.</p>`}`;
}

export const planView = ({ counts, warnings, changes }: ShownPlan): Markup => html`${countsLine(counts)}
${warnings.length > 0 && panel("Warnings", html`<ul class="lines">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`)}
${changesView(changes, changeCount(counts))}`;

/** The link to the undo of what was just saved. */
export const undoLink = (change_set: number | undefined): Markup | undefined =>
  change_set === undefined ? undefined : html`<p><a href="/settings/history/${change_set}?undo=1">Undo</a></p>`;
