// /edit/{section} and /edit/{section}/{id}: a form for a new thing of a section, and for a stored one. The forms are derived from the
// sections of documents.
import { adminOf } from "../../../../admin/admin.ts";
import { editableSections } from "../../../../admin/edit.ts";
import type { StoredThing } from "../../../../admin/things.ts";
import type { Raw } from "../../../../document/sections/form.ts";
import { keyOf, kindOf, namingFields, namingOf, sections } from "../../../../document/sections/sections.ts";
import type { SubmittedForm } from "../../form.ts";
import { html } from "../../html.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { capitalized, fieldProblem, heading, timeOf } from "../../parts.ts";
import { type Saved, save, savedAddress } from "../../save.ts";
import type { Visit } from "../../visit.ts";
import { controlsOf, type FieldControl, labelOf } from "./controls.ts";
import { fieldPart } from "./fields.ts";
import { fieldValue, markOfTexts, sentTexts, type Texts, textsOf } from "./values.ts";

type Editable = (typeof editableSections)[number];

/** The page on which a thing is seen. */
const placeOf: { readonly [S in Editable]: (id: number) => string } = {
  scenes: (id) => `/scenes/${id}`,
  assets: (id) => `/assets/${id}`,
  schedule: (id) => `/days/${id}`,
  deliveries: (id) => `/deliveries/${id}`,
  approvals: (id) => `/approvals?status=all#approval-${id}`,
  people: () => "/people",
  departments: () => "/people",
  episodes: () => "/scenes",
  department_notes: () => "/",
};
const listOf: { readonly [S in Editable]: string } = {
  ...{
    scenes: "/scenes",
    assets: "/assets",
    schedule: "/schedule",
    deliveries: "/deliveries",
    approvals: "/approvals",
  },
  ...{ people: "/people", departments: "/people", episodes: "/scenes", department_notes: "/" },
};

/** The entry of the navigation under which a section is. */
const entryOf = (section: Editable): string => (listOf[section] === "/people" ? "/people" : listOf[section]);

interface Target {
  section: Editable;
  /** Undefined if the thing is new. */
  id: number | undefined;
}

/** What was sent, and why it was not saved. */
interface Tried {
  form: SubmittedForm;
  problem: string;
  status: number;
  refused: ReadonlySet<string>;
}

async function readThing(visit: Visit, { section, id }: Target): Promise<StoredThing> {
  const { storedThing } = await import("../../../../admin/things.ts"); // it reads documents, which other pages do not need
  return storedThing(adminOf(visit.context), section, id);
}

async function formView(visit: Visit, target: Target, tried?: Tried): Promise<View> {
  const { section, id } = target;
  const thing = await readThing(visit, target);
  const { raw, names } = thing;
  const name = keyOf(section, raw);
  const title = id === undefined ? `New ${kindOf(section)}` : `${capitalized(sections[section].called[0])} ${name}`;
  const context = { names, refused: tried?.refused ?? new Set<string>() };
  const isUsable = ({ name, control }: FieldControl) =>
    control.kind !== "reference" || raw[name] !== undefined || names(control.noun).length > 0;
  const parts = controlsOf(section)
    .filter(isUsable)
    .map((field) => {
      const stored = textsOf(field, raw[field.name]);
      const texts: Texts = tried === undefined ? given(visit, stored) : sentTexts(field, stored, tried.form);
      return html`<input type="hidden" name="was:${field.name}" value="${markOfTexts(stored)}">${fieldPart(field, texts, raw[field.name], context)}`;
    });
  const back = id === undefined ? listOf[section] : placeOf[section](id);
  const body = html`${heading(title)}
<form method="post" class="edit panel">${visit.proof}
${fieldProblem("problem", tried?.problem)}
${parts}
<div class="row"><button>Save</button> <a href="${back}">Leave it as it is</a></div>
</form>`;
  return { title, body, status: tried?.status ?? 200 };
}

/** The texts that the address gives for an empty form, such as the scene of a new note. */
const given = ({ query }: Visit, stored: Texts): Texts =>
  Object.fromEntries(Object.entries(stored).map(([name, text]) => [name, text || (query.get(name) ?? "")]));

/** The fields that were changed in the form, and those that somebody else changed since it was shown. */
function changedFields(controls: readonly FieldControl[], raw: Raw, form: SubmittedForm) {
  const changed: Raw = {};
  const conflicts: FieldControl[] = [];
  for (const field of controls) {
    const stored = textsOf(field, raw[field.name]);
    const sent = sentTexts(field, stored, form);
    const [was, now, next] = [form.text(`was:${field.name}`), markOfTexts(stored), markOfTexts(sent)];
    if (was === "") continue; // the form did not have the field
    if (next === was || next === now) continue;
    if (was !== now) conflicts.push(field);
    else changed[field.name] = fieldValue(field, sent, raw[field.name]);
  }
  return { changed, conflicts };
}

/** Says who changed a field since the form was shown. */
async function conflictSentence(visit: Visit, { section, id }: Target, { name, label }: FieldControl): Promise<string> {
  const { lastChange } = await import("../../../../admin/things.ts");
  const found = id === undefined ? undefined : lastChange(adminOf(visit.context), section, id, name);
  const by = found === undefined ? "" : ` by ${found.actor} at ${plainTime(found.at)}`;
  return `${label} was changed meanwhile${by}. Yours is still in the form: save again to replace the other one.`;
}

const plainTime = (at: string): string => timeOf(at).text.replace(/<[^>]*>/g, "");

/** The sentence of a refusal, with the labels of the form for the fields, and the fields that it names. */
function refusalOf({ problem, problems, status }: Extract<Saved, { problem: string }>, form: SubmittedForm): Tried {
  const refused = new Set<string>();
  const sentences = problems.map(({ place, message }) => {
    const [, name] = /^\w+\[\d+\]\.(\w+)/.exec(place ?? "") ?? [];
    if (name === undefined) return capitalized(message);
    refused.add(name);
    return `${labelOf(name)} ${message}`;
  });
  return { form, status, refused, problem: sentences.length > 0 ? `${sentences.join(". ")}.` : problem };
}

/** How often a save is tried again, because something else of the production has changed meanwhile. */
const tries = 3;

async function submitThing(visit: Visit, target: Target, form: SubmittedForm): Promise<View | Redirect> {
  const { section, id } = target;
  for (let attempt = 1; ; attempt++) {
    const { raw, revision } = await readThing(visit, target);
    const { changed, conflicts } = changedFields(controlsOf(section), raw, form);
    if (conflicts.length > 0) {
      const problem = (await Promise.all(conflicts.map((one) => conflictSentence(visit, target, one)))).join(" ");
      return formView(visit, target, {
        form,
        problem,
        status: 409,
        refused: new Set(conflicts.map(({ name }) => name)),
      });
    }
    const place = id === undefined ? listOf[section] : placeOf[section](id);
    if (Object.keys(changed).length === 0) return { location: place };
    const renames = id !== undefined && namingFields(section, raw).some((name) => name in changed);
    const former = section === "schedule" ? raw.day_number : keyOf(section, raw);
    const item = { ...(id !== undefined && namingOf(section, raw)), ...changed, ...(renames && { was: former }) };
    const saved = await save(visit, { [section]: [item] }, revision);
    if (!("problem" in saved)) return { location: savedAddress(place, saved.change_set) };
    const isStale = saved.status === 409 && attempt < tries;
    if (!isStale) return formView(visit, target, refusalOf(saved, form));
  }
}

const pagesOf = (section: Editable): WebPage[] => {
  const common = { reach: "edit", section: entryOf(section), form_limit: 1024 * 1024 } as const;
  const target = (visit: Visit): Target => ({
    section,
    id: visit.params.id === undefined ? undefined : visit.id("id"),
  });
  return ["", "/:id"].map((end) => ({
    ...common,
    path: `/edit/${section}${end}`,
    show: (visit) => formView(visit, target(visit)),
    submit: (visit, form) => submitThing(visit, target(visit), form),
  }));
};

export const editPages: readonly WebPage[] = editableSections.flatMap(pagesOf);
