// The rows of a form that grants: what a vendor may do, and on what, by name. An exact name suffices; one that several
// things have is asked about.
import type { DeliveryId, NodeId } from "../../../core/ids.ts";
import { sameName } from "../../../core/wording.ts";
import { listAssets } from "../../../graph/assets.ts";
import { listDeliveries } from "../../../graph/deliveries.ts";
import { listDepartments } from "../../../graph/departments.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { grantVerbs } from "../../../graph/values.ts";
import { html, type Markup } from "../../pages/html.ts";
import { options } from "../../pages/html_parts.ts";
import type { FormFields, SubmittedForm } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import { sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import type { Verb, WantedGrant } from "../vendor_setup.ts";

export const verbWords = {
  read: "see",
  submit: "send in work on",
  "read:own_po": "see own orders of",
} as const satisfies Record<Verb, string>;

type TargetId = { node_id: NodeId } | { department_id: number } | { delivery_id: DeliveryId };

/** What can be granted: the text that a list offers, whose end names it for the server, and the names that it has. */
export interface Target {
  text: string;
  names: readonly string[];
}

export async function targetsOf(visit: Visit): Promise<Target[]> {
  const [scenes, assets, departments, deliveries] = await Promise.all([
    visit.ask(listScenes, {}),
    visit.ask(listAssets, {}),
    visit.ask(listDepartments, {}),
    visit.ask(listDeliveries, {}),
  ]);
  return [
    ...deliveries.map(({ id, title }) => ({ text: `${title} (delivery ${id})`, names: [title] })),
    ...departments.map(({ id, name, slug }) => ({ text: `${name} (department ${id})`, names: [name, slug] })),
    ...scenes.map((scene) => {
      const { node_id, slugline } = scene;
      const number = sceneNumber(scene);
      const names = [number, `scene ${number}`, slugline, `${number} ${slugline}`];
      return { text: `${number} ${slugline} (scene ${node_id})`, names };
    }),
    ...assets.map(({ node_id, label, kind }) => ({ text: `${label}, ${kind} (asset ${node_id})`, names: [label] })),
  ];
}

type TargetKind = "node" | "department" | "delivery";

/** The target of a grant, by the field of its kind. */
export function targetId(kind: TargetKind, id: number): TargetId {
  if (kind === "node") return { node_id: id };
  return kind === "department" ? { department_id: id } : { delivery_id: id };
}

const idIn = (text: string): TargetId | undefined => {
  const [, kind, digits] = /\((scene|asset|department|delivery) (\d{1,16})\)$/.exec(text) ?? [];
  if (kind === undefined) return undefined;
  return targetId(kind === "department" || kind === "delivery" ? kind : "node", Number(digits));
};

/** The things that have a text as their whole name. */
function called(text: string, targets: readonly Target[]): Target[] {
  const wanted = sameName(text);
  return targets.filter(({ names }) => names.some((name) => sameName(name) === wanted));
}

/** The rows of a form as they were sent, also empty ones. */
const rowsIn = (form: FormFields): { verb: string; target: string }[] => {
  const verbs = form.texts("verb");
  return form.texts("target").map((target, at) => ({ verb: verbs[at] ?? "read", target }));
};

/** What a text names. Throws FormRefusal if nothing or several things have the name. */
function targetIn(text: string, targets: readonly Target[]): TargetId {
  const refused = (problem: string) => new FormRefusal(422, problem, ["target"]);
  const chosen = idIn(text);
  if (chosen !== undefined) return chosen;
  const [only, ...others] = called(text, targets);
  const found = only && idIn(only.text);
  if (found === undefined)
    throw refused(
      `Choose what they may see from the list of names, which now has those with these words: nothing is called “${text}”.`,
    );
  if (others.length > 0) throw refused(`What is the name of several things: choose which “${text}” is meant.`);
  return found;
}

/**
 * What the filled rows of a form grant, until its `expires`. Throws FormRefusal if a row is not understood, or if none
 * is filled and one has to be.
 */
export async function grantsIn(visit: Visit, form: SubmittedForm, isNeeded = true): Promise<WantedGrant[]> {
  const rows = rowsIn(form).filter(({ target }) => target !== "");
  if (rows.length === 0 && isNeeded)
    throw new FormRefusal(422, "What is missing: write the name of a scene, an asset, a department or a delivery.", [
      "target",
    ]);
  const targets = rows.length === 0 ? [] : await targetsOf(visit);
  const expires = form.optional("expires");
  return rows.map(({ verb, target }) => ({
    verb: grantVerbs.find((known) => known === verb) ?? "read",
    ...targetIn(target, targets),
    ...(expires && { expires }),
  }));
}

/** How many names a list offers at once. */
const maxTargets = 200;

/** The names that the rows offer: those with the words that were not understood, if there are any. */
export function targetList(targets: readonly Target[], form: FormFields | undefined): Markup {
  const wanted = sameName(form?.texts("target").findLast((text) => text !== "") ?? "");
  // a long list is found by a part of a name
  const fitting = targets.filter(({ text }) => sameName(text).includes(wanted));
  return html`<datalist id="targets">${(fitting.length > 0 ? fitting : targets)
    .slice(0, maxTargets)
    .map(({ text }) => html`<option value="${text}"></option>`)}</datalist>`;
}

/** One row. A name that several things have becomes the choice between them. */
function grantRow(at: number, verb: string, target: string, targets: readonly Target[]): Markup {
  const several = target === "" || idIn(target) !== undefined ? [] : called(target, targets);
  const name = html` name="target" aria-label="What, row ${at}"`;
  const choices = several.map(({ text }) => [text, text] as const);
  return html`<div class="row"><select name="verb" aria-label="They may, row ${at}">${options(Object.entries(verbWords), verb)}</select>
${several.length > 1 ? html`<select${name}>${options([["", `which ${target}?`], ...choices])}</select>` : html`<input${name} list="targets" placeholder="a name, or a part of it" autocomplete="off" spellcheck="false" value="${target}">`}</div>`;
}

/** The rows of a form, with what was sent if it is refused, and at least `least` of them. */
export function grantRows(
  targets: readonly Target[],
  form: FormFields | undefined,
  least: number,
  legend = "They may",
): Markup {
  const sent = form === undefined ? [] : rowsIn(form);
  const filled = sent.findLastIndex(({ target }) => target !== "") + 1;
  const rows = Array.from({ length: Math.max(least, filled + 1) }, (_, at) => sent[at] ?? { verb: "read", target: "" });
  return html`<fieldset class="stack"><legend>${legend} <span class="under">a scene, an asset, a department or a delivery by its name</span></legend>${rows.map(({ verb, target }, at) => grantRow(at + 1, verb, target, targets))}</fieldset>`;
}
