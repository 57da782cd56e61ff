// /edit/{section} and /edit/{section}/{id}: a form for a new thing of a section, and for a stored one. The forms are
// derived from the sections of documents.
import { conflict, forbidden, HttpError } from "../../../../core/errors.ts";
import { compareNames, cut, firstOf } from "../../../../core/wording.ts";
import { adminOf } from "../../../../graph/admin.ts";
import { getDelivery } from "../../../../graph/deliveries.ts";
import type { Noun } from "../../../names/name_rules.ts";
import { timeText } from "../../../pages/dates.ts";
import { confirmation, hiddenFields, isSure, postForm, uploadForm, withFiles } from "../../../pages/form_parts.ts";
import { html, type Markup } from "../../../pages/html.ts";
import { actionLine, capitalized, fieldProblem, heading, lines, panel, sizeText } from "../../../pages/html_parts.ts";
import type { FormFields, Redirect, SubmittedForm, View } from "../../../pages/page.ts";
import { FormRefusal } from "../../../pages/refusals.ts";
import type { Visit } from "../../../pages/visit.ts";
import { changeFiles } from "../../operations.ts";
import type { Raw } from "../../sections/form.ts";
import { hasMoney, keyOf, kindOf, namingFields, namingOf } from "../../sections/sections.ts";
import type { StoredThing } from "../../things.ts";
import { saveAnew, savedRedirect } from "../save.ts";
import { controlsOf, type FieldControl, labelOf, labelOfPart } from "./controls.ts";
import { fieldPart } from "./fields.ts";
import { isSameText, type Merged, markText, mergedTexts } from "./merging.ts";
import { removalForm, submitRemoval } from "./removal.ts";
import { type Editable, pageOfThing, readThing, type Target, titleOfThing } from "./target.ts";
import { fieldValue, submittedTexts, type Texts, textsOf } from "./values.ts";

/** What the address says. Throws 403 for what has money, if the visitor may not see any. */
function targetOf(visit: Visit): Target {
  const { ctx, params } = visit;
  const section = ctx.path.split("/")[2] as Editable; // there are pages only of these sections
  if (hasMoney(section) && !visit.holds("read:money")) throw forbidden("key does not have the `read:money` scope");
  return { section, id: params.id === undefined ? undefined : Number(params.id) };
}

/** What has an order of its own. */
const ordered = new Set<Noun>(["scene", "episode"]);

/** The names of things as menus have them: scenes and episodes in their own order, others as readers expect. */
function namesByName({ names }: Pick<StoredThing, "names">): StoredThing["names"] {
  const known = new Map<Noun, string[]>();
  return (noun) => {
    const found = known.get(noun) ?? (ordered.has(noun) ? names(noun) : names(noun).toSorted(compareNames));
    known.set(noun, found);
    return found;
  };
}

export async function showThing(visit: Visit): Promise<View> {
  const target = targetOf(visit);
  const { section, id } = target;
  const tried = visit.refused && isOfFiles(visit.refused.form) ? undefined : visit.refused;
  const thing = await readThing(visit, target);
  const { raw } = thing;
  const names = namesByName(thing);
  const title = id === undefined ? `New ${kindOf(section)}` : capitalized(titleOfThing(section, raw));
  const merged = mergedFields(section, raw, tried?.form);
  const conflicts = [...merged.values()].flatMap((one) => one.conflicts);
  const context = { names, refused: new Set([...(tried?.fields ?? []), ...conflicts]) };
  const isUsable = ({ name, control }: FieldControl) =>
    control.kind !== "reference" || raw[name] !== undefined || names(control.noun).length > 0;
  const parts = await visit.each(controlsOf(section).filter(isUsable), (field) => {
    const stored = textsOf(field, raw[field.name]);
    const { texts = given(visit, stored) } = merged.get(field.name) ?? {};
    return html`<input type="hidden" name="was:${field.name}" value="${markText(field.name, stored)}">${fieldPart(field, texts, raw[field.name], context)}`;
  });
  const kept = new Set(tried === undefined ? [] : othersIn(tried.form));
  for (const [name, { isOthers }] of merged) if (isOthers) kept.add(name);
  const others = await othersPart(visit, target, raw, merged);
  const body = html`${heading(title)}
<form method="post" class="grid half panel">${visit.proof}
${fieldProblem("problem", tried?.problem)}
${others}${kept.size > 0 && hiddenFields({ others: [...kept].join(" ") })}
${parts}
<div class="row whole"><button>Save</button> <a href="${pageOfThing(target)}">Leave it as it is</a></div>
</form>
${id !== undefined && section === "deliveries" && (await filesForm(visit, id))}
${id !== undefined && section !== "purchase_orders" && removalForm(visit, { section, id }, thing)}`;
  return { title, body, ...(tried !== undefined && { status: tried.status }) };
}

/** The texts that the address gives for an empty form, such as the scene of a new note. */
const given = ({ query }: Visit, stored: Texts): Texts =>
  Object.fromEntries(Object.entries(stored).map(([name, text]) => [name, text || (query.get(name) ?? "")]));

/** What a form has sent for a field, merged with what is stored. */
function mergedIn(field: FieldControl, raw: Raw, form: FormFields): Merged {
  const stored = textsOf(field, raw[field.name]);
  return mergedTexts(field, form.text(`was:${field.name}`), submittedTexts(field, stored, form), stored);
}

/** The same for each field by its name; nothing without a form. */
const mergedFields = (section: Editable, raw: Raw, form: FormFields | undefined): ReadonlyMap<string, Merged> =>
  new Map(form === undefined ? [] : controlsOf(section).map((field) => [field.name, mergedIn(field, raw, form)]));

/** What a field of the form is called by the name of its text: "Calls 2, time". */
function labelOfText(field: FieldControl, key: string): string {
  const { name, label, control } = field;
  if (key === name) return label;
  const [first = "", ...rest] = key.slice(name.length + 1).split(".");
  if (control.kind === "record") return labelOfPart(field, [first, ...rest].join("."));
  return `${label} ${Number(first) + 1}, ${labelOfPart(field, rest.join(".")).toLowerCase()}`;
}

/** Who changed a field since the form was shown, as the end of a sentence. */
async function byWhom(visit: Visit, { section, id }: Target, name: string): Promise<string> {
  const { lastChange } = await import("../../recording.ts");
  const found = id === undefined ? undefined : await lastChange(adminOf(visit.context), section, id, name);
  return found === undefined ? "" : ` by ${found.actor} at ${timeText(found.at)}`;
}

/**
 * Says what others changed since a form that was refused was shown, and what is there now where the form has something
 * else.
 */
async function othersPart(
  visit: Visit,
  target: Target,
  raw: Raw,
  merged: ReadonlyMap<string, Merged>,
): Promise<Markup | false> {
  const items: Markup[] = [];
  for (const field of controlsOf(target.section)) {
    const { conflicts = [], isOthers = false } = merged.get(field.name) ?? {};
    if (!isOthers) continue;
    const stored = textsOf(field, raw[field.name]);
    const by = await byWhom(visit, target, field.name);
    const now = conflicts.map((key) => {
      const text = stored[key] ?? "";
      return ` ${labelOfText(field, key)} is ${text === "" ? "empty" : `“${cut(text)}”`} now.`;
    });
    items.push(html`${field.label} was changed${by}.${now.join("")}`);
  }
  return (
    items.length > 0 &&
    html`<div class="whole" role="status"><p>What others changed meanwhile stays:</p>${lines(items.map((item) => html`<li>${item}</li>`))}</div>`
  );
}

/** The fields that others changed before a refusal of the form. */
const othersIn = (form: FormFields): string[] => form.text("others").split(" ");

/**
 * The fields that were changed in the form, and what of them somebody else changed since it was shown. `kept`: what
 * somebody else changed, now or before a refusal of the form; it is said, so that it does not follow what is changed,
 * as parts of a heading do.
 */
function changedFields(controls: readonly FieldControl[], raw: Raw, form: FormFields) {
  const changed: Raw = {};
  const conflicts: { field: FieldControl; keys: readonly string[] }[] = [];
  const kept: Raw = {};
  const said = othersIn(form);
  for (const field of controls) {
    const { name } = field;
    const { texts, conflicts: keys, isOthers } = mergedIn(field, raw, form);
    if (keys.length > 0) conflicts.push({ field, keys });
    else if (!isSameText(texts, textsOf(field, raw[name]))) changed[name] = fieldValue(field, texts, raw[name]);
    else if ((isOthers || said.includes(name)) && raw[name] !== undefined) kept[name] = raw[name];
  }
  return { changed, kept, conflicts };
}

/** Says who changed a field since the form was shown. */
async function conflictSentence(
  visit: Visit,
  target: Target,
  field: FieldControl,
  keys: readonly string[],
): Promise<string> {
  const what = firstOf(keys.map((key) => labelOfText(field, key)));
  const by = await byWhom(visit, target, field.name);
  return `${what} was changed meanwhile${by}. Yours is still in the form: save again to replace the other one.`;
}

/** A refused save in the labels of the form, with the fields that it names. Other errors stay. */
function inLabels(section: Editable, error: unknown): unknown {
  if (!(error instanceof HttpError) || !error.problems?.length) return error;
  const named = error.problems.map(
    ({ place, message }) => [/^\w+\[\d+\]\.(\w+)/.exec(place ?? "")?.[1], message] as const,
  );
  const sentences = named.map(([name, text]) =>
    name === undefined ? capitalized(text) : `${labelOf(section, name)} ${text}`,
  );
  const fields = named.flatMap(([name]) => name ?? []);
  return new FormRefusal(error.status, `${sentences.join(". ")}.`, fields);
}

export async function submitThing(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const target = targetOf(visit);
  const { section, id } = target;
  if (form.text("action") === "remove" && section !== "purchase_orders")
    return submitRemoval(visit, { section, id }, form);
  if (section === "deliveries" && id !== undefined && isOfFiles(form)) return submitFiles(visit, id, form);
  const saved = saveAnew(visit, async () => {
    const { raw } = await readThing(visit, target);
    const { changed, kept, conflicts } = changedFields(controlsOf(section), raw, form);
    if (conflicts.length > 0) {
      const sentences = await Promise.all(
        conflicts.map(({ field, keys }) => conflictSentence(visit, target, field, keys)),
      );
      throw new FormRefusal(409, sentences.join(" "));
    }
    const renames = id !== undefined && namingFields(section, raw).some((name) => name in changed);
    const item = {
      ...kept,
      ...(id !== undefined && namingOf(section, raw)),
      ...changed,
      ...(renames && { was: keyOf(section, raw) }),
    };
    // An empty form of a new thing is refused with what is missing.
    const document = Object.keys(changed).length === 0 && id !== undefined ? {} : { [section]: [item] };
    return { document, address: pageOfThing(target), ...(id === undefined && { added: titleOfThing(section, item) }) };
  });
  return saved.catch((error: unknown) => {
    throw inLabels(section, error);
  });
}

/** Whether a form of the page is one of the files. */
const isOfFiles = (form: FormFields): boolean => /^(?:add|drop)-files$/.test(form.text("action"));

async function filesForm(visit: Visit, delivery_id: number): Promise<Markup> {
  const { media } = await visit.ask(getDelivery, { delivery_id });
  const item = ({ id, label, size }: (typeof media)[number]) =>
    actionLine(
      html`<a href="/files/${id}">${label}</a> <span class="count">${sizeText(size)}</span>`,
      postForm(visit, {
        hidden: { media_id: id },
        buttons: [{ value: "drop-files", text: "Remove", kind: "quiet", about: `Remove ${label}` }],
      }),
    );
  const { refused } = visit;
  const add = uploadForm(visit, {
    id: "add",
    label: "Add files",
    button: "Add the files",
    kind: "quiet",
    multiple: true,
    hidden: { action: "add-files" },
    refused: refused && isOfFiles(refused.form) ? refused : undefined,
  });
  const list = media.length > 0 && lines(await visit.each(media, item));
  return html`<div id="files-of">${panel("Files", html`${list}${add}`, media.length)}</div>`;
}

/** Handles a form of the files. */
async function submitFiles(visit: Visit, delivery_id: number, form: SubmittedForm): Promise<View | Redirect> {
  const place = `/deliveries/${delivery_id}`;
  const { title, media } = await visit.ask(getDelivery, { delivery_id });
  const at = media.findIndex(({ id }) => String(id) === form.text("media_id"));
  const isRemoval = form.text("action") === "drop-files";
  if (isRemoval && at < 0) throw conflict("this file is not there any more");
  if (isRemoval && !isSure(form)) {
    const what = html`<p>It goes from the delivery “${title}”. The undo brings it back with its bytes.</p>`;
    const question = { title: `Remove ${media[at]?.label}?`, what, button: "Remove it", back: place };
    return { title: question.title, body: html`${heading(title)}${confirmation(visit, form, question)}` };
  }
  const { change_set } = await withFiles(visit, form, (files) =>
    visit.ask(changeFiles, {
      delivery_id,
      files: [...files],
      ...(isRemoval && { removed: Number(form.text("media_id")) }),
    }),
  );
  return savedRedirect(place, change_set);
}
