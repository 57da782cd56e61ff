// /assets/{node_id}: one asset: its versions by variant, the notes, where it is used, its materials, and the forms that add to it.

import { type HttpError, unprocessable } from "../../../core/errors.ts";
import type { NodeId } from "../../../core/ids.ts";
import { createVersion, getAsset } from "../../../graph/assets.ts";
import { getAssetBundle } from "../../../graph/bundles.ts";
import { createNote, listNotes } from "../../../graph/notes.ts";
import { getPerson } from "../../../graph/people.ts";
import { getScene } from "../../../graph/scenes.ts";
import { timeOf } from "../dates.ts";
import { postForm, uploadForm, withFiles } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, heading, lines, listPanel, panel, still, wordOf } from "../html_parts.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { editLink, placeFiller } from "../page_places.ts";
import { listMaterials } from "../version_ingredients.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { type ShownVersion, versionsOf } from "./approvals.ts";
import { versionTile } from "./assets.ts";

type Note = OutputOf<typeof listNotes>[number];

/** The versions, newest first, under the headings of their variants. */
async function versionsPart(visit: Visit, versions: readonly ShownVersion[], kind: string): Promise<Markup> {
  if (versions.length === 0) return emptyState("There is no version yet.");
  const buttons = visit.mayEdit ? await placeFiller("version_buttons") : undefined;
  const groups = [...Map.groupBy(versions.toReversed(), ({ variant }) => variant)];
  return html`${groups.map(
    ([variant, of]) => html`${groups.length > 1 && html`<h3>${variant} <span class="count">${of.length}</span></h3>`}
<ul class="grid large">${of.map((version) => versionTile(version, kind, buttons?.(visit, version)))}</ul>`,
  )}`;
}

const noteItem = ({ version_id, text, author, created_at }: Note, versions: readonly ShownVersion[]): Markup => {
  const on = versions.find(({ id }) => id === version_id);
  return html`<li><p class="note">${text}</p><p class="under">${author}, ${timeOf(created_at)}${on !== undefined && html`, on v${on.version}`}</p></li>`;
};

const noteForm = (visit: Visit): Markup =>
  postForm(visit, {
    fields: [{ name: "text", label: "Add a note", rows: 3, required: true, maxlength: 9000 }],
    buttons: [{ value: "note", text: "Add the note" }],
  });

const versionForm = (visit: Visit): Markup =>
  panel(
    "Add a version",
    uploadForm(visit, {
      id: "version",
      label: "A still or another file",
      button: "Add the version",
      multiple: false,
      hidden: { action: "version" },
      fields: [
        { name: "variant", label: "Variant", maxlength: 200, value: "On-Set" },
        { name: "note", label: "Note", rows: 2, maxlength: 10_000 },
      ],
    }),
  );

/** A scene that uses an asset. */
export const sceneItem = ({
  node_id,
  number,
  slugline,
  status,
}: {
  node_id: NodeId;
  number: string;
  slugline: string;
  status?: string;
}): Markup =>
  html`<li><a href="/scenes/${node_id}">${number} ${slugline}</a>${status === "omitted" && html` ${chip(status)}`}</li>`;

type Material = OutputOf<typeof listMaterials>[number];

const materialTile = ({ kind, label, media_id }: Material): Markup =>
  html`<li>${still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind)}<span class="label">${label}</span><span class="under">${kind}</span></li>`;

async function productionView(visit: Visit): Promise<View | Redirect> {
  const node_id = visit.id("node_id");
  const asset = await visit.ask(getAsset, { node_id }).catch(async (error: HttpError) => {
    if (error.status !== 404) throw error;
    await visit.ask(getScene, { node_id }); // throws 404 as well if it is nothing
  });
  if (asset === undefined) return { location: `/scenes/${node_id}` };
  const { label, kind, status, department, updated_at } = asset;
  const [versions, notes, usage, materials] = await Promise.all([
    versionsOf(visit, node_id),
    visit.ask(listNotes, { node_id }),
    (await placeFiller("asset_usage"))?.(visit, node_id),
    visit.ask(listMaterials, { node_id }),
  ]);
  const facts = html`<span>${kind}</span>${department !== null && html`<span>${department} department</span>`}<span>${wordOf(status)}</span><span>changed ${timeOf(updated_at)}</span>${editLink(visit, `/edit/assets/${node_id}`, "Edit")}`;
  const noteList =
    notes.length === 0 ? emptyState("No note yet.") : lines(notes.map((note) => noteItem(note, versions)));
  const body = html`${heading(label, facts)}
<div class="columns"><div class="flow">
<h2>Versions <span class="count">${versions.length}</span></h2>
${await versionsPart(visit, versions, kind)}
${materials.length > 0 && panel("Swatches and other materials", html`<ul class="grid small">${materials.map(materialTile)}</ul>`, materials.length)}
${panel("Notes", html`${noteList}${visit.mayWrite && noteForm(visit)}`, notes.length)}
</div><div class="flow">
${visit.mayWrite && !visit.hasLink && versionForm(visit)}
${usage}
</div></div>`;
  return { title: label, body };
}

/** The asset as a vendor sees it. Throws 404 if it is not reached. */
async function vendorView(visit: Visit): Promise<View> {
  const { asset, scenes, released_versions } = await visit.ask(getAssetBundle, { node_id: visit.id("node_id") });
  const { label, kind, status } = asset;
  const tiles = released_versions.toReversed().map((version) => versionTile(version, kind));
  const body = html`${heading(label, html`<span>${kind}</span><span>${wordOf(status)}</span>`)}
<h2>Released versions <span class="count">${tiles.length}</span></h2>
${tiles.length === 0 ? emptyState("No version of this asset is released yet.") : html`<ul class="grid large">${tiles}</ul>`}
${listPanel(
  "Scenes",
  scenes.map(({ node_id, number, slugline }) => sceneItem({ node_id, number, slugline })),
)}`;
  return { title: label, body };
}

export const showAsset = (visit: Visit): Promise<View | Redirect> =>
  visit.isVendor ? vendorView(visit) : productionView(visit);

/** Adds a note, signed by the person of the key if it has one. */
async function addNote(visit: Visit, form: SubmittedForm, node_id: NodeId): Promise<unknown> {
  if (form.text("text") === "") throw unprocessable("write the note first");
  const { person_id } = visit.context.caller;
  const author = person_id === null ? undefined : (await visit.ask(getPerson, { person_id })).name;
  return visit.send(createNote, form, { node_id, ...(author && { author }) });
}

export async function submitAsset(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const node_id = visit.id("node_id");
  if (form.text("action") !== "version") await addNote(visit, form, node_id);
  else
    await withFiles(visit, form, ([file]) => {
      if (file === undefined) throw unprocessable("choose a file");
      return visit.send(createVersion, form, { node_id, file });
    });
  return { location: `/assets/${node_id}` };
}
