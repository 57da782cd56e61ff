// /settings/releases: assets whose newest version is not released, and the buttons that release and archive versions.
import { getAsset, listAssets, versionCount } from "../../../graph/assets.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip, emptyState, plural, rows } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { archiveVersion, releaseVersion } from "../version_release.ts";

type Asset = OutputOf<typeof getAsset>;

/** How many assets one page shows, because each is a statement. */
const pageSize = 50;

type Releasable = Pick<Asset["versions"][number], "id" | "version" | "released"> & { archived?: boolean | undefined };

/** The buttons that release and archive a version, where they are possible. */
export const releaseForm = (visit: Visit, { id, version, released, archived }: Releasable): Markup => {
  const release = { value: "release", text: "Release", kind: "quiet", about: `Release version ${version}` } as const;
  const archive = { value: "archive", text: "Archive", kind: "plain", about: `Archive version ${version}` } as const;
  const buttons = [...(released ? [] : [release]), ...(released && archived ? [] : [archive])];
  return postForm(visit, { hidden: { version_id: id }, buttons, style: "row", to: "/settings/releases" });
};

/** A version that waits, with what releases it; the name of its asset stands with the first one. */
const versionRow = (
  visit: Visit,
  { node_id, label, kind }: Asset,
  version: Asset["versions"][number],
  at: number,
): Markup =>
  html`<li><span>${at === 0 && html`<a class="name" href="/assets/${node_id}" dir="auto">${label}</a> <span class="under">${kind}</span>`}</span><span dir="auto">v${version.version} ${version.variant}</span><span>${chip(version.released ? "released" : version.status)}</span><span>${!version.released && releaseForm(visit, version)}</span></li>`;

export async function showReleases(visit: Visit): Promise<Markup> {
  const [all, released] = await Promise.all([visit.ask(listAssets, {}), visit.ask(listAssets, { released: true })]);
  const ready = new Set(released.map(({ node_id }) => node_id));
  const waiting = all.filter((row) => versionCount(row) > 0 && !ready.has(row.node_id));
  const page = waiting.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, pageSize);
  const assets: Asset[] = [];
  for (const { node_id } of page) assets.push(await visit.ask(getAsset, { node_id }));
  const items = assets.flatMap((asset) =>
    asset.versions.toReversed().map((version, at) => versionRow(visit, asset, version, at)),
  );
  if (waiting.length === 0) return emptyState("Every asset that has a version has a released one.");
  return html`<p class="hint">${plural(waiting.length, "asset")} with versions and none released. Every other version is released on the page of its asset.</p>
${rows("releases", items)}
${waiting.length > pageSize && html`<p class="hint">The ${pageSize} that changed last are shown.</p>`}`;
}

export async function submitRelease(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const row = form.text("action") === "archive" ? archiveVersion : releaseVersion;
  const { node_id } = await visit.ask(row, { id: Number(form.text("version_id")) });
  return { location: `/assets/${node_id}` };
}
