// What a person looks at before deciding: one or two versions of an asset with the places of the notes on them, the
// notes, and the form that adds one. /assets/{node_id}/compare is that for any two versions.
import { conflict, unprocessable } from "../../../core/errors.ts";
import type { NodeId } from "../../../core/ids.ts";
import { minute } from "../../../core/times.ts";
import { getAsset } from "../../../graph/assets.ts";
import { getAssetBundle } from "../../../graph/bundles.ts";
import { createNote, listNotes } from "../../../graph/notes.ts";
import { getPerson } from "../../../graph/people.ts";
import { timeOf } from "../dates.ts";
import { fieldInput, hiddenFields, postForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { capitalized, emptyState, heading, lines } from "../html_parts.ts";
import { type Pin, type ViewedVersion, viewer } from "../media_view.ts";
import type { SubmittedForm, View } from "../page.ts";
import { refusalOf } from "../refusals.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { mediaOf, newestOf, releasedBefore, type ShownVersion, versionsOf } from "./versions.ts";

type Note = OutputOf<typeof listNotes>[number];

/** The numbers of the notes that have a place, by their ids: those of each version are counted from the oldest on. */
function numbersOf(notes: readonly Note[]): ReadonlyMap<number, number> {
  const placed = notes.filter(({ place }) => place !== null).toReversed();
  return new Map(
    [...Map.groupBy(placed, ({ version_id }) => version_id).values()].flatMap((of) =>
      of.map(({ id }, at) => [id, at + 1] as const),
    ),
  );
}

/** What is known of an asset that is looked at. A vendor sees the note that each released version shows. */
export interface Reviewed {
  node_id: NodeId;
  label: string;
  versions: readonly ShownVersion[];
  notes: readonly Note[];
}

export async function reviewedOf(visit: Visit, node_id: NodeId): Promise<Reviewed> {
  if (visit.isVendor) {
    const { asset, released_versions } = await visit.ask(getAssetBundle, { node_id });
    return { node_id, label: asset.label, versions: released_versions, notes: [] };
  }
  const [{ label }, versions, notes] = await Promise.all([
    visit.ask(getAsset, { node_id }),
    versionsOf(visit, node_id),
    visit.ask(listNotes, { node_id }),
  ]);
  const authorOf = ({ id, note }: ShownVersion) =>
    notes.find(({ version_id, text }) => version_id === id && text === note)?.author;
  return { node_id, label, versions: versions.map((one) => ({ ...one, note_by: authorOf(one) })), notes };
}

/** The pins of a version: of every note, or, for a vendor, of the note that it shows. */
const pinsOf = ({ id, note_place }: ShownVersion, notes: readonly Note[], isVendor: boolean): Pin[] => {
  const numbers = numbersOf(notes);
  if (isVendor) return note_place == null ? [] : [{ number: 1, place: note_place }];
  const ofVersion = notes.filter(({ version_id }) => version_id === id).toReversed();
  return ofVersion.flatMap(({ id: note, place }) => {
    const number = numbers.get(note);
    return number === undefined || place === null ? [] : [{ number, place }];
  });
};

/** Versions side by side. */
export async function versionPictures(
  visit: Visit,
  { versions, notes }: Reviewed,
  shown: readonly ShownVersion[],
  about?: Markup,
): Promise<Markup> {
  const newest = versions.at(-1);
  const viewed = shown.map(async (version): Promise<ViewedVersion> => {
    const [medium] = version.media_id === null ? [] : await mediaOf(visit, [{ id: version.media_id }]);
    const takesPin = visit.mayWrite && !visit.isVendor && version.id === newest?.id;
    return { version, medium, pins: pinsOf(version, notes, visit.isVendor), takesPin, about };
  });
  return viewer(await Promise.all(viewed));
}

const noteItem = (note: Note, number: number | undefined, versions: readonly ShownVersion[]): Markup => {
  const { version_id, text, author, created_at } = note;
  const on = versions.find(({ id }) => id === version_id);
  return html`<li><p>${number !== undefined && html`<span class="chip bad">${number}</span> `}${text}</p><p class="under">${author}${on !== undefined && html` on v${on.version}`}, ${timeOf(created_at)}</p></li>`;
};

const placeField = (name: string, label: string, typed: string): Markup =>
  fieldInput(
    { name, label, hint: "in % of the picture", type: "number", min: 0, max: 100, step: "any" },
    name,
    typed,
    false,
  );

/** The form that adds a note to the newest version, at a place if one is given. */
function noteForm(visit: Visit, { node_id, versions }: Reviewed, from: Readonly<Record<string, number>>): Markup {
  const newest = versions.at(-1);
  const typed = (name: string) => visit.refused?.form.text(name) ?? "";
  const place =
    newest !== undefined &&
    newest.media_id !== null &&
    html`<fieldset class="stack"><legend>At a place on v${newest.version}</legend>
<p class="hint">Click the picture first to pin the note to a place, or write where.</p>
${hiddenFields({ on_version: newest.id })}${placeField("left", "From the left", typed("left"))}${placeField("top", "From the top", typed("top"))}</fieldset>`;
  return postForm(visit, {
    fields: [
      { name: "text", label: "Note", rows: 3, required: true, maxlength: 9000 },
      html`${place}${hiddenFields(from)}`,
    ],
    buttons: [{ value: "note", text: "Add the note" }],
    to: `/assets/${node_id}`,
  });
}

/**
 * The notes on an asset, and the form that adds one. `from`: what brings the browser back to another page than the
 * asset's.
 */
export function notesPanel(visit: Visit, reviewed: Reviewed, from: Readonly<Record<string, number>> = {}): Markup {
  const { notes, versions } = reviewed;
  const numbers = numbersOf(notes);
  const items = notes.map((note) => noteItem(note, numbers.get(note.id), versions));
  const isOpen = refusalOf(visit, { action: "note" }) !== undefined;
  return html`<section><h2>Notes <span class="count">${notes.length}</span></h2>${items.length > 0 && lines(items)}
${visit.mayWrite && html`<details class="fold"${isOpen && html` open`}><summary>Add a note</summary>${noteForm(visit, reviewed, from)}</details>`}</section>`;
}

/** The place that a form names, as fractions; undefined without one. */
function placeIn(form: SubmittedForm): { x: number; y: number } | undefined {
  const [left, top] = [form.optional("left"), form.optional("top")];
  if (left === undefined && top === undefined) return undefined;
  if (left === undefined || top === undefined)
    throw unprocessable("a place needs both: how far from the left, and how far from the top");
  return { x: Number(left) / 100, y: Number(top) / 100 };
}

/** Who sends the same note again within this time has sent one form twice. */
const repeatTime = minute;

/** Whether the newest note is this one, sent a moment ago. */
async function isRepeated(visit: Visit, form: SubmittedForm, node_id: NodeId, author: string): Promise<boolean> {
  const [newest] = await visit.ask(listNotes, { node_id });
  if (newest?.text !== form.text("text") || newest.author !== author) return false;
  return visit.ctx.app.clock() - Date.parse(newest.created_at) < repeatTime;
}

/**
 * Adds a note, signed by the person of the key if it has one. A place is refused if a newer version came since its
 * picture was shown.
 */
export async function addNote(visit: Visit, form: SubmittedForm, node_id: NodeId): Promise<void> {
  if (form.text("text") === "") throw unprocessable("write the note first");
  const place = placeIn(form);
  const newest = place && (await versionsOf(visit, node_id)).at(-1);
  if (newest !== undefined && form.text("on_version") !== String(newest.id))
    throw conflict(`v${newest.version} came since this page was shown: look at it and say the place again`);
  const { person_id } = visit.context.caller;
  const author = person_id === null ? undefined : (await visit.ask(getPerson, { person_id })).name;
  if (await isRepeated(visit, form, node_id, author ?? visit.context.caller.label)) return;
  await visit.ask(createNote, { node_id, text: form.text("text"), ...(author && { author }), ...(place && { place }) });
}

/**
 * The two versions that the address names; by default the newest one and the last released one of its variant, or else
 * the one before it.
 */
function pairIn({ query }: Visit, versions: readonly ShownVersion[]): ShownVersion[] {
  const byNumber = (name: string) => versions.find(({ version }) => String(version) === query.get(name));
  const right = byNumber("right") ?? newestOf(versions) ?? versions.at(-1);
  const left =
    byNumber("left") ?? (right && (releasedBefore(right, versions) ?? versions[versions.indexOf(right) - 1]));
  return [left, right].filter((one) => one !== undefined);
}

export async function showCompare(visit: Visit): Promise<View> {
  const node_id = visit.id("node_id");
  const reviewed = await reviewedOf(visit, node_id);
  const { label, versions } = reviewed;
  const pair = pairIn(visit, versions);
  const choices = versions.map(({ version, variant }) => [String(version), `v${version} ${variant}`] as const);
  const body = html`${heading(label, html`<a href="/assets/${node_id}">All of it</a>`)}
<form class="filters" method="get" action="${visit.ctx.path}">${(["left", "right"] as const).map((name) => html`<div class="stack">${fieldInput({ name, label: capitalized(name), choices }, `compare-${name}`, String(pair.at(name === "left" ? 0 : -1)?.version), false)}</div>`)}<button>Show</button></form>
${pair.length === 0 ? emptyState("There is no version yet.") : await versionPictures(visit, reviewed, pair)}
${!visit.isVendor && notesPanel(visit, reviewed)}`;
  return { title: `${label}, compared`, body };
}
