// The printing of a call sheet: the button, and what has changed since it was printed last. The server keeps what that sheet said.
import { formatEighths } from "../../names/sluglines.ts";
import { timeOf } from "../../pages/dates.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, lines } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { markPage, mayMarkPages, pageMark } from "../../pages/page_marks.ts";
import { sceneFactsOf, sceneNumber } from "../../pages/scene_facts.ts";
import type { Visit } from "../../pages/visit.ts";
import { getDayBundle } from "../day_bundle.ts";
import { type DayBundle, whereOf } from "./attention.ts";
import { callOf, castText, isShot, needsOf } from "./sheet_facts.ts";

/** What a sheet says, by what it is about. */
type Facts = Readonly<Record<string, string>>;

/** The words of a sheet in which a change matters to those who have it on paper. */
function factsOf(bundle: DayBundle): Facts {
  const { day, scenes, cast } = bundle;
  const members = new Map(cast.map((member) => [member.node_id, member]));
  const sceneText = (scene: DayBundle["scenes"][number]): string => {
    const facts = sceneFactsOf(scene);
    const { place, set, time, eighths } = facts;
    const pages = eighths === undefined ? "" : `${formatEighths(eighths)} pg`;
    const who = castText(scene, members, facts);
    return isShot(scene)
      ? [`${place} ${set}`, time, pages, who && `cast ${who}`].filter(Boolean).join(", ")
      : "omitted";
  };
  const callsOf = (who: string, ids: readonly (number | undefined)[]) =>
    (day.calls ?? []).filter((call) => ids.includes(call.node_id) && (call.node_id !== undefined || call.who === who));
  const callText = (calls: NonNullable<DayBundle["day"]["calls"]>) =>
    calls.map(({ time, note }) => [time, note].filter(Boolean).join(" ")).join(", ");
  const others = new Set(
    (day.calls ?? []).flatMap(({ who, node_id }) => (node_id !== undefined && members.has(node_id) ? [] : [who])),
  );
  const entries: [string, string | undefined][] = [
    ["the date", day.date],
    ["the general call", callOf(bundle)],
    ["the location", whereOf(bundle)],
    ["the wrap", day.wrap],
    ["the notes", day.notes],
    ["the order of the scenes", scenes.map(sceneNumber).join(", ")],
    [
      "between the scenes",
      day.banners?.map(({ text, before }) => (before === null ? text : `${text} before scene ${before}`)).join("; "),
    ],
    ...scenes.map((scene): [string, string] => [`scene ${sceneNumber(scene)}`, sceneText(scene)]),
    ...cast.map(({ node_id, label }): [string, string] => [
      `the call of ${label}`,
      callText(callsOf(label, [node_id])) || callOf(bundle),
    ]),
    ...[...others].map((who): [string, string] => [
      `the call of ${who}`,
      callText((day.calls ?? []).filter((call) => call.who === who)),
    ]),
    ...[...needsOf(scenes)].map(([category, things]): [string, string] => [
      category,
      [...things].map(([thing, of]) => `${thing} (${of.join(", ")})`).join(", "),
    ]),
  ];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** What a sheet says now and did not say then, each as a sentence. */
function changesBetween(then: Facts, now: Facts): Markup[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((name) => then[name] !== now[name]);
  return names.map((name) => {
    const title = html`<b>${capitalized(name)}</b>`;
    if (then[name] === undefined) return html`<li>${title} is new: <ins>${now[name]}</ins></li>`;
    if (now[name] === undefined) return html`<li>${title} is gone: <del>${then[name]}</del></li>`;
    return html`<li>${title}: <del>${then[name]}</del> → <ins>${now[name]}</ins></li>`;
  });
}

const nameOf = ({ day }: DayBundle): string => `call sheet ${day.id}`;

/** The button that prints, and what has changed since the last printing. */
export function printing(visit: Visit, bundle: DayBundle): Markup {
  const text = "Print, or save as PDF";
  if (!mayMarkPages(visit)) return html`<p><button type="button" class="quiet" data-print hidden>${text}</button></p>`;
  const former = pageMark(visit, nameOf(bundle));
  const changes = former === undefined ? [] : changesBetween(JSON.parse(former.content) as Facts, factsOf(bundle)); // markPage wrote Facts
  const when = former && html`printed ${timeOf(former.marked_at)} by ${former.marked_by}`;
  const notice =
    visit.query.has("printed") &&
    html`<p role="status" data-printing>Noted. If no dialog opens, use the browser's own command to print.</p>`;
  return html`<div class="row">${postForm(visit, { buttons: [{ text, name: "printed", value: "1", kind: "quiet" }] })}${when && changes.length === 0 && html`<p class="under">Last ${when}; nothing has changed since.</p>`}</div>${notice}
${changes.length > 0 && html`<section class="panel notice warn"><h2>Changed since it was ${when}</h2>${lines(changes)}</section>`}`;
}

/** Keeps what the sheet says, which is printed then. */
export async function recordPrinting(visit: Visit, _form: SubmittedForm): Promise<Redirect> {
  const bundle = await visit.ask(getDayBundle, { shoot_day_id: visit.id("shoot_day_id") });
  if (mayMarkPages(visit)) await markPage(visit, nameOf(bundle), factsOf(bundle));
  return { location: `${visit.ctx.path}?printed=1` };
}
