// A plan as a page shows it: a sentence for each thing, and its fields with what was before and after.
import type * as v from "valibot";
import { listDifference, textsSideBySide } from "../../pages/differences.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, lines, panel, plural, valueText, wordOf } from "../../pages/html_parts.ts";
import type { planSchema } from "../plan_schema.ts";
import { isRecord } from "../sections/form.ts";
import { sections } from "../sections/sections.ts";

export type ShownPlan = v.InferOutput<typeof planSchema>;
type Change = ShownPlan["changes"][number];

/** The maximum number of changes that a page requests and shows. */
export const shownChanges = 500;

const verbs: Readonly<Record<Change["action"], string>> = { add: "is added", change: "changes", remove: "is removed" };

/** A key of a document as people read it: its timestamps end with the minute. */
const keyText = (key: string): string => key.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z/g, "$1 $2 UTC");

/** What a thing is called: "Scene 22". */
const nameOf = ({ section, key }: Change): string =>
  section === "production" ? "The production" : `${capitalized(sections[section].called[0])} ${keyText(key)}`;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** From how many characters on two texts stand side by side. */
const longText = 60;

/** What a value became, as the end of a line that begins with the name of the field. */
export function difference(from: unknown, to: unknown): Markup {
  if (isTexts(from ?? []) && isTexts(to ?? []) && (Array.isArray(from) || Array.isArray(to))) {
    const found = listDifference((from ?? []) as string[], (to ?? []) as string[]); // checked above
    return found ?? html`in another order: <ins>${valueText(to)}</ins>`;
  }
  if (typeof from === "string" && typeof to === "string" && Math.max(from.length, to.length) > longText)
    return textsSideBySide(from, to);
  return html`<del>${valueText(from)}</del> → <ins>${valueText(to)}</ins>`;
}

/** The lines of a field. An object has one for each of its parts that differs. */
function fieldLines(name: string, from: unknown, to: unknown): Markup[] {
  if (isRecord(from ?? {}) && isRecord(to ?? {}) && (isRecord(from) || isRecord(to))) {
    const [old, fresh] = [(from ?? {}) as Record<string, unknown>, (to ?? {}) as Record<string, unknown>]; // checked above
    const parts = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter(
      (part) => JSON.stringify(old[part]) !== JSON.stringify(fresh[part]),
    );
    return parts.flatMap((part) => fieldLines(part, old[part], fresh[part]));
  }
  return [html`<dt>${wordOf(name)}</dt><dd>${difference(from, to)}</dd>`];
}

/** A field of a thing that is added or removed. */
const onlyLine = (name: string, value: unknown): Markup => html`<dt>${wordOf(name)}</dt><dd>${valueText(value)}</dd>`;

const changeItem = (change: Change): Markup => {
  const { action, fields } = change;
  const entries = Object.entries(fields);
  const rows = html`<dl>${
    action === "change"
      ? entries.flatMap(([name, { from, to }]) => fieldLines(name, from, to))
      : entries.map(([name, { from, to }]) => onlyLine(name, action === "add" ? to : from))
  }</dl>`;
  const head = html`<strong>${nameOf(change)}</strong> ${verbs[action]}`;
  return html`<li>${action === "change" || entries.length === 0 ? html`${head}${rows}` : html`<details><summary>${head}</summary>${rows}</details>`}</li>`;
};

const countsLine = ({ added, changed, removed, unchanged }: ShownPlan["counts"]): Markup =>
  html`<p class="facts"><span>${added} added</span><span>${changed} changed</span><span>${removed} removed</span><span>${plural(unchanged, "thing stays", "things stay")} as they are</span></p>`;

/** How many things change. */
export const changeCount = ({ added, changed, removed }: Omit<ShownPlan["counts"], "unchanged">): number =>
  added + changed + removed;

/** The first changes of `count`, thing by thing and field by field. */
export function changesView(changes: readonly Change[], count: number): Markup {
  const groups = [...Map.groupBy(changes, ({ section }) => section)];
  return html`${groups.map(([section, own]) => panel(capitalized(wordOf(section)), lines(own.map(changeItem)), own.length))}
${count > changes.length && html`<p class="hint">and ${count - changes.length} more.</p>`}`;
}

export const planView = ({ counts, warnings, changes }: ShownPlan): Markup => html`${countsLine(counts)}
${warnings.length > 0 && panel("Warnings", lines(warnings.map((warning) => html`<li>${warning}</li>`)))}
${changesView(changes, changeCount(counts))}`;

/** The link to the undo of what was just saved. */
export const undoLink = (change_set: number | undefined): Markup | undefined =>
  change_set === undefined ? undefined : html`<p><a href="/settings/history/${change_set}?undo=1">Undo</a></p>`;

/** What was applied, with the link to its undo. */
export const appliedPanel = (title: string, plan: ShownPlan): Markup =>
  html`<div role="status" class="flow"><h2>${title}</h2>${undoLink(plan.change_set)}${planView(plan)}</div>`;
