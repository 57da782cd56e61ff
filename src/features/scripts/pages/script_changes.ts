// /settings/script-changes: what a new draft changes, in sentences and in the order of the script, to approve or to
// dismiss.

import { HttpError, unprocessable } from "../../../core/errors.ts";
import { adminOf } from "../../../graph/admin.ts";
import { listScriptChanges } from "../../../graph/script_changes.ts";
import { dayText } from "../../../graph/units.ts";
import { difference } from "../../documents/pages/plan_view.ts";
import { save, savedRedirect } from "../../documents/pages/save.ts";
import { keepWarnings } from "../../documents/pages/saved_warnings.ts";
import { keyOf, sceneName } from "../../documents/sections/sections.ts";
import { listHistory } from "../../history/history.ts";
import { textsIn } from "../../names/sluglines.ts";
import { chosenPanel } from "../../pages/choosing.ts";
import { dateText, timeOf } from "../../pages/dates.ts";
import { ComparedTexts } from "../../pages/differences.ts";
import { episodeChoice } from "../../pages/episode_choice.ts";
import { checkBox, hiddenFields } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { chip, emptyState, lines, panel, revisionChip, wordOf } from "../../pages/html_parts.ts";
import { listPage } from "../../pages/list_windows.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import { decideScriptChanges } from "../operations.ts";
import {
  type Elsewhere,
  elsewhereText,
  namedElsewhere,
  type RenameScope,
  renameAsked,
  renameScopes,
} from "../other_episodes.ts";
import { concernedDays, type LeftLink, leftLinks, proposedTexts, takenNumbers } from "../script_store.ts";
import { broughtBy, type Concerned, concernedBy, groupOf, groups, movedByAll } from "./what_follows.ts";

type Change = OutputOf<typeof listScriptChanges>[number];
type Texts = ReadonlyMap<number, { before: string | null; after: string | null }>;

interface Shown {
  texts: Texts;
  compared: ComparedTexts;
  concerned: Concerned;
  /** The other episodes that have the former name of a rename, by the id of its change. */
  elsewhere: ReadonlyMap<number, readonly Elsewhere[]>;
  /** A calendar date. */
  today: string;
  /** The ids that a refused form has chosen. */
  chosen: ReadonlySet<string>;
}

const path = "/settings/script-changes";

/**
 * The line of a field: a sentence for the place, both texts side by side, otherwise what it was and what it becomes.
 */
function fieldLine(
  { name, from, to }: { name: string; from: unknown; to: unknown },
  text: Markup | undefined,
  compared: ComparedTexts,
): Markup {
  if (name === "order") {
    const follows = (number: unknown) => (number === null || number === undefined ? "first" : `after scene ${number}`);
    return html`<dt>place</dt><dd>${from !== null && html`<del>${follows(from)}</del> → `}<ins>${follows(to)}</ins></dd>`;
  }
  if (name === "omitted") return html`<dt>scene</dt><dd>${to === true ? "is omitted" : "comes back"}</dd>`;
  return html`<dt>${wordOf(name)}</dt><dd>${name === "text" ? (text ?? "changed") : from === null ? html`<ins>${Array.isArray(to) ? to.join(", ") : String(to)}</ins>` : difference(from, to, compared)}</dd>`;
}

function textOf({ id, kind }: Change, { texts, compared }: Shown): Markup | undefined {
  const found = texts.get(id);
  if (found === undefined) return undefined;
  const { before, after } = found;
  if (kind === "changed" && before !== null && after !== null) return compared.sideBySide(before, after, "script");
  const only = kind === "omitted" ? before : after;
  return only ? html`<p class="text script">${only}</p>` : undefined;
}

function linesOf(change: Change, shown: Shown): Markup {
  const text = textOf(change, shown);
  const entries = Object.entries(change.fields);
  const rows = entries.map(([name, { from, to }]) => fieldLine({ name, from, to }, text, shown.compared));
  if (text !== undefined && !("text" in change.fields) && change.kind !== "changed")
    rows.push(html`<dt>text</dt><dd>${text}</dd>`);
  return html`${(change.draft === null || rows.length === 0) && html`<p>${change.summary}</p>`}${rows.length > 0 && html`<dl>${rows}</dl>`}`;
}

type ConcernedDay = NonNullable<Change["concerns"]>["shoot_days"][number];

/** Whether a day was shot, by its status, or else by its date. */
const isShot = ({ status, date }: ConcernedDay, today: string): boolean =>
  /^(?:shot|wrap|done|complete|finished|gedreht|abgedreht|fertig|tourn|terminé)/i.test(status) ||
  (date < today && !/^(?:cancel|postpone|moved|abgesagt|verschoben|annul|report)/i.test(status));

/** Days with what they are for a scene: "Shot on day 3", "planned for day 20". */
const daysText = (words: string, days: readonly ConcernedDay[]): Markup =>
  html`${words} ${days.map((day, at) => html`${at > 0 && " and "}<a href="/days/${day.id}">${dayText(day)}, ${dateText(day.date)}</a>`)}`;

/** The shoot days that have the scene, and who else is concerned. */
function concernsLine({ concerns }: Change, today: string): Markup {
  if (concerns === undefined) return html``;
  const { shoot_days, departments, vendors } = concerns;
  const shot = shoot_days.filter((day) => isShot(day, today));
  const planned = shoot_days.filter((day) => !shot.includes(day));
  return html`<p class="under">${shoot_days.length === 0 && "On no shoot day"}${shot.length > 0 && daysText("Shot on", shot)}${
    planned.length > 0 && daysText(shot.length > 0 ? ", planned for" : "Planned for", planned)
  }${departments.length > 0 && ` · ${departments.join(", ")}`}${vendors.length > 0 && ` · ${vendors.join(", ")}`}</p>`;
}

function changeCard(change: Change, shown: Shown, mayDecide: boolean): Markup {
  const { id, kind, status, node_id, revision_color, detected_at, draft, decided_by } = change;
  const number = sceneName(change.scene_number, change.episode_code || null);
  const button = (decision: string, text: string, style: string) =>
    html`<button form="decide" name="one" value="${decision}:${id}" class="${style}" aria-label="${text} the change of scene ${number}">${text}</button>`;
  const elsewhere = status === "pending" ? shown.elsewhere.get(id) : undefined;
  const { from, to } = change.fields.character ?? {};
  const answers =
    elsewhere === undefined
      ? button("approved", "Approve", "quiet")
      : html`${button("everywhere", `${to} in every episode`, "quiet")}${button("episode", `${to} is a new character of ${change.episode_code}`, "quiet")}`;
  return html`<li class="panel" id="change-${id}">
<h3 class="row">${mayDecide && html`<label class="check"><input type="checkbox" form="decide" name="ids" value="${id}"${shown.chosen.has(String(id)) && html` checked`} aria-label="Choose scene ${number}"></label>`}${node_id === null ? html`Scene ${number}` : html`<a href="/scenes/${node_id}">Scene ${number}</a>`} <span class="chip ${kind === "omitted" ? "bad" : "warn"}">${kind}</span> ${status !== "pending" && chip(status)} ${revisionChip(revision_color)}</h3>
${linesOf(change, shown)}
${concernsLine(change, shown.today)}
${mayDecide && draft !== null && broughtBy(change, shown.concerned)}
<p class="under">${timeOf(detected_at)}${draft !== null && html`, ${draft.file}`}${decided_by !== null && html`, decided by ${decided_by}`}</p>
${elsewhere && html`<p>${elsewhereText(String(from), elsewhere)}. How is it meant?</p>`}
${mayDecide && html`<div class="row">${answers}${button("dismissed", "Dismiss", "plain")}</div>`}
</li>`;
}

/** `waiting`: the ids of all changes that wait, newest first, if the page does not show all of them. */
function decideForm(visit: Visit, shown: readonly Change[], waiting: readonly number[]): Markup {
  const check = (name: string, value: string, text: string) =>
    checkBox(name, value, text, visit.refused?.form.text(name) === value);
  return chosenPanel(
    visit,
    { form: "decide", refused: visit.refused },
    "Decide several",
    html`${hiddenFields({ shown: shown.map(({ id }) => id).join(" ") })}
${check("every", "1", `all ${shown.length} that are shown`)}
${waiting.length > 0 && check("waiting", String(waiting[0]), `all ${waiting.length} that wait, also on the further pages`)}
${check("follow", "1", "with what follows: new parts on the day of their scene, omitted scenes off their days, links of who left")}
<button name="decision" value="approved">Approve the chosen</button>
<button name="decision" value="dismissed" class="quiet">Dismiss the chosen</button>`,
  );
}

/** How many changes a page shows that wait, each with its text before and after, and how many that were decided. */
const [pendingShown, decidedShown] = [20, 10];

export async function showChanges(visit: Visit): Promise<Markup> {
  const episodes = await episodeChoice(visit);
  const own = episodes.given.episode_id === undefined ? { all_episodes: true } : episodes.given;
  const decidedOf = (status: "approved" | "dismissed") =>
    visit.ask(listScriptChanges, { status, ...own, limit: decidedShown });
  const given = {
    status: "pending",
    ...own,
    include: "concerns",
    order: "script",
    limit: pendingShown,
  } as const;
  const [{ rows: pending, link, isWhole }, ...both] = await Promise.all([
    listPage(visit, listScriptChanges, given, "More that wait"),
    decidedOf("approved"),
    decidedOf("dismissed"),
  ]);
  const isFirst = !isWhole && !visit.query.has("after");
  const waiting = isFirst ? await visit.ask(listScriptChanges, { status: "pending", ...own }) : [];
  const decided = both
    .flat()
    .toSorted((one, other) => other.detected_at.localeCompare(one.detected_at) || other.id - one.id)
    .slice(0, decidedShown);
  const { app, caller } = visit.context;
  const key = { production_id: caller.production_id };
  const { today } = visit;
  const texts: Texts = new Map(proposedTexts(app.store, key).map((row) => [row.id, row]));
  const links = leftLinks(app.store, key);
  const compared = new ComparedTexts();
  const days = concernedDays(app.store, key);
  const elsewhere = namedElsewhere(
    app.store,
    caller.production_id,
    pending.flatMap(({ id, episode_id = null, fields }) => renameAsked({ id, episode_id, fields })),
  );
  const concerned = concernedBy(days, takenNumbers(app.store, key));
  const chosen = new Set(visit.refused?.form.texts("ids"));
  const shown = { texts, compared, today, elsewhere, concerned, chosen };
  const ids = new Set<number | null>(episodes.given.episode_id);
  const ofPage = ids.size === 0 ? days : days.filter(({ episode_id }) => ids.has(episode_id));
  const cards = async (of: readonly Change[], mayDecide: boolean) =>
    html`<ul class="flow">${await visit.each(of, (change) => changeCard(change, shown, mayDecide))}</ul>`;
  const grouped = Object.groupBy(pending, groupOf);
  const sections: Markup[] = [];
  for (const group of groups) {
    const of = grouped[group] ?? [];
    if (of.length > 0) sections.push(html`<h2>${group}</h2>${await cards(of, true)}`);
  }
  return html`${episodes.links && html`<p class="facts">${episodes.links}</p>`}<p class="hint">If you approve a change, it is applied to the scene, which keeps its strips, assets and approvals.</p>
${
  pending.length === 0
    ? emptyState(
        "No script change is to decide. Import a new draft to find what it changes.",
        html`<a href="/settings/import?as=fountain">Import a draft</a>`,
      )
    : html`${sections}${link}${movedByAll(ofPage, pending.length)}${decideForm(
        visit,
        pending,
        waiting.map(({ id }) => id),
      )}`
}
${links.length > 0 && panel("Still linked", lines(links.map((one) => questionOf(visit, one))))}
${decided.length > 0 && panel("Decided", html`<details><summary>The last ${decided.length}</summary>${await cards(decided, false)}</details>`)}`;
}

/** Asks about the links that persons made to characters whom an approved change took out of the cast of a scene. */
function questionOf(visit: Visit, { change_id, node_id, asset_id, label, number, episode }: LeftLink): Markup {
  const scene = sceneName(number, episode);
  return html`<li><a href="/assets/${asset_id}">${label}</a> is no longer in the cast of <a href="/scenes/${node_id}">scene ${scene}</a>, but a person made the link. Is it still meant?
<form method="post" action="${path}" class="row">${visit.proof}<button name="unlink" value="${asset_id}:${node_id}" class="quiet" aria-label="Take ${label} out of scene ${scene}">Take it away</button>
<button name="keep" value="${change_id}:${label}" class="quiet" aria-label="Keep ${label} in scene ${scene}">Keep it</button></form></li>`;
}

/** The change set of a decision: both have the time of the commit. */
async function setOf(visit: Visit, decided_at: string | null): Promise<number | undefined> {
  if (decided_at === null) return undefined;
  const newest = await visit.ask(listHistory, { limit: 20 });
  return newest.find(({ at, source }) => at === decided_at && source === "script changes")?.id;
}

/**
 * What the form decides: one change by its own button, the chosen ones, all that it showed, or all that waited when it
 * was shown.
 */
async function requested(
  visit: Visit,
  form: SubmittedForm,
): Promise<{ ids: number[]; decision: string; rename?: RenameScope; left?: string[] }> {
  const [decision = "", id] = form.text("one").split(":");
  const rename = renameScopes.find((scope) => scope === decision);
  if (id !== undefined && rename !== undefined) return { ids: [Number(id)], decision: "approved", rename };
  if (id !== undefined) return { ids: [Number(id)], decision };
  const newest = Number(form.text("waiting"));
  const isOfAll = newest > 0;
  const chosen = form.text("every") === "1" ? form.text("shown").split(" ") : form.texts("ids");
  const given = { decision: form.text("decision"), ids: chosen.map(Number) };
  if (!isOfAll && form.text("every") !== "1") return given;
  const { given: own } = await episodeChoice(visit);
  const which = isOfAll && own.episode_id !== undefined ? own : { all_episodes: true };
  const pending = await visit.ask(listScriptChanges, { status: "pending", ...which });
  const meant = new Set(isOfAll ? pending.flatMap(({ id }) => (id <= newest ? [id] : [])) : given.ids);
  if (given.decision !== "approved") return { ...given, ids: [...meant] };
  const { open, left } = openRenames(
    visit,
    pending.filter(({ id }) => meant.has(id)),
  );
  const closed = meant.difference(open);
  // Of such renames alone, the refusal says why.
  return closed.size === 0 ? { ...given, ids: [...meant] } : { ...given, ids: [...closed], left };
}

/** The renames that nobody approves without saying how they are meant, and which they are, and why. */
function openRenames({ context: { app, caller } }: Visit, changes: readonly Change[]) {
  const asked = changes.flatMap(({ id, episode_id = null, fields }) => renameAsked({ id, episode_id, fields }));
  const elsewhere = namedElsewhere(app.store, caller.production_id, asked);
  const left = changes.flatMap(({ id, episode_code, fields: { character } }) => {
    const found = elsewhere.get(id);
    const [from, to] = [String(character?.from), String(character?.to)];
    return found === undefined
      ? []
      : `left to decide: ${from} is ${to} in ${episode_code}, and ${elsewhereText(from, found)}; its two buttons say how it is meant`;
  });
  return { open: new Set(elsewhere.keys()), left };
}

/** Takes a character out of a scene: the answer about one link, such as "12:92". */
async function takeAway(visit: Visit, link: string): Promise<Redirect> {
  const [asset, scene] = link.split(":").map(Number) as [number, number]; // as the button has it
  // it reads documents, which the page itself does not need
  const { storedThing } = await import("../../documents/things.ts");
  const admin = adminOf(visit.context);
  const name = keyOf("assets", storedThing(admin, "assets", asset).raw);
  const { raw } = storedThing(admin, "scenes", scene);
  const assets = textsIn(raw.assets).filter((one) => one !== name);
  const of = { number: raw.number, ...(raw.episode !== undefined && { episode: raw.episode }) };
  return savedRedirect(path, await save(visit, { scenes: [{ ...of, assets }] }));
}

/** A refusal that names the scenes of changes, and not their ids. */
async function inScenes(visit: Visit, error: HttpError): Promise<HttpError> {
  const lists = (["pending", "approved", "dismissed"] as const).map((status) =>
    visit.ask(listScriptChanges, { status, all_episodes: true }),
  );
  const changes = new Map((await Promise.all(lists)).flat().map((change) => [String(change.id), change]));
  const text = error.message.replace(/script change (\d+)/g, (named, id: string) => {
    const { scene_number, episode_code } = changes.get(id) ?? {};
    return scene_number === undefined ? named : `the change of scene ${sceneName(scene_number, episode_code || null)}`;
  });
  return new HttpError(error.status, text);
}

export async function submitChanges(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  if (form.text("unlink") !== "") return takeAway(visit, form.text("unlink"));
  const [, id, name] = /^(\d+):(.*)$/.exec(form.text("keep")) ?? [];
  if (id !== undefined && name !== undefined) {
    await visit.ask(decideScriptChanges, { ids: [Number(id)], decision: "approved", keep: [name] });
    return savedRedirect(path, undefined);
  }
  const { ids, decision: asked, rename, left = [] } = await requested(visit, form);
  if (ids.length === 0) throw unprocessable("choose at least one change");
  const decision = asked === "approved" ? "approved" : "dismissed";
  const given = { ids, decision, follow: form.text("follow") === "1", rename } as const;
  const { decided_at, warnings = [] } = await visit.ask(decideScriptChanges, given).catch(async (error: unknown) => {
    throw error instanceof HttpError && [409, 422].includes(error.status) ? await inScenes(visit, error) : error;
  });
  const set = await setOf(visit, decided_at);
  keepWarnings(visit, set, [...left, ...warnings]);
  return savedRedirect(path, set);
}
