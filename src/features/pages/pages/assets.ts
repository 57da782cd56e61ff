// /assets: the wall of stills with its filters, and the form that creates an asset.

import { compareNames, sameName } from "../../../core/wording.ts";
import { listAssets, versionCount } from "../../../graph/assets.ts";
import { listDepartments } from "../../../graph/departments.ts";
import { createAsset } from "../../../graph/new_assets.ts";
import { nodeStatuses } from "../../../graph/values.ts";
import { type Choosing, chooseRow, chooseWhole, chosenIn, chosenPanel } from "../choosing.ts";
import { timeOf } from "../dates.ts";
import { type EpisodeChoice, episodeChoice } from "../episode_choice.ts";
import { type FormField, fieldInput, hiddenFields, narrowing, postForm } from "../form_parts.ts";
import { html, type Markup } from "../html.ts";
import { capitalized, chip, emptyState, heading, menu, optionsNamed, plural, stateWord, still } from "../html_parts.ts";
import { addressWith, windowOf } from "../list_windows.ts";
import type { PageResult, SubmittedForm, View } from "../page.ts";
import { importLink, isFilled, placeFiller } from "../page_places.ts";
import { FormRefusal, refusalOf } from "../refusals.ts";
import type { OutputOf, Visit } from "../visit.ts";
import { stillsAction, stillsPanel, submitStills } from "./named_stills.ts";
import type { ShownVersion } from "./versions.ts";

type AssetRow = OutputOf<typeof listAssets>[number];

/** A version: its still, if the visitor may see it, and what is known of it. */
export const versionTile = (version: Omit<ShownVersion, "released"> & { released?: boolean }, kind: string): Markup => {
  const { media_id, variant, status, note, note_by, created_by, created_at, archived, released = true } = version;
  const picture = still(media_id === null ? undefined : `/thumbnails/${media_id}`, kind);
  return html`<li>
${media_id === null ? picture : html`<a href="/files/${media_id}">${picture}<span class="unseen">Version ${version.version}, full size</span></a>`}
<p class="label">v${version.version} ${variant} ${chip(status)}${archived && chip("archived")}</p>
<p class="under">${!released && "not released"}${!released && created_by && " · "}${created_by} ${created_at && timeOf(created_at)}</p>
${note && html`<p class="note"><q>${note}</q></p>${note_by && note_by !== created_by && html`<p class="under">${note_by}</p>`}`}
</li>`;
};

function assetTile(row: AssetRow, released: ReadonlySet<number>, choosing: Choosing | undefined): Markup {
  const { node_id, label, kind, status } = row;
  const versions = versionCount(row);
  return html`<li><a class="tile" href="/assets/${node_id}">${still(released.has(node_id) ? `/stills/${node_id}` : undefined, kind)}
<span class="label">${label}</span>
<span class="under">${kind} ${chip(status)}${versions > 0 && html` <span>${plural(versions, "version")}</span>`}</span></a>${choosing && chooseRow(choosing, String(node_id), label)}</li>`;
}

type Department = OutputOf<typeof listDepartments>[number];
const nameOf = ({ slug, name }: Department) => [slug, name] as const;

/** The hidden field of a form that was asked about an asset of the same name. */
const twinField = "of_one_name";

function createForm(visit: Visit, departments: readonly Department[], kinds: readonly string[]): Markup {
  const isAnother = ["bulk", stillsAction].includes(visit.refused?.form.text("action") ?? "");
  const refused = isAnother ? undefined : visit.refused;
  const asked = refused?.status === 409 ? refused.form.text("label") : "";
  const form = html`<datalist id="kinds">${kinds.map((kind) => html`<option value="${kind}"></option>`)}</datalist>
${postForm(visit, {
  fields: [
    hiddenFields({ [twinField]: asked }),
    { name: "label", label: "Name", required: true, maxlength: 300 },
    { name: "kind", label: "Kind", required: true, maxlength: 64, list: "kinds" },
    { name: "department", label: "Department", choices: [["", "none"], ...departments.map(nameOf)] },
  ],
  buttons: [{ text: asked === "" ? "Create the asset" : "Create another one of this name" }],
  of: "new",
})}`;
  return menu("Create an asset", form, refused !== undefined);
}

/** The form that changes the chosen assets, or lets a vendor see them. `shown`: how many the page has. */
async function bulkForm(
  visit: Visit,
  departments: readonly Department[],
  choosing: Choosing,
  shown: number,
): Promise<Markup> {
  const { refused } = choosing;
  const menu = (name: string, label: string, choices: (readonly [string, string])[]) =>
    html`<div class="stack">${fieldInput({ name, label, choices: [["", "as it is"], ...choices] }, name, refused?.form.text(name) ?? "", false)}</div>`;
  const body = html`${hiddenFields({ action: "bulk" })}
${choosing.values.length > 1 && chooseWhole(choosing, shown)}
${menu("set_status", "Status of the chosen", optionsNamed(nodeStatuses))}${menu("set_department", "Department of the chosen", [["-", "none"], ...departments.map(nameOf)])}<button>Change the chosen</button>
${await (await placeFiller("grant_menu"))?.(visit, refused)}`;
  return chosenPanel(visit, choosing, "Change several", body);
}

interface AssetList {
  rows: readonly AssetRow[];
  /** Those that have a released version. */
  released: ReadonlySet<number>;
  /** Those that the address asks for, whatever their status. */
  found: readonly AssetRow[];
  asked: readonly AssetRow[];
  /** What chooses them; undefined if the visitor may not change them. */
  choosing: Choosing | undefined;
  /** The choice of an episode. */
  fields: EpisodeChoice["fields"];
}

async function listOf(visit: Visit): Promise<AssetList> {
  const { given, fields } = await episodeChoice(visit);
  const [listed, released] = await Promise.all([
    visit.ask(listAssets, given),
    visit.ask(listAssets, { ...given, released: true }),
  ]);
  const rows = await visit.byName(listed, ({ label }) => label);
  const stills = new Set(released.map(({ node_id }) => node_id));
  const has = (row: AssetRow, name: "department" | "kind" | "status") =>
    [null, "", row[name]].includes(visit.query.get(name));
  const found = rows.filter(
    (row) =>
      has(row, "department") && has(row, "kind") && (visit.query.get("released") !== "1" || stills.has(row.node_id)),
  );
  const asked = found.filter((row) => has(row, "status"));
  const choosing = visit.mayEdit &&
    isFilled("change_assets") && {
      form: "bulk",
      name: "ids",
      noun: "asset",
      values: asked.map(({ node_id }) => String(node_id)),
      refused: refusalOf(visit, { action: "bulk" }),
    };
  return { rows, released: stills, found, asked, choosing: choosing || undefined, fields };
}

/** The statuses as tabs, and the other filters in a fold. */
function assetFilter(visit: Visit, { rows, found, fields }: AssetList, further: readonly FormField[]): Markup {
  const status = visit.query.get("status") ?? "";
  const known = nodeStatuses.filter((one) => one === status || rows.some((row) => row.status === one));
  const all = ["", ...known].map((one) => ({
    href: addressWith(visit, "status", one || undefined, ["from"]),
    text: one === "" ? "All" : capitalized(stateWord(one)),
    count: one === "" ? found.length : found.filter((row) => row.status === one).length,
    isCurrent: one === status,
  }));
  return narrowing(visit, all, "Filter", [...fields, ...further], ["released", "released"], { status });
}

export async function showAssets(visit: Visit): Promise<View> {
  const list = await listOf(visit);
  const { rows, released, asked, choosing } = list;
  const departments = await visit.byName(await visit.ask(listDepartments, {}), ({ name }) => name);
  const part = windowOf(visit, asked);
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort(compareNames);
  const count = html`<span>${asked.length === rows.length ? plural(rows.length, "asset") : html`${asked.length} of ${plural(rows.length, "asset")}`}</span>`;
  const actions = html`${visit.mayWrite && createForm(visit, departments, kinds)}`;
  const body = html`${heading("Assets", count, { actions })}
${assetFilter(visit, list, [
  { name: "department", label: "Department", choices: departments.map(nameOf) },
  { name: "kind", label: "Kind", choices: optionsNamed(kinds) },
])}
${visit.mayWrite && stillsPanel(visit)}
${
  asked.length === 0
    ? rows.length === 0
      ? emptyState("There are no assets yet.", importLink(visit, "assets", "Import a list of assets"))
      : emptyState("No asset matches. Change the filter above.")
    : html`<ul class="grid stills">${await visit.rows(part.shown, (row) => assetTile(row, released, choosing))}</ul>${part.pager}${choosing && (await bulkForm(visit, departments, choosing, part.shown.length))}`
}`;
  return { title: "Assets", body };
}

export async function submitNew(visit: Visit, form: SubmittedForm): Promise<PageResult> {
  if (form.text("action") === stillsAction) return submitStills(visit, form);
  const isGrant = form.text("chosen") === "grant";
  const change = form.text("action") === "bulk" && (await placeFiller(isGrant ? "grant_assets" : "change_assets"));
  if (change) {
    const { choosing } = await listOf(visit);
    return change(visit, form, choosing ? chosenIn(form, choosing).map(Number) : []);
  }
  const label = form.text("label");
  const isKnown = (one: AssetRow) => sameName(one.label) === sameName(label);
  const known = label === form.text(twinField) ? undefined : (await visit.ask(listAssets, {})).find(isKnown);
  if (known !== undefined)
    throw new FormRefusal(
      409,
      `There is the ${known.kind} ${known.label} already. Nothing was created; send it again to have two of this name.`,
    );
  const { node_id } = await visit.send(createAsset, form, { kind: form.text("kind").toLowerCase() });
  return { location: `/assets/${node_id}` };
}
