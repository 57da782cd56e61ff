// /assets: the wall of stills with its filters, and the form that creates an asset.
import type * as v from "valibot";
import { nodeStatuses } from "../../../inputs.ts";
import { createAsset, listAssets } from "../../../operations/assets.ts";
import { listDepartments } from "../../../operations/departments.ts";
import type { versionSummary } from "../../../operations/versions.ts";
import { attempted } from "../attempt.ts";
import type { SubmittedForm } from "../form.ts";
import { html, type Markup } from "../html.ts";
import type { Redirect, View, WebPage } from "../page.ts";
import { chip, emptyState, fieldProblem, heading, options, optionsNamed, plural, still, timeOf } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { windowOf } from "../windows.ts";

type AssetRow = v.InferOutput<(typeof listAssets)["output"]>[number];
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

const select = (name: string, label: string, chosen: string, values: Iterable<readonly [string, string]>) =>
  html`<label>${label}<select name="${name}">${options([["", "all"], ...values], chosen)}</select></label>`;

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

type Department = v.InferOutput<(typeof listDepartments)["output"]>[number];

/** What was sent, and why it was refused. */
interface Tried {
  form: SubmittedForm;
  problem: string;
}

const createForm = (visit: Visit, departments: readonly Department[], kinds: readonly string[], tried?: Tried) => {
  const given = (name: string) => tried?.form.text(name) ?? "";
  return html`<details class="panel"${tried && html` open`}><summary>Create an asset</summary>
<form method="post" action="/assets" class="stack">${visit.proof}
<label for="new-label">Name</label>
<input id="new-label" name="label" required maxlength="300" value="${given("label")}"${tried && html` aria-invalid="true" aria-describedby="problem"`}>
${fieldProblem("problem", tried?.problem)}
<label for="new-kind">Kind</label>
<input id="new-kind" name="kind" required maxlength="64" list="kinds" autocomplete="off" value="${given("kind")}">
<datalist id="kinds">${kinds.map((kind) => html`<option value="${kind}"></option>`)}</datalist>
<label for="new-department">Department</label>
<select id="new-department" name="department">${options([["", "none"], ...departments.map(({ slug, name }) => [slug, name] as const)], given("department"))}</select>
<button>Create the asset</button></form></details>`;
};

async function assetsView(visit: Visit, tried?: Tried): Promise<View> {
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
  const bySlug = departments.map(({ slug, name }) => [slug, name] as const);
  const body = html`${heading("Assets", html`<span>${shown.length === rows.length ? plural(rows.length, "asset") : html`${shown.length} of ${plural(rows.length, "asset")}`}</span>`)}
<form class="filters" method="get" action="/assets">
${select("department", "Department", filter.department, bySlug)}
${select("kind", "Kind", filter.kind, optionsNamed(kinds))}
${select("status", "Status", filter.status, optionsNamed(nodeStatuses))}
<label class="check"><input type="checkbox" name="released" value="1"${filter.released && html` checked`}>released</label>
<button>Show</button>
</form>
${visit.mayWrite && createForm(visit, departments, kinds, tried)}
${
  shown.length === 0
    ? emptyState(
        rows.length === 0
          ? "There are no assets yet. Import them with `tallylight import`."
          : "No asset matches. Change the filter above.",
      )
    : html`<ul class="wall">${visit.rows(part.shown.map((row) => assetTile(row, stills)))}</ul>${part.pager}`
}`;
  return { title: "Assets", body, ...(tried !== undefined && { status: 422 }) };
}

async function submitAsset(visit: Visit, form: SubmittedForm): Promise<View | Redirect> {
  const [kind, department] = [form.text("kind").toLowerCase(), form.optional("department")];
  const given = { label: form.text("label"), kind, ...(department && { department }) };
  const result = await attempted(visit.ask(createAsset, given));
  if ("problem" in result) return assetsView(visit, { form, problem: result.problem });
  return { location: `/assets/${result.value.node_id}` };
}

export const assetsPage: WebPage = {
  path: "/assets",
  reach: "production",
  section: "/assets",
  show: (visit) => assetsView(visit),
  submit: submitAsset,
};
