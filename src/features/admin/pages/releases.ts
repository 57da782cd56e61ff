// /settings/releases: assets whose newest version is not released, and the buttons that release and archive versions.
import { getAsset, listAssets, versionCount } from "../../../graph/assets.ts";
import { type FormButton, postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, plural, rows, versionChip } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { archiveVersion, releaseVersion } from "../version_release.ts";

type Asset = OutputOf<typeof getAsset>;

/** How many assets one page shows, because each is a statement. */
const pageSize = 50;

type Releasable = Pick<Asset["versions"][number], "id" | "version" | "released"> & { archived?: boolean | undefined };

/** The button that releases a version, or archives it, where that is possible. */
export const versionButton = (
  visit: Visit,
  { id, version, released, archived }: Releasable,
  action: "release" | "archive",
  { text, kind }: { text: string; kind?: FormButton["kind"] },
): Markup | false =>
  !archived &&
  !(released && action === "release") &&
  postForm(visit, {
    hidden: { version_id: id },
    buttons: [{ value: action, text: `${text} v${version}`, ...(kind && { kind }) }],
    to: "/settings/releases",
  });

/** A version that waits, with what releases it; the name of its asset stands with the first one. */
function versionRow(
  visit: Visit,
  { node_id, label, kind }: Asset,
  version: Asset["versions"][number],
  at: number,
): Markup {
  const button = (action: "release" | "archive", text: string, kind: FormButton["kind"]) =>
    versionButton(visit, version, action, { text, kind });
  return html`<li><span>${at === 0 && html`<a class="name" href="/assets/${node_id}" dir="auto">${label}</a> <span class="under">${kind}</span>`}</span><span dir="auto">v${version.version} ${version.variant}</span><span>${versionChip(version)}</span><span class="row">${!version.released && html`${button("release", "Release", "quiet")}${button("archive", "Archive", "plain")}`}</span></li>`;
}

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
