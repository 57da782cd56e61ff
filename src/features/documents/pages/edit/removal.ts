// Removes a thing on its edit page, once it is confirmed: the page says what goes with it, or why it has to stay. A
// scene is omitted instead, because its number and what is about it stay.

import { HttpError } from "../../../../core/errors.ts";
import { getSceneBundle } from "../../../../graph/bundles.ts";
import { dayText } from "../../../../graph/units.ts";
import { dateText } from "../../../pages/dates.ts";
import { confirmation, isSure, postForm } from "../../../pages/form_parts.ts";
import { html, type Markup } from "../../../pages/html.ts";
import { capitalized, heading, lines, plural, valueText } from "../../../pages/html_parts.ts";
import type { Redirect, SubmittedForm, View } from "../../../pages/page.ts";
import { attempted } from "../../../pages/refusals.ts";
import type { Visit } from "../../../pages/visit.ts";
import { removeThing } from "../../operations.ts";
import { kindOf, namingOf } from "../../sections/sections.ts";
import type { StoredThing } from "../../things.ts";
import { listPageOf } from "../feature.ts";
import { save, savedRedirect } from "../save.ts";
import { controlsOf, labelOf } from "./controls.ts";
import { pageOfThing, type Removable, readThing, titleOfThing } from "./target.ts";

/** The form with the button; it asks before anything goes. */
export const removalForm = (visit: Visit, { section }: Removable, { raw }: StoredThing): Markup =>
  html`${
    raw.status !== "omitted" &&
    postForm(visit, {
      buttons: [
        {
          value: "remove",
          text: `${section === "scenes" ? "Omit the scene" : `Remove the ${kindOf(section)}`}…`,
          kind: "danger",
        },
      ],
      style: "row",
    })
  }`;

/** What the lists of a thing contain, which goes with it. */
function removedLists({ section }: Removable, { raw }: StoredThing): Markup {
  const names = [...controlsOf(section).map(({ name }) => name), ...(section === "deliveries" ? ["media"] : [])];
  const lists = names.flatMap((name): Markup[] => {
    const value = raw[name];
    if (!Array.isArray(value) || value.length === 0) return [];
    const texts = value.map((one) => valueText(one?.label ?? one)); // a file by its label
    return [html`<li>${labelOf(section, name)}: ${texts.join(", ")}</li>`];
  });
  if (lists.length === 0) return html`<p>Nothing else goes with it.</p>`;
  return html`<p>With it goes${section === "schedule" && ", so that the scenes are without a day"}:</p>${lines(lists)}`;
}

/** What stays of a scene that is omitted. */
async function remainingParts(visit: Visit, node_id: number): Promise<Markup> {
  const { shoot_days, approvals, assets } = await visit.ask(getSceneBundle, { node_id });
  const days = shoot_days.map((day) => `${dayText(day)}, ${dateText(day.date)}`);
  return html`<p>It keeps its number and is struck out in the script. ${days.length > 0 && `It stays as a struck-out strip on ${days.join(" and ")}, and does not count there.`}
${assets.length > 0 && `${plural(assets.length, "asset")} of it ${assets.length === 1 ? "stays" : "stay"}.`} ${approvals.length > 0 && `${plural(approvals.length, "approval")} about it ${approvals.length === 1 ? "stays" : "stay"} open.`}</p>`;
}

/** What can be done with a thing that has to stay. */
const instead: { readonly [S in Removable["section"]]?: string } = {
  people: "Choose “no” for “Works on the production” to say that the person has left.",
  deliveries: "Mark it as accepted, or edit it.",
  assets: "What refers to it has to be changed first.",
};

/** Handles the form. `thing` is as it is stored. */
export async function submitRemoval(visit: Visit, target: Removable, form: SubmittedForm): Promise<View | Redirect> {
  const { section, id } = target;
  if (id === undefined) throw new HttpError(404, "not found");
  const thing = await readThing(visit, target);
  const called = titleOfThing(section, thing.raw);
  const isScene = section === "scenes";
  const place = pageOfThing(target);
  const omission = { scenes: [{ ...namingOf(section, thing.raw), status: "omitted" }] };
  if (isScene && isSure(form)) return savedRedirect(place, await save(visit, omission));
  const tried = isScene ? undefined : await attempted(visit.ask(removeThing, { section, id, dry_run: !isSure(form) }));
  if (tried !== undefined && "value" in tried && isSure(form))
    return savedRedirect(listPageOf[section], tried.value.change_set);
  const title = `${isScene ? "Omit" : "Remove"} ${called}?`;
  if (tried !== undefined && "problem" in tried)
    return {
      title,
      status: 409,
      body: html`${heading(capitalized(called))}<section class="panel notice bad" role="alert"><h2>It cannot be removed</h2><p>${capitalized(tried.reason ?? tried.problem)}</p><p>${instead[section]}</p>
<p><a href="/edit/${section}/${id}">Back to the form</a></p></section>`,
    };
  const what = isScene ? await remainingParts(visit, id) : removedLists(target, thing);
  const question = { title, what, button: isScene ? "Omit it" : "Remove it", back: place };
  return { title, body: html`${heading(capitalized(called))}${confirmation(visit, form, question)}` };
}
