// /assets/{node_id}: one asset: a version in large and all of them, what it waits for, where it is used, the notes, its
// materials, and the forms that add to it.
import { type HttpError, unprocessable } from "../../../core/errors.ts";
import { listApprovals } from "../../../graph/approvals.ts";
import { getAsset } from "../../../graph/assets.ts";
import { getAssetBundle } from "../../../graph/bundles.ts";
import { createVersion } from "../../../graph/new_versions.ts";
import { getScene } from "../../../graph/scenes.ts";
import { byDue, lateText, timeOf, timeText } from "../dates.ts";
import { uploadForm, withFiles } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import {
  capitalized,
  chip,
  doneNotice,
  emptyState,
  heading,
  listPanel,
  menu,
  stateWord,
  still,
  versionChip,
} from "../html_parts.ts";
import { withFacts } from "../known_media.ts";
import { addressWith, windowOf } from "../list_windows.ts";
import { typeWords } from "../media_words.ts";
import type { Redirect, SubmittedForm, View } from "../page.ts";
import { editButton, placeFiller } from "../page_places.ts";
import { refusalOf } from "../refusals.ts";
import { sceneNumber } from "../scene_facts.ts";
import { listMaterials } from "../version_ingredients.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { approvalLink, currentStep } from "./approval_card.ts";
import { addNote, notesPanel, type Reviewed, reviewedOf, versionPictures } from "./review.ts";
import { newestOf, type ShownVersion } from "./versions.ts";

/** The version that the address asks for; otherwise the newest one that has a picture. */
const shownIn = ({ query }: Visit, versions: readonly ShownVersion[]): ShownVersion | undefined =>
  versions.find(({ version }) => String(version) === query.get("version")) ??
  newestOf(versions.filter(({ media_id }) => media_id !== null)) ??
  newestOf(versions) ??
  versions.at(-1);

/** Who made a version, when, and what was said of it. */
function aboutVersion({ created_by, created_at, note, note_by }: ShownVersion): Markup {
  const when = created_at && timeText(created_at);
  return html`${(created_by || when) && html` <span>${created_by}${created_by && when && ", "}${when}</span>`}${note && html` <q>${note}</q>${note_by && note_by !== created_by && html` <span>${note_by}</span>`}`}`;
}

/** A version in the whole width, and all of them as a strip of film, newest first. */
async function stage(visit: Visit, reviewed: Reviewed, kind: string, shown: ShownVersion | undefined): Promise<Markup> {
  if (shown === undefined) return emptyState("There is no version yet.");
  const film = windowOf(visit, reviewed.versions.toReversed(), { name: "versions" });
  const items = film.shown.map((version) => {
    const { media_id, variant } = version;
    const address = addressWith(visit, "version", String(version.version));
    return html`<li><a href="${address}"${version === shown && html` aria-current="true"`}>${still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind)}
<b>v${version.version} ${variant}</b> ${versionChip(version)}</a></li>`;
  });
  return html`${await versionPictures(visit, reviewed, [shown], aboutVersion(shown))}
${reviewed.versions.length > 1 && html`<ul class="film" aria-label="Versions">${items}</ul>${film.pager}`}`;
}

const versionForm = (visit: Visit): Markup =>
  menu(
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
    refusalOf(visit, { action: "version" }) !== undefined,
  );

/** What a version waits for, and who; what can be done with it. */
async function statePanel(visit: Visit, { node_id, versions }: Reviewed, shown: ShownVersion): Promise<Markup> {
  const button = visit.mayEdit ? await placeFiller("version_button") : undefined;
  const waiting = visit.isVendor ? [] : await visit.ask(listApprovals, { node_id, status: "pending" });
  const newest = newestOf(versions);
  const first = waiting
    .toSorted(byDue)
    .find(({ version_id }) => version_id === shown.id || (version_id === null && shown.id === newest?.id));
  const others = waiting.filter((one) => one !== first);
  const step = first && currentStep(first);
  const name = `v${shown.version}`;
  const release = button?.(
    visit,
    shown,
    "release",
    step ? { text: "Release without it:", kind: "quiet" } : { text: "Release" },
  );
  const more = html`${step && release}${versions.length > 1 && html`<a href="/assets/${node_id}/compare">Compare two versions</a>`}${shown.media_id !== null && html`<a href="/files/${shown.media_id}">Full size</a>`}${button?.(visit, shown, "archive", { text: "Archive", kind: "danger" })}`;
  const late = first && lateText(first.due, visit.today);
  return html`<section class="panel ${(step || release) && "asks"}">
<h2>${name} ${step ? html`waits for <bdi>${step.person}</bdi>` : versionChip(shown)}</h2>
${first && step && html`<p><bdi>${first.title}</bdi>${first.steps.length > 1 && `. Step ${step.position} of ${first.steps.length}`}${late !== undefined && html`, <span class="tone bad">${late}</span>`}</p>`}
${others.map((one) => html`<p>${approvalLink(visit, one)}</p>`)}
<div class="row actions">${first && html`<a class="button" href="/approvals/${first.id}">Open the approval</a>`}${!step && release}${more.text !== "" && menu("More", more)}</div></section>`;
}

type AssetScene = OutputOf<typeof getAssetBundle>["scenes"][number];

/** A scene that uses an asset. */
export const sceneItem = ({ status, ...scene }: AssetScene & { status?: string }): Markup =>
  html`<li><a href="/scenes/${scene.node_id}">${sceneNumber(scene)} ${scene.slugline}</a>${status === "omitted" && html` ${chip(status)}`}</li>`;

/** What fed the versions, with a link to the file of each that has one. */
async function materialItems(visit: Visit, materials: OutputOf<typeof listMaterials>): Promise<Markup[]> {
  const media = materials.flatMap(({ medium }) => medium ?? []);
  const known = new Map((await withFacts(visit.context.app, media)).map((one) => [one.id, one]));
  return materials.map(({ kind, label, medium }) => {
    const file = medium === null ? undefined : known.get(medium.id);
    const name = html`<span dir="auto">${label}</span>`;
    return html`<li>${still(file && `/thumbnails/${file.id}`, kind)}<span>${file === undefined ? name : html`<a href="/files/${file.id}">${name}</a>`}<span class="under">${kind}${file !== undefined && `, ${typeWords(file)}`}</span></span></li>`;
  });
}

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
  const shown = shownIn(visit, versions);
  const facts = html`${materials.length > 0 && html`<span><b>${materials.length}</b> ${materials.length === 1 ? "material" : "materials"}</span>`}<span><b>${versions.length}</b> ${versions.length === 1 ? "version" : "versions"}</span>${department !== null && html`<span>${department} department</span>`}<span>${stateWord(status)}</span><span>changed ${timeOf(updated_at)}</span>`;
  const actions = html`${editButton(visit, `/edit/assets/${node_id}`, "Edit", "plain")}${visit.mayWrite && !visit.hasLink && versionForm(visit)}`;
  const over = html`<a href="/assets?kind=${encodeURIComponent(kind)}">${capitalized(kind)}</a>`;
  const body = html`${heading(label, facts, { over, actions })}
${await addedNotice(visit, reviewed)}
<div class="columns asset"><div class="flow">${await stage(visit, reviewed, kind, shown)}</div>
<div class="rail">${shown && (await statePanel(visit, reviewed, shown))}${usage}</div>
<div class="flow">${notesPanel(visit, reviewed)}
${materials.length > 0 && html`<section><h2>Materials <span class="count">${materials.length}</span></h2><ul class="things">${await materialItems(visit, materials)}</ul></section>`}</div>
</div>`;
  return { title: label, body };
}

/** The asset as a vendor sees it. Throws 404 if it is not reached. */
async function vendorView(visit: Visit): Promise<View> {
  const node_id = visit.id("node_id");
  const { asset, scenes, released_versions } = await visit.ask(getAssetBundle, { node_id });
  const { label, kind, status } = asset;
  const reviewed = { node_id, label, versions: released_versions, notes: [] };
  const shown = shownIn(visit, released_versions);
  const body = html`${heading(label, html`<span>${kind}</span><span>${stateWord(status)}</span>`)}
<div class="columns asset"><div class="flow">${shown === undefined ? emptyState("No version of this asset is released yet.") : await stage(visit, reviewed, kind, shown)}</div>
<div class="rail">${shown && (await statePanel(visit, reviewed, shown))}${listPanel(
    "Scenes",
    scenes.map((scene) => sceneItem(scene)),
  )}</div></div>`;
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
