// /assets: the wall of stills with its filters, and the form that creates an asset.
import { createAsset, listAssets, versionCount } from "../../../graph/assets.ts";
import { listDepartments } from "../../../graph/departments.ts";
import { nodeStatuses } from "../../../graph/values.ts";
import { timeOf } from "../dates.ts";
import { fieldInput, filterForm, hiddenFields, postForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { chip, emptyState, fieldProblem, heading, optionsNamed, plural, still } from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import type { Redirect, Refused, SubmittedForm, View } from "../page.ts";
import { importLink, isFilled, placeFiller } from "../page_places.ts";
import { refusalOf } from "../refusals.ts";
import type { OutputOf, Visit } from "../visit.ts";
import type { ShownVersion } from "./versions.ts";

type AssetRow = OutputOf<typeof listAssets>[number];

/** A version: its still, if the visitor may see it, and what is known of it. */
export const versionTile = (
  version: Omit<ShownVersion, "released"> & { released?: boolean },
  kind: string,
  actions?: Markup,
): Markup => {
  const { media_id, variant, status, note, created_by, created_at, archived, released = true } = version;
  const picture = still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind);
  return html`<li>
${media_id === null ? picture : html`<a href="/files/${media_id}">${picture}<span class="unseen">Version ${version.version}, full size</span></a>`}
<p class="label">v${version.version} ${variant} ${chip(status)}${archived && chip("archived")}</p>
<p class="under">${!released && "not released"}${!released && created_by && " · "}${created_by} ${created_at && timeOf(created_at)}</p>
${note && html`<p class="note"><q>${note}</q></p>`}
${actions}
</li>`;
};

function assetTile(row: AssetRow, released: ReadonlySet<number>, chosen: readonly string[] | undefined): Markup {
  const { node_id, label, kind, status } = row;
  const versions = versionCount(row);
  return html`<li><a class="tile" href="/assets/${node_id}">${still(released.has(node_id) ? `/stills/${node_id}` : undefined, kind)}
<span class="label">${label}</span>
<span class="under">${kind} ${chip(status)}${versions > 0 && html` <span>${plural(versions, "version")}</span>`}</span></a>${chosen !== undefined && html`<label class="check"><input type="checkbox" form="bulk" name="ids" value="${node_id}"${chosen.includes(String(node_id)) && html` checked`}>choose<span class="unseen"> ${label}</span></label>`}</li>`;
}

type Department = OutputOf<typeof listDepartments>[number];
const nameOf = ({ slug, name }: Department) => [slug, name] as const;

const createForm = (visit: Visit, departments: readonly Department[], kinds: readonly string[]) =>
  html`<details class="panel"${visit.refused && visit.refused.form.text("action") !== "bulk" && html` open`}><summary>Create an asset</summary>
<datalist id="kinds">${kinds.map((kind) => html`<option value="${kind}"></option>`)}</datalist>
${postForm(visit, {
  fields: [
    { name: "label", label: "Name", required: true, maxlength: 300 },
    { name: "kind", label: "Kind", required: true, maxlength: 64, list: "kinds" },
    { name: "department", label: "Department", choices: [["", "none"], ...departments.map(nameOf)] },
  ],
  buttons: [{ text: "Create the asset" }],
  of: "new",
})}</details>`;

/** The form that changes the chosen assets. */
const bulkForm = (visit: Visit, departments: readonly Department[], refused: Refused | undefined): Markup => {
  const menu = (name: string, label: string, choices: (readonly [string, string])[]) =>
    html`<div class="stack">${fieldInput({ name, label, choices: [["", "as it is"], ...choices] }, name, refused?.form.text(name) ?? "", false)}</div>`;
  return html`<form method="post" id="bulk" class="panel filters bulk">${visit.proof}${hiddenFields({ action: "bulk" })}${fieldProblem("problem-bulk", refused?.problem)}
${menu("set_status", "Status of the chosen", optionsNamed(nodeStatuses))}${menu("set_department", "Department of the chosen", [["-", "none"], ...departments.map(nameOf)])}<button>Change the chosen</button></form>`;
};

export async function showAssets(visit: Visit): Promise<View> {
  const [rows, released, departments] = await Promise.all([
    visit.ask(listAssets, {}),
    visit.ask(listAssets, { released: true }),
    visit.ask(listDepartments, {}),
  ]);
  const stills = new Set(released.map(({ node_id }) => node_id));
  const asked = (name: string) => visit.query.get(name) ?? "";
  const has = (row: AssetRow, name: "department" | "kind" | "status") =>
    asked(name) === "" || row[name] === asked(name);
  const shown = rows.filter(
    (row) =>
      has(row, "department") &&
      has(row, "kind") &&
      has(row, "status") &&
      (asked("released") !== "1" || stills.has(row.node_id)),
  );
  const part = windowOf(visit, shown);
  const refused = refusalOf(visit, { action: "bulk" });
  const chosen = visit.mayEdit && isFilled("change_assets") ? (refused?.form.texts("ids") ?? []) : undefined;
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  const body = html`${heading("Assets", html`<span>${shown.length === rows.length ? plural(rows.length, "asset") : html`${shown.length} of ${plural(rows.length, "asset")}`}</span>`)}
${filterForm(
  visit,
  [
    { name: "department", label: "Department", choices: departments.map(nameOf) },
    { name: "kind", label: "Kind", choices: optionsNamed(kinds) },
    { name: "status", label: "Status", choices: optionsNamed(nodeStatuses) },
  ],
  ["released", "released"],
)}
${visit.mayWrite && createForm(visit, departments, kinds)}
${
  shown.length === 0
    ? rows.length === 0
      ? emptyState("There are no assets yet.", importLink(visit, "assets", "Import a list of assets"))
      : emptyState("No asset matches. Change the filter above.")
    : html`<ul class="grid stills">${visit.rows(part.shown.map((row) => assetTile(row, stills, chosen)))}</ul>${part.pager}${chosen !== undefined && bulkForm(visit, departments, refused)}`
}`;
  return { title: "Assets", body };
}

export async function submitNew(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const change = form.text("action") === "bulk" ? await placeFiller("change_assets") : undefined;
  if (change !== undefined) return change(visit, form);
  const { node_id } = await visit.send(createAsset, form, { kind: form.text("kind").toLowerCase() });
  return { location: `/assets/${node_id}` };
}
