// /assets/{node_id}: one asset: its versions by variant, the notes, where it is used, its materials, and the forms that
// add to it.
import { type HttpError, unprocessable } from "../../../core/errors.ts";
import { listApprovals } from "../../../graph/approvals.ts";
import { getAsset } from "../../../graph/assets.ts";
import { getAssetBundle } from "../../../graph/bundles.ts";
import { createVersion } from "../../../graph/new_versions.ts";
import { getScene } from "../../../graph/scenes.ts";
import { timeOf } from "../dates.ts";
import { uploadForm, withFiles } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { chip, doneNotice, emptyState, heading, listPanel, panel, stateWord, still } from "../html_parts.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { editLink, placeFiller } from "../page_places.ts";
import { sceneNumber } from "../scene_facts.ts";
import { listMaterials } from "../version_ingredients.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { versionTile } from "./assets.ts";
import { addNote, notesPanel, type Reviewed, reviewedOf, versionPictures } from "./review.ts";
import { newestOf, type ShownVersion, withMedia } from "./versions.ts";

/** The versions, newest first, under the headings of their variants. */
async function versionsPart(visit: Visit, all: readonly ShownVersion[], kind: string): Promise<Markup> {
  if (all.length === 0) return emptyState("There is no version yet.");
  const versions = await withMedia(visit, all);
  const buttons = visit.mayEdit ? await placeFiller("version_buttons") : undefined;
  const groups = [...Map.groupBy(versions.toReversed(), ({ variant }) => variant)];
  return html`${groups.map(
    ([variant, of]) => html`${groups.length > 1 && html`<h3>${variant} <span class="count">${of.length}</span></h3>`}
<ul class="grid large">${of.map((version) => versionTile(version, kind, buttons?.(visit, version)))}</ul>`,
  )}`;
}

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

/** The newest version with the places of its notes, and the link to two versions side by side. */
async function newestPart(visit: Visit, reviewed: Reviewed): Promise<Markup> {
  const newest = newestOf(reviewed.versions);
  if (newest === undefined || newest.media_id === null) return html``;
  const compare =
    reviewed.versions.length > 1 && html`<p><a href="/assets/${reviewed.node_id}/compare">Compare two versions</a></p>`;
  return html`${await versionPictures(visit, reviewed, [newest])}${compare}`;
}

type AssetScene = OutputOf<typeof getAssetBundle>["scenes"][number];

/** A scene that uses an asset. */
export const sceneItem = ({ status, ...scene }: AssetScene & { status?: string }): Markup =>
  html`<li><a href="/scenes/${scene.node_id}">${sceneNumber(scene)} ${scene.slugline}</a>${status === "omitted" && html` ${chip(status)}`}</li>`;

type Material = OutputOf<typeof listMaterials>[number];

const materialTile = ({ kind, label, media_id }: Material): Markup =>
  html`<li>${still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind)}<span class="label">${label}</span><span class="under">${kind}</span></li>`;

/** What was just added, and which approvals it answers. */
async function addedNotice(visit: Visit, { node_id, versions }: Reviewed): Promise<Markup | undefined> {
  const added = versions.find(({ id }) => String(id) === visit.query.get("added"));
  if (added === undefined) return undefined;
  const answered = await visit.ask(listApprovals, { node_id, status: "changes_requested" });
  return doneNotice(
    "Added",
    html`<p>v${added.version} ${added.variant} is there.</p>${answered.map(({ id, title }) => html`<p>It answers <a href="/approvals/${id}">${title}</a>, which waits to be decided again.</p>`)}`,
  );
}

async function productionView(visit: Visit): Promise<View | Redirect> {
  const node_id = visit.id("node_id");
  const asset = await visit.ask(getAsset, { node_id }).catch(async (error: HttpError) => {
    if (error.status !== 404) throw error;
    await visit.ask(getScene, { node_id }); // throws 404 as well if it is nothing
  });
  if (asset === undefined) return { location: `/scenes/${node_id}` };
  const { label, kind, status, department, updated_at } = asset;
  const [reviewed, usage, materials] = await Promise.all([
    reviewedOf(visit, node_id),
    (await placeFiller("asset_usage"))?.(visit, node_id),
    visit.ask(listMaterials, { node_id }),
  ]);
  const { versions } = reviewed;
  const facts = html`<span>${kind}</span>${department !== null && html`<span>${department} department</span>`}<span>${stateWord(status)}</span><span>changed ${timeOf(updated_at)}</span>${editLink(visit, `/edit/assets/${node_id}`, "Edit")}`;
  const body = html`${heading(label, facts)}
${await addedNotice(visit, reviewed)}
<div class="columns"><div class="flow">
${await newestPart(visit, reviewed)}
${notesPanel(visit, reviewed)}
<h2>Versions <span class="count">${versions.length}</span></h2>
${await versionsPart(visit, versions, kind)}
${materials.length > 0 && panel("Swatches and other materials", html`<ul class="grid small">${materials.map(materialTile)}</ul>`, materials.length)}
</div><div class="flow">
${visit.mayWrite && !visit.hasLink && versionForm(visit)}
${usage}
</div></div>`;
  return { title: label, body };
}

/** The asset as a vendor sees it. Throws 404 if it is not reached. */
async function vendorView(visit: Visit): Promise<View> {
  const node_id = visit.id("node_id");
  const { asset, scenes, released_versions } = await visit.ask(getAssetBundle, { node_id });
  const { label, kind, status } = asset;
  const tiles = (await withMedia(visit, released_versions)).toReversed().map((version) => versionTile(version, kind));
  const body = html`${heading(label, html`<span>${kind}</span><span>${stateWord(status)}</span>`)}
${await newestPart(visit, { node_id, label, versions: released_versions, notes: [] })}
<h2>Released versions <span class="count">${tiles.length}</span></h2>
${tiles.length === 0 ? emptyState("No version of this asset is released yet.") : html`<ul class="grid large">${tiles}</ul>`}
${listPanel(
  "Scenes",
  scenes.map((scene) => sceneItem(scene)),
)}`;
  return { title: label, body };
}

export const showAsset = (visit: Visit): Promise<View | Redirect> =>
  visit.isVendor ? vendorView(visit) : productionView(visit);

export async function submitAsset(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const node_id = visit.id("node_id");
  if (form.text("action") === "version")
    return withFiles(visit, form, async ([file]) => {
      if (file === undefined) throw unprocessable("choose a file");
      const { id } = await visit.send(createVersion, form, { node_id, file });
      return { location: `/assets/${node_id}?added=${id}` };
    });
  await addNote(visit, form, node_id);
  const approval = Number(form.text("approval"));
  return { location: approval > 0 ? `/approvals/${approval}` : `/assets/${node_id}` };
}
