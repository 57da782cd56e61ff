// /assets/{node_id}: one asset: its versions by variant, the notes, where it is used, its materials, and the forms that add to it.
import type * as v from "valibot";
import { unprocessable } from "../../../errors.ts";
import { getAssetBundle } from "../../../operations/asset_bundle.ts";
import { listMaterials } from "../../../operations/asset_versions.ts";
import { createVersion, getAsset } from "../../../operations/assets.ts";
import { createNote, listNotes } from "../../../operations/notes.ts";
import { getPerson } from "../../../operations/people.ts";
import { getAssetUsage } from "../../../operations/usage.ts";
import { attempt } from "../attempt.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import { chip, dateText, emptyState, fieldProblem, heading, panel, still, timeOf, wordOf } from "../parts.ts";
import { uploadForm, withFiles } from "../upload_form.ts";
import type { Visit } from "../visit.ts";
import { type ShownVersion, versionsOf } from "./approval_subjects.ts";
import { approvalLink } from "./approvals.ts";
import { versionTile } from "./assets.ts";
import { releaseForm } from "./settings/releases.ts";

type Asset = v.InferOutput<(typeof getAsset)["output"]>;
type Usage = v.InferOutput<(typeof getAssetUsage)["output"]>;
type Note = v.InferOutput<(typeof listNotes)["output"]>[number];

/** A form that was refused. */
interface Tried {
  action: "note" | "version";
  form: SubmittedForm;
  problem: string;
}

function tileOf(visit: Visit, version: ShownVersion, kind: string): Markup {
  const { media_id, variant, status, note, created_by, created_at, archived, released } = version;
  const picture = still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind);
  return html`<li class="version${!released && " locked"}">
${media_id === null ? picture : html`<a href="/files/${media_id}">${picture}<span class="unseen">Version ${version.version}, full size</span></a>`}
<p class="label">v${version.version} ${variant} ${chip(status)}${archived && chip("archived")}</p>
<p class="under">${!released && "not released"}${!released && created_by && " · "}${created_by} ${created_at && timeOf(created_at)}</p>
${note && html`<p class="note">${note}</p>`}
${visit.mayEdit && releaseForm(visit, version)}
</li>`;
}

/** The versions, newest first, under the headings of their variants. */
function versionsPart(visit: Visit, versions: readonly ShownVersion[], kind: string): Markup {
  if (versions.length === 0) return emptyState("There is no version yet.");
  const groups = [...Map.groupBy(versions.toReversed(), ({ variant }) => variant)];
  return html`${groups.map(
    ([variant, of]) => html`${groups.length > 1 && html`<h3>${variant} <span class="count">${of.length}</span></h3>`}
<ul class="wall versions">${of.map((version) => tileOf(visit, version, kind))}</ul>`,
  )}`;
}

const noteItem = ({ version_id, text, author, created_at }: Note, versions: readonly ShownVersion[]): Markup => {
  const on = versions.find(({ id }) => id === version_id);
  return html`<li><p class="note">${text}</p><p class="under">${author}, ${timeOf(created_at)}${on !== undefined && html`, on v${on.version}`}</p></li>`;
};

const noteForm = (visit: Visit, tried: Tried | undefined): Markup => {
  const mine = tried?.action === "note" ? tried : undefined;
  return html`<form method="post" class="stack">${visit.proof}<input type="hidden" name="action" value="note">
<label for="text">Add a note</label>
<textarea id="text" name="text" rows="3" required maxlength="9000"${mine && html` aria-invalid="true" aria-describedby="problem-note"`}>${mine?.form.text("text")}</textarea>
${fieldProblem("problem-note", mine?.problem)}
<button>Add the note</button></form>`;
};

const versionForm = (visit: Visit, tried: Tried | undefined): Markup => {
  const mine = tried?.action === "version" ? tried : undefined;
  const fields = html`<input type="hidden" name="action" value="version">
<label for="variant">Variant</label>
<input id="variant" name="variant" maxlength="200" value="${mine?.form.text("variant") ?? "On-Set"}">
<label for="version-note">Note</label>
<textarea id="version-note" name="note" rows="2" maxlength="10000">${mine?.form.text("note")}</textarea>`;
  const [label, button] = ["A still or another file", "Add the version"];
  const form = { id: "version", label, button, multiple: false, fields, problem: mine?.problem };
  return panel("Add a version", uploadForm(visit, form));
};

const usagePanels = (visit: Visit, { scenes, shoot_days, approvals, deliveries }: Usage): Markup => {
  const list = (title: string, items: readonly Markup[]) =>
    html`${items.length > 0 && panel(title, html`<ul class="lines">${items}</ul>`, items.length)}`;
  return html`${list(
    "Scenes",
    scenes.map(
      ({ node_id, number, slugline, status }) =>
        html`<li><a href="/scenes/${node_id}">${number} ${slugline}</a>${status === "omitted" && html` ${chip(status)}`}</li>`,
    ),
  )}${list(
    "Shoot days",
    shoot_days.map(
      ({ id, day_number, date }) => html`<li><a href="/days/${id}">Day ${day_number}, ${dateText(date)}</a></li>`,
    ),
  )}${list(
    "Approvals",
    approvals.map((approval) => html`<li>${approvalLink(visit, approval)}</li>`),
  )}${list(
    "Deliveries",
    deliveries.map(({ id, title, status }) => html`<li><a href="/deliveries/${id}">${title}</a> ${chip(status)}</li>`),
  )}${scenes.length + approvals.length + deliveries.length === 0 && emptyState("Nothing uses it yet.")}`;
};

type Material = v.InferOutput<(typeof listMaterials)["output"]>[number];

const materialTile = ({ kind, label, media_id }: Material): Markup =>
  html`<li>${still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind)}<span class="label">${label}</span><span class="under">${kind}</span></li>`;

async function assetView(visit: Visit, tried?: Tried): Promise<View> {
  const node_id = visit.id("node_id");
  const asset: Asset = await visit.ask(getAsset, { node_id });
  const { label, kind, status, department, updated_at } = asset;
  const [versions, notes, usage, materials] = await Promise.all([
    versionsOf(visit, node_id),
    visit.ask(listNotes, { node_id }),
    visit.ask(getAssetUsage, { node_id }),
    visit.ask(listMaterials, { node_id }),
  ]);
  const facts = html`<span>${kind}</span>${department !== null && html`<span>${department} department</span>`}<span>${wordOf(status)}</span><span>changed ${timeOf(updated_at)}</span>${visit.mayEdit && html`<a href="/edit/assets/${node_id}">Edit</a>`}`;
  const noteList =
    notes.length === 0
      ? emptyState("No note yet.")
      : html`<ul class="lines">${notes.map((note) => noteItem(note, versions))}</ul>`;
  const body = html`${heading(label, facts)}
<div class="columns"><div>
<h2>Versions <span class="count">${versions.length}</span></h2>
${versionsPart(visit, versions, kind)}
${materials.length > 0 && panel("Swatches and other materials", html`<ul class="wall small">${materials.map(materialTile)}</ul>`, materials.length)}
${panel("Notes", html`${noteList}${visit.mayWrite && noteForm(visit, tried)}`, notes.length)}
</div><div class="aside">
${visit.mayWrite && !visit.hasLink && versionForm(visit, tried)}
${usagePanels(visit, usage)}
</div></div>`;
  return { title: label, body, ...(tried !== undefined && { status: 422 }) };
}

/** The asset as a vendor sees it. Throws 404 if it is not reached. */
async function vendorView(visit: Visit): Promise<View> {
  const { asset, scenes, released_versions } = await visit.ask(getAssetBundle, { node_id: visit.id("node_id") });
  const { label, kind, status } = asset;
  const tiles = released_versions.toReversed().map((version) => versionTile(version, kind));
  const sceneLink = ({ node_id, number, slugline }: (typeof scenes)[number]) =>
    html`<li><a href="/scenes/${node_id}">${number} ${slugline}</a></li>`;
  const body = html`${heading(label, html`<span>${kind}</span><span>${wordOf(status)}</span>`)}
<h2>Released versions <span class="count">${tiles.length}</span></h2>
${tiles.length === 0 ? emptyState("No version of this asset is released yet.") : html`<ul class="wall versions">${tiles}</ul>`}
${scenes.length > 0 && panel("Scenes", html`<ul class="lines">${scenes.map(sceneLink)}</ul>`, scenes.length)}`;
  return { title: label, body };
}

/** The name with which a note is signed: that of the key's person; undefined if it has none. */
async function signature(visit: Visit): Promise<string | undefined> {
  const { person_id } = visit.context.caller;
  return person_id === null ? undefined : (await visit.ask(getPerson, { person_id })).name;
}

async function addNote(visit: Visit, form: SubmittedForm): Promise<void> {
  const author = await signature(visit);
  await visit.ask(createNote, { node_id: visit.id("node_id"), text: form.text("text"), ...(author && { author }) });
}

function addVersion(visit: Visit, form: SubmittedForm): Promise<unknown> {
  const [note, variant] = [form.optional("note"), form.optional("variant")];
  return withFiles(visit, form, ([file]) => {
    if (file === undefined) throw unprocessable("choose a file");
    const given = { node_id: visit.id("node_id"), ...(note && { note }), ...(variant && { variant }) };
    return visit.ask(createVersion, { ...given, file });
  });
}

async function submitAsset(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const action = form.text("action") === "version" ? "version" : "note";
  const problem = await attempt(action === "version" ? addVersion(visit, form) : addNote(visit, form));
  return problem === undefined
    ? { location: `/assets/${visit.id("node_id")}` }
    : assetView(visit, { action, form, problem });
}

export const assetPage: WebPage = {
  path: "/assets/:node_id",
  reach: "engagement",
  section: "/assets",
  files: true,
  show: (visit) => (visit.isVendor ? vendorView(visit) : assetView(visit)),
  submit: submitAsset,
};
