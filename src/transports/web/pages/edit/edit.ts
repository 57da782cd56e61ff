// /edit/{section} and /edit/{section}/{id}: a form for a new thing of a section, and for a stored one. The forms are derived from the
// sections of documents.
import { adminOf } from "../../../../admin/admin.ts";
import { editableSections } from "../../../../admin/edit.ts";
import type { Raw } from "../../../../document/sections/form.ts";
import { keyOf, kindOf, namingFields, namingOf } from "../../../../document/sections/sections.ts";
import { attempted } from "../../attempt.ts";
import type { SubmittedForm } from "../../form.ts";
import { html } from "../../html.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { capitalized, fieldProblem, heading, timeText } from "../../parts.ts";
import { type Saved, save, savedAddress } from "../../save.ts";
import type { Visit } from "../../visit.ts";
import { controlsOf, type FieldControl, labelOf } from "./controls.ts";
import { fieldPart } from "./fields.ts";
import { filesForm, isOfFiles, submitFiles } from "./files.ts";
import { removalForm, submitRemoval } from "./removal.ts";
import { calledOf, type Editable, listPageOf, pageOfThing, readThing, type Target } from "./target.ts";
import { fieldValue, markOfTexts, sentTexts, type Texts, textsOf } from "./values.ts";

/** What was sent, and why it was not saved. */
interface Tried {
  form: SubmittedForm;
  problem: string;
  status: number;
  refused: ReadonlySet<string>;
}

async function formView(visit: Visit, target: Target, tried?: Tried, fileProblem?: string): Promise<View> {
  const { section, id } = target;
  const thing = await readThing(visit, target);
  const { raw, names } = thing;
  const title = id === undefined ? `New ${kindOf(section)}` : capitalized(calledOf(section, raw));
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
  const body = html`${heading(title)}
<form method="post" class="edit panel">${visit.proof}
${fieldProblem("problem", tried?.problem)}
${parts}
<div class="row"><button>Save</button> <a href="${pageOfThing(target)}">Leave it as it is</a></div>
</form>
${id !== undefined && section === "deliveries" && (await filesForm(visit, id, fileProblem))}
${id !== undefined && removalForm(visit, target, thing)}`;
  return { title, body, status: tried?.status ?? (fileProblem === undefined ? 200 : 422) };
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
  const by = found === undefined ? "" : ` by ${found.actor} at ${timeText(found.at)}`;
  return `${label} was changed meanwhile${by}. Yours is still in the form: save again to replace the other one.`;
}

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
  if (form.text("action") === "remove") return submitRemoval(visit, target, form);
  if (section === "deliveries" && id !== undefined && isOfFiles(form)) {
    const done = await submitFiles(visit, id, form);
    return "problem" in done ? formView(visit, target, undefined, done.problem) : done;
  }
  for (let attempt = 1; ; attempt++) {
    const { raw, revision } = await readThing(visit, target);
    const found = await attempted((async () => changedFields(controlsOf(section), raw, form))());
    if ("problem" in found)
      return formView(visit, target, { form, problem: found.problem, status: 422, refused: new Set() });
    const { changed, conflicts } = found.value;
    if (conflicts.length > 0) {
      const problem = (await Promise.all(conflicts.map((one) => conflictSentence(visit, target, one)))).join(" ");
      return formView(visit, target, {
        form,
        problem,
        status: 409,
        refused: new Set(conflicts.map(({ name }) => name)),
      });
    }
    const place = pageOfThing(target);
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
  const files = section === "deliveries" ? ({ files: true } as const) : {};
  const common = { reach: "edit", section: listPageOf[section], form_limit: 1024 * 1024, ...files } as const;
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
