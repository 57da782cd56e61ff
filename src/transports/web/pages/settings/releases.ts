// /settings/releases: assets whose newest version is not released, and the buttons that release and archive versions.
import type * as v from "valibot";
import { archiveVersion, releaseVersion } from "../../../../admin/operations/versions.ts";
import { getAsset, listAssets } from "../../../../operations/assets.ts";
import type { SubmittedForm } from "../../form.ts";
import { html, type Markup } from "../../html.ts";
import type { Redirect, View, WebPage } from "../../page.ts";
import { chip, emptyState, plural } from "../../parts.ts";
import type { Visit } from "../../visit.ts";
import { settingsPage, settingsView } from "./frame.ts";

type Asset = v.InferOutput<(typeof getAsset)["output"]>;

/** How many assets one page shows, because each is a statement. */
const pageSize = 50;

type Releasable = Pick<Asset["versions"][number], "id" | "version" | "released"> & { archived?: boolean | undefined };

/** The buttons that release and archive a version, where they are possible. */
export const releaseForm = (visit: Visit, version: Releasable): Markup => html`
<form method="post" action="/settings/releases" class="row">${visit.proof}<input type="hidden" name="version_id" value="${version.id}">
${!version.released && html`<button name="action" value="release" aria-label="Release version ${version.version}">Release</button>`}
${!(version.released && version.archived) && html`<button name="action" value="archive" class="quiet" aria-label="Archive version ${version.version}">Archive</button>`}
</form>`;

const assetItem = (visit: Visit, { node_id, label, kind, versions }: Asset): Markup => html`<li class="panel">
<h2><a href="/assets/${node_id}">${label}</a> <span class="under">${kind}</span></h2>
<ul class="lines">${versions.toReversed().map((version) => html`<li class="row"><span>v${version.version} ${version.variant} ${chip(version.released ? "released" : version.status)}</span>${!version.released && releaseForm(visit, version)}</li>`)}</ul>
</li>`;

async function showReleases(visit: Visit): Promise<View> {
  const [all, released] = await Promise.all([visit.ask(listAssets, {}), visit.ask(listAssets, { released: true })]);
  const ready = new Set(released.map(({ node_id }) => node_id));
  const waiting = all.filter(({ node_id, versions }) => versions > 0 && !ready.has(node_id));
  const page = waiting.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, pageSize);
  const assets: Asset[] = [];
  for (const { node_id } of page) assets.push(await visit.ask(getAsset, { node_id }));
  const body = html`<p class="hint">${plural(waiting.length, "asset")} with versions and none released. Every other version is released on the page of its asset.</p>
${waiting.length === 0 ? emptyState("Every asset that has a version has a released one.") : html`<ul class="cards">${assets.map((asset) => assetItem(visit, asset))}</ul>`}
${waiting.length > pageSize && html`<p class="hint">The ${pageSize} that changed last are shown.</p>`}`;
  return settingsView("releases", body, 200, visit);
}

async function submitRelease(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const row = form.text("action") === "archive" ? archiveVersion : releaseVersion;
  const { node_id } = await visit.ask(row, { id: Number(form.text("version_id")) });
  return { location: `/assets/${node_id}` };
}

export const releasesPage: WebPage = { ...settingsPage("releases"), show: showReleases, submit: submitRelease };
