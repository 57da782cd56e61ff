// The forms of the board: a strip or several to another day or place, two days swapped, and days moved to later or
// earlier dates.

import type { getSchedule } from "../../../graph/schedule.ts";
import { dayTitle } from "../../../graph/units.ts";
import { listHistory } from "../../history/history.ts";
import { dateText } from "../../pages/dates.ts";
import { type FormField, formInputs, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { fieldProblem } from "../../pages/html_parts.ts";
import { addressWith } from "../../pages/list_windows.ts";
import type { BoardForms } from "../../pages/page_places.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";

type ShootDay = OutputOf<typeof getSchedule>[number];

const weekends = [
  ["skip", "are passed over"],
  ["shoot", "count as other days"],
] as const;

type Names = readonly (readonly [id: string, name: string])[];

const forms = {
  move: {
    title: "Move scenes",
    button: "Move",
    fields: (days: Names): FormField[] => [
      { name: "scene", label: "Scene", maxlength: 60, literal: true },
      { name: "to", label: "To", choices: [...days, ["0", "without a day"]] },
      { name: "before", label: "Before scene, otherwise last", maxlength: 60, literal: true },
    ],
  },
  swap: {
    title: "Swap two days",
    button: "Swap",
    fields: (days: Names): FormField[] => [
      { name: "one", label: "What is shot on", choices: days },
      { name: "other", label: "Changes places with", choices: days },
    ],
  },
  shift: {
    title: "Move days",
    button: "Move the days",
    fields: (days: Names): FormField[] => [
      { name: "first", label: "From", choices: days },
      { name: "by", label: "By how many days", type: "number", min: -366, max: 366, required: true, value: "1" },
      { name: "weekends", label: "Weekends", choices: weekends },
    ],
  },
};

/**
 * The forms, open where one was refused or a strip's handle was used. That which moves scenes moves those that are
 * chosen, or one that is named, if it was asked for. The script of the page fills in the one that
 * moves scenes.
 */
export async function boardForms(visit: Visit, days: readonly ShootDay[]): Promise<BoardForms> {
  const [newest] = await visit.ask(listHistory, { limit: 1 });
  const { refused } = visit;
  const given = (name: string) => refused?.form.text(name) ?? visit.query.get(name) ?? "";
  const asked = refused?.form.text("action") ?? visit.query.get("form") ?? (visit.query.has("scene") ? "move" : "");
  const handle = refused?.form.text("handle") ?? visit.query.get("scene") ?? "";
  const names = days.map((day) => [String(day.id), `${dayTitle(day)}, ${dateText(day.date)}`] as const);
  const formOf = (name: keyof typeof forms): Markup => {
    const { title, button, fields } = forms[name];
    const isOfChosen = name === "move" && (name !== asked || (refused?.form.texts("strips") ?? []).length > 0);
    const hidden = {
      action: name,
      window: visit.query.get("from") ?? "",
      seen: newest?.id ?? 0,
      ...(name === "move" && { scene_id: given("scene_id"), day: given("day"), before_id: "", handle }),
      ...(isOfChosen && { scene: "" }),
    };
    // A strip whose handle was used goes to another place of its day, unless another day is chosen.
    const own = given("day") === "0" ? "" : given("day");
    const shownValue = ({ name, value }: FormField) => given(name) || (name === "to" ? own : "") || value;
    const filled = fields(names)
      .filter((field) => !isOfChosen || field.name !== "scene")
      .map((field) => ({ ...field, value: shownValue(field) }));
    const problem = fieldProblem(`problem-${name}`, name === asked ? refused?.problem : undefined);
    const form = postForm(visit, {
      hidden,
      fields: [
        html`${problem}`,
        ...filled.map((field) => html`<div class="stack">${formInputs([field], undefined)}</div>`),
      ],
      buttons: [{ text: button }],
      style: "filters",
      to: "/schedule",
      id: `${name}-form`,
    });
    return html`<details class="panel board-forms${name === "move" && " bulk"}" id="${name}"${name === asked && html` open`}><summary data-quiet>${title}</summary>
${form}</details>`;
  };
  // Each menu of days has two nodes for a day, so the forms that have only menus are shown when they are asked for.
  const ofDays = ["swap", "shift"] as const;
  const link = (name: keyof typeof forms, text: string) =>
    html`<a href="${addressWith(visit, "form", name)}#${name}">${text}</a>`;
  return {
    links: html`${link("move", "Move a scene by its number")}${ofDays.map((name) => link(name, forms[name].title))}`,
    opened: html`${ofDays.filter((name) => name === asked).map(formOf)}`,
    move: formOf("move"),
  };
}
