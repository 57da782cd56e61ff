// /assets and /assets/{node_id}: the wall of stills with its filters, and one asset with its versions side by side.
import type * as v from "valibot";
import { nodeStatuses } from "../../../inputs.ts";
import { getAssetBundle } from "../../../operations/asset_bundle.ts";
import { getAsset, listAssets } from "../../../operations/assets.ts";
import { listDepartments } from "../../../operations/departments.ts";
import { createNote, listNotes } from "../../../operations/notes.ts";
import type { versionSummary } from "../../../operations/versions.ts";
import { attempt } from "../attempt.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import { chip, emptyState, fieldProblem, heading, panel, plural, still, timeOf, wordOf } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { windowOf } from "../windows.ts";

import { releaseForm } from "./settings/releases.ts";

type AssetRow = v.InferOutput<(typeof listAssets)["output"]>[number];
type AssetDetail = v.InferOutput<(typeof getAsset)["output"]>;
export type VersionSummary = v.InferOutput<typeof versionSummary>;

/** A released version: its still and what is known of it. */
export const versionTile = (version: VersionSummary, kind: string, actions?: Markup): Markup => {
  const { media_id, variant, status, note, created_by, created_at, archived } = version;
  const picture = still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind);
  return html`<li class="version">
${media_id === null ? picture : html`<a href="/files/${media_id}">${picture}<span class="unseen">Version ${version.version}, full size</span></a>`}
<p class="label">v${version.version} ${variant} ${chip(status)}${archived && chip("archived")}</p>
<p class="under">${created_by} ${created_at !== null && timeOf(created_at)}</p>
${note !== null && html`<p class="note">${note}</p>`}
${actions}
</li>`;
};

const assetTile = ({ node_id, label, kind, status, versions }: AssetRow, released: ReadonlySet<number>): Markup =>
  html`<li><a class="tile" href="/assets/${node_id}">${still(released.has(node_id) ? `/stills/${node_id}` : undefined, kind)}
<span class="label">${label}</span>
<span class="under">${kind} ${chip(status)}${versions > 0 && html` <span>${plural(versions, "version")}</span>`}</span></a></li>`;

const select = (
  name: string,
  label: string,
  chosen: string,
  options: readonly (readonly [value: string, text: string])[],
) =>
  html`<label>${label}<select name="${name}"><option value="">all</option>${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;

interface Filter {
  department: string;
  kind: string;
  status: string;
  released: boolean;
}

function filterOf({ query }: Visit): Filter {
  const text = (name: string) => query.get(name) ?? "";
  const status = nodeStatuses.find((known) => known === text("status")) ?? "";
  return { department: text("department"), kind: text("kind"), status, released: text("released") === "1" };
}

const matches = (row: AssetRow, { department, kind, status, released }: Filter, stills: ReadonlySet<number>): boolean =>
  (department === "" || row.department === department) &&
  (kind === "" || row.kind === kind) &&
  (status === "" || row.status === status) &&
  (!released || stills.has(row.node_id));

async function showAssets(visit: Visit): Promise<View> {
  const filter = filterOf(visit);
  const [rows, released, departments] = await Promise.all([
    visit.ask(listAssets, {}),
    visit.ask(listAssets, { released: true }),
    visit.ask(listDepartments, {}),
  ]);
  const stills = new Set(released.map(({ node_id }) => node_id));
  const shown = rows.filter((row) => matches(row, filter, stills));
  const part = windowOf(visit, shown);
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  const body = html`${heading("Assets", html`<span>${shown.length === rows.length ? plural(rows.length, "asset") : html`${shown.length} of ${plural(rows.length, "asset")}`}</span>`)}
<form class="filters" method="get" action="/assets">
${select(
  "department",
  "Department",
  filter.department,
  departments.map(({ slug, name }) => [slug, name] as const),
)}
${select(
  "kind",
  "Kind",
  filter.kind,
  kinds.map((kind) => [kind, kind] as const),
)}
${select(
  "status",
  "Status",
  filter.status,
  nodeStatuses.map((status) => [status, status] as const),
)}
<label class="check"><input type="checkbox" name="released" value="1"${filter.released && html` checked`}>released</label>
<button>Show</button>
</form>
${
  shown.length === 0
    ? emptyState(
        rows.length === 0
          ? "There are no assets yet. Import them with `tallylight import`."
          : "No asset matches. Change the filter above.",
      )
    : html`<ul class="wall">${visit.rows(part.shown.map((row) => assetTile(row, stills)))}</ul>${part.pager}`
}`;
  return { title: "Assets", body };
}

export const assetsPage: WebPage = { path: "/assets", reach: "production", section: "/assets", show: showAssets };

const lockedTile = (
  { version, variant, status }: AssetDetail["versions"][number],
  kind: string,
  actions: Markup | undefined,
): Markup => html`<li class="version locked">
${still(undefined, kind)}
<p class="label">v${version} ${variant} ${chip(status)}</p>
<p class="under">not released</p>
${actions}
</li>`;

const noteForm = (visit: Visit, text: string, problem: string | undefined): Markup =>
  panel(
    "Add a note",
    html`<form method="post" class="stack">${visit.proof}
<label for="text">Note</label>
<textarea id="text" name="text" rows="3" required maxlength="9000"${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}>${text}</textarea>
${fieldProblem("problem", problem)}
<button>Add the note</button>
</form>`,
  );

const noteItem = (
  { version_id, text, author, created_at }: v.InferOutput<(typeof listNotes)["output"]>[number],
  versions: AssetDetail["versions"],
): Markup => {
  const on = versions.find(({ id }) => id === version_id);
  return html`<li><p class="note">${text}</p><p class="under">${author}, ${timeOf(created_at)}${on !== undefined && html`, on v${on.version}`}</p></li>`;
};

async function assetView(visit: Visit, text = "", problem?: string): Promise<View> {
  const asset = await visit.ask(getAsset, { node_id: visit.id("node_id") });
  const { label, kind, status, department, versions, updated_at } = asset;
  const notes = await visit.ask(listNotes, { node_id: asset.node_id });
  const newestFirst = versions.toReversed();
  const tiles = newestFirst.map((version) => {
    const actions = visit.mayEdit ? releaseForm(visit, version) : undefined;
    return version.released ? versionTile(version, kind, actions) : lockedTile(version, kind, actions);
  });
  const facts = html`<span>${kind}</span>${department !== null && html`<span>${department}</span>`}<span>${wordOf(status)}</span><span>changed ${timeOf(updated_at)}</span>`;
  const body = html`${heading(label, facts)}
<h2>Versions <span class="count">${versions.length}</span></h2>
${versions.length === 0 ? emptyState("There is no version yet. Add a version through the API: POST /assets/{node_id}/versions.") : html`<ul class="wall versions">${tiles}</ul>`}
${notes.length > 0 && panel("Notes", html`<ul class="lines">${notes.map((note) => noteItem(note, versions))}</ul>`, notes.length)}
${visit.mayWrite && noteForm(visit, text, problem)}`;
  return { title: label, body, ...(problem !== undefined && { status: 422 }) };
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

async function submitNote(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const node_id = visit.id("node_id");
  const text = form.text("text");
  const problem = await attempt(visit.ask(createNote, { node_id, text }));
  return problem === undefined ? { location: `/assets/${node_id}` } : assetView(visit, text, problem);
}

export const assetPage: WebPage = {
  path: "/assets/:node_id",
  reach: "engagement",
  section: "/assets",
  show: (visit) => (visit.isVendor ? vendorView(visit) : assetView(visit)),
  submit: submitNote,
};
