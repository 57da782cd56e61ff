// What the approval of script changes brings with it: days, links and numbers.
import { sameName } from "../../../core/wording.ts";
import { dayText } from "../../../graph/units.ts";
import { sceneName } from "../../documents/sections/sections.ts";
import { textsIn } from "../../names/sluglines.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { lines, panel } from "../../pages/html_parts.ts";
import { askedFields, type FieldChanges } from "../compare/fields.ts";
import { isRename, renameOf } from "../compare/renames.ts";
import type { ConcernedDay, TakenNumber } from "../script_store.ts";

/** The days that approvals concern, and the scenes whose numbers they take, by the change. */
export interface Concerned {
  days: ReadonlyMap<number, readonly ConcernedDay[]>;
  numbers: ReadonlyMap<number, readonly TakenNumber[]>;
}

interface Asking {
  id: number;
  kind: string;
  scene_number: string;
  fields: FieldChanges;
}

/** The groups of changes on the page, in its order. */
export const groups = ["Scenes", "Names", "Cast"] as const;
export function groupOf({ kind, fields }: Pick<Asking, "kind" | "fields">): (typeof groups)[number] {
  if (isRename(fields)) return "Names";
  const asked = askedFields(fields);
  const isOfCast = asked.includes("cast") && asked.every((name) => name === "cast" || name === "text");
  return kind === "changed" && isOfCast ? "Cast" : "Scenes";
}

const joined = (parts: readonly Markup[]): Markup =>
  html`${parts.map((part, at) => html`${at > 0 && (at === parts.length - 1 ? " and " : ", ")}${part}`)}`;
const dayLink = ({ day_id, date, ...day }: ConcernedDay): Markup =>
  html`<a href="/days/${day_id}">${dayText(day)}, ${dateText(date)}</a>`;
const daysText = (days: readonly ConcernedDay[]): Markup => joined(days.map(dayLink));

/** The names of a cast that another one does not have. */
function namesBeside(cast: unknown, other: unknown): Markup[] {
  const known = new Set(textsIn(other).map(sameName));
  return textsIn(cast).flatMap((name) => (known.has(sameName(name)) ? [] : html`<bdi>${name}</bdi>`));
}

/** What becomes of the days of a scene that is omitted, renumbered or added. */
function dayClauses({ kind, scene_number, fields }: Asking, days: readonly ConcernedDay[]): Markup[] {
  const [first] = days;
  if (kind === "added") {
    if (first === undefined) return [html`it is on no shoot day`];
    const whole = sceneName(first.number, first.episode);
    return [
      html`it is on no shoot day; with what follows, it goes after scene ${whole} on ${daysText(days)} if it has text of that scene`,
    ];
  }
  if (first === undefined) return [];
  if (fields.omitted?.to === false) return [html`the scene is planned again on ${daysText(days)}`];
  if (fields.omitted?.to === true)
    return [html`the scene stays on ${daysText(days)} as an omitted one; with what follows, it leaves there`];
  if (fields.number !== undefined) return [html`${daysText(days)} will show it as ${scene_number}`];
  return [];
}

/** What becomes of another scene that has the number. */
function numberClause({ what, number, episode }: TakenNumber): Markup {
  const name = sceneName(number, episode);
  if (what === "omitted") return html`the omitted scene ${name} gets another number, such as ${name} (omitted)`;
  if (what === "freed") return html`it takes the number of scene ${name}, whose change must be approved with it`;
  return html`scene ${name} has that number and must be renumbered first`;
}

/** The labels of all lists of tags. */
const labelsIn = (tags: unknown): string[] => Object.values(tags ?? {}).flatMap(textsIn);

/** What becomes of the links of a scene to characters and other assets. */
function linkClauses({ kind, fields }: Asking): Markup[] {
  const { cast, tags } = fields;
  if (fields.omitted?.to === true) return [];
  const [come, go] = [namesBeside(cast?.to, cast?.from), namesBeside(cast?.from, cast?.to)];
  const tagged = namesBeside(labelsIn(tags?.to), labelsIn(tags?.from));
  return [
    ...(come.length > 0 ? [html`${joined(come)} ${come.length === 1 ? "is" : "are"} linked to it`] : []),
    ...(kind !== "added" && go.length > 0 ? [html`the link to ${joined(go)} goes, unless a person made it`] : []),
    ...(tagged.length > 0 ? [html`what is tagged comes to it: ${joined(tagged)}`] : []),
  ];
}

/** What a change brings with it if it is approved, in one sentence. */
export function broughtBy(change: Asking, concerned: Concerned): Markup {
  const { id, fields } = change;
  const [days, numbers] = [concerned.days.get(id) ?? [], concerned.numbers.get(id) ?? []];
  if (isRename(fields)) {
    const { from, to } = renameOf(fields);
    const except = textsIn(fields.except?.to).length > 0 ? " but those that keep the former name" : "";
    return html`<p class="under">If approved, <bdi>${from}</bdi> is called <bdi>${to}</bdi> in all scenes${except}, in their casts and links, and on calls.</p>`;
  }
  const isRenumbered = fields.number !== undefined && change.kind !== "added";
  const clauses = [
    ...(isRenumbered && days.length === 0 ? [html`the scene is ${change.scene_number} wherever it is listed`] : []),
    ...numbers.map(numberClause),
    ...dayClauses(change, days),
    ...linkClauses(change),
  ];
  if (clauses.length === 0) return html`<p class="under">If approved, days, links and numbers stay.</p>`;
  return html`<p class="under">If approved, ${clauses.map((clause, at) => html`${at > 0 && "; "}${clause}`)}.</p>`;
}

/** What becomes of a scene of a shoot day. */
function moveText({ what, number, episode, becomes }: ConcernedDay): string {
  const name = sceneName(number, episode);
  if (what === "omitted") return `${name} is omitted`;
  if (what === "back") return `${name} is planned again`;
  return what === "number" ? `${name} becomes ${becomes}` : `${becomes} may go after ${name}`;
}

/** What an approval of all changes that wait does to the shoot days: every scene of every day. */
export function movedByAll(all: readonly ConcernedDay[], waiting: number): Markup {
  if (waiting === 0) return html``;
  const byDay = [...Map.groupBy(all, ({ day_id }) => day_id).values()];
  const items = byDay.map((own) => html`<li>${own.slice(0, 1).map(dayLink)}: ${own.map(moveText).join(", ")}</li>`);
  const body =
    items.length === 0
      ? html`<p>No shoot day has a scene that is omitted, brought back, renumbered or split.</p>`
      : html`<p class="hint">Omitted scenes stay on their days, and new parts of a scene come on none, unless what follows is done.</p>${lines(items)}`;
  return panel("What an approval of all changes on shoot days", body);
}

export const concernedBy = (days: readonly ConcernedDay[], numbers: readonly TakenNumber[]): Concerned => ({
  days: Map.groupBy(days, ({ change_id }) => change_id),
  numbers: Map.groupBy(numbers, ({ change_id }) => change_id),
});
