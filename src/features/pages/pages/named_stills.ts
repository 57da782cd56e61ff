// Many stills at once, on the assets page: each lands on the asset that its name says (LABEL_v012.jpg). What would
// happen is shown first, and only what was shown is done.
import { hash } from "node:crypto";
import { conflict, HttpError, unprocessable } from "../../../core/errors.ts";
import { sameName } from "../../../core/wording.ts";
import { listAssets, listVersions, versionCount } from "../../../graph/assets.ts";
import { maxBatch } from "../../../graph/batches.ts";
import { createVersions } from "../../../graph/new_versions.ts";
import { uploadForm, withFiles } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { lines, plural } from "../html_parts.ts";
import type { PageResult, SubmittedForm } from "../page.ts";
import type { OutputOf, Visit } from "../visit.ts";

type AssetRow = OutputOf<typeof listAssets>[number];

/** What the forms of named stills say that they are. */
export const stillsAction = "stills";

/** Where a file belongs, or why it belongs nowhere. */
interface Place {
  name: string;
  asset?: AssetRow;
  /** The number in its name. */
  number: number;
  problem?: Markup;
}

/** What a name says: the asset and the number of the version. Undefined if it does not end in one. */
function partsOf(name: string): { label: string; number: number } | undefined {
  const file = name.slice(name.lastIndexOf("/") + 1);
  const dot = file.lastIndexOf(".");
  const stem = dot > 0 ? file.slice(0, dot) : file;
  const found = /v(\d{1,6})$/i.exec(stem);
  if (found === null) return undefined;
  let end = found.index;
  while (end > 0 && "_-. ".includes(stem.charAt(end - 1))) end--;
  return end === 0 || end === found.index ? undefined : { label: stem.slice(0, end), number: Number(found[1]) };
}

/** A label as names of files have it: with `_` for a space. */
const asInFiles = (label: string): string => sameName(label.replaceAll("_", " "));

/** Finds the assets of names: by the id of another program, by the label, or by the label with `_` for spaces. */
function placesOf(rows: readonly AssetRow[], names: readonly string[]): Place[] {
  const finders = [
    Map.groupBy(rows, ({ external_id }) => external_id ?? undefined),
    Map.groupBy(rows, ({ label }) => sameName(label)),
    Map.groupBy(rows, ({ label }) => asInFiles(label)),
  ] as const;
  return names.map((name): Place => {
    const parts = partsOf(name);
    if (parts === undefined)
      return { name, number: 0, problem: html`its name does not end in the number of a version, as in LABEL_v012.jpg` };
    const { label, number } = parts;
    const keys = [label.normalize("NFC"), sameName(label), asInFiles(label)];
    const found = finders.map((finder, at) => finder.get(keys[at] ?? "") ?? []).find((all) => all.length > 0) ?? [];
    const [asset, ...others] = found;
    if (asset === undefined) return { name, number, problem: html`no asset is called <bdi>${label}</bdi>` };
    if (others.length > 0)
      return {
        name,
        number,
        problem: html`${found.length} assets are called <bdi>${label}</bdi>: ${found.map(({ kind }) => kind).join(", ")}`,
      };
    return { name, number, asset };
  });
}

/** Those that belong somewhere, with their numbers among the files, in the order in which they land. */
const fitting = (places: readonly Place[]) =>
  places
    .flatMap(({ asset, number }, at) => (asset === undefined ? [] : [{ asset, number, at }]))
    .toSorted((a, b) => a.number - b.number || a.at - b.at);

/** Stands for what was shown, so that nothing else is done. */
const markOf = (places: readonly Place[]): string =>
  hash("sha256", JSON.stringify(fitting(places).map(({ asset, at }) => [places[at]?.name, asset.node_id])));

function planView(places: readonly Place[]): Markup {
  const fits = fitting(places);
  const next = new Map<number, number>();
  const versions = new Map(
    fits.map(({ asset, at }) => {
      const version = (next.get(asset.node_id) ?? versionCount(asset)) + 1;
      next.set(asset.node_id, version);
      return [at, version] as const;
    }),
  );
  const items = places.map(({ name, asset, problem }, at) =>
    asset === undefined
      ? html`<li><bdi>${name}</bdi>: ${problem}. It stays out.</li>`
      : html`<li><bdi>${name}</bdi>: version ${versions.get(at)} of <a href="/assets/${asset.node_id}"><bdi>${asset.label}</bdi></a> <span class="under">${asset.kind}</span></li>`,
  );
  const left = places.length - fits.length;
  return html`<div data-plan="${fits
    .map(({ at }) => at)
    .sort((a, b) => a - b)
    .join(" ")}">
<input type="hidden" name="shown" value="${markOf(places)}">
<p>${plural(fits.length, "still")} would land${left > 0 && html`, ${plural(left, "file")} would stay out`}:</p>
${lines(items)}</div>`;
}

/** The form for stills; `plan` is what its files would do. */
function stillsForm(visit: Visit, plan: Markup = html`<div data-plan></div>`): Markup {
  return html`<div data-drop data-named>${uploadForm(visit, {
    id: "stills",
    label: "Stills whose names say their assets, as LABEL_v012.jpg",
    button: "Land them as shown",
    multiple: true,
    hidden: { action: stillsAction },
    fields: [plan],
  })}</div>`;
}

/** The part of the assets page that takes stills, and says which ones have landed. */
export function stillsPanel(visit: Visit): Markup {
  const [landed = 0, kept = 0] = (visit.query.get("landed") ?? "").split(" ").map(Number);
  const notice =
    landed + kept > 0 &&
    html`<p class="panel notice good" role="status">${plural(landed, "still")} landed${kept > 0 && html`; ${plural(kept, "file")} stood there already as the newest or an earlier version`}.</p>`;
  const isRefused = visit.refused?.form.text("action") === stillsAction;
  return html`${notice}<details class="panel"${isRefused && html` open`}><summary>Land many stills</summary>${stillsForm(visit)}</details>`;
}

/** Shows what stills would do, or lands those that were shown. The bytes that an asset has already land no more. */
export async function submitStills(visit: Visit, form: SubmittedForm): Promise<PageResult> {
  if (!visit.mayWrite) throw new HttpError(403, "stills need a key with the `write` scope");
  const rows = await visit.ask(listAssets, {});
  const planned = form.texts("names");
  const shown = (places: readonly Place[], why: string): PageResult => ({
    title: "Land many stills",
    body: html`<h1>Land many stills</h1><p>${why}</p><section class="panel">${stillsForm(visit, planView(places))}</section>`,
  });
  if (planned.length > maxBatch) throw unprocessable(`at most ${maxBatch} stills land at once`);
  if (planned.length > 0) return shown(placesOf(rows, planned), "Nothing has landed yet.");
  return withFiles(visit, form, async (files) => {
    if (files.length === 0) throw unprocessable("choose the stills first");
    const places = placesOf(
      rows,
      files.map(({ file_name }) => file_name ?? ""),
    );
    if (form.text("shown") !== markOf(places))
      return shown(places, "Nothing has landed yet. If this is what you mean, choose the same files again.");
    const fits = fitting(places).flatMap(({ asset, at }) => {
      const file = files[at];
      return file === undefined ? [] : [{ node_id: asset.node_id, file }];
    });
    const there = new Set<string>();
    for (const node_id of new Set(fits.map((one) => one.node_id)))
      for (const { media } of await visit.ask(listVersions, { node_id }))
        for (const { sha256 } of media) there.add(`${node_id} ${sha256}`);
    const fresh = fits.filter(({ node_id, file }) => {
      const key = `${node_id} ${file.staged.sha256}`;
      if (there.has(key)) return false;
      there.add(key); // the same bytes twice among the files
      return true;
    });
    if (fits.length === 0) throw conflict("none of the files names an asset; nothing has landed");
    if (fresh.length > 0)
      await visit.ask(createVersions, {
        versions: fresh.map(({ node_id }, file) => ({ node_id, file })),
        files: fresh.map(({ file }) => file),
      });
    return { location: `/assets?landed=${fresh.length}+${fits.length - fresh.length}` };
  });
}
