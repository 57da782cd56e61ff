// /settings/episodes: the episodes of a series in their order, with what each has, and the current one; for a single
// production, the form that makes a series of it.
import { notFound, unprocessable } from "../../../core/errors.ts";
import { getProduction, listEpisodes } from "../../../graph/production.ts";
import { runJob } from "../../documents/jobs/import_job.ts";
import { importDocuments } from "../../documents/operations.ts";
import { save, savedRedirect } from "../../documents/pages/save.ts";
import type { Plan } from "../../documents/planned.ts";
import { formatEighths } from "../../names/page_lengths.ts";
import { episodeTotals } from "../../pages/episode_totals.ts";
import { postForm } from "../../pages/form_parts.ts";
import { html, type Markup } from "../../pages/html.ts";
import { dataTable, panel, plural } from "../../pages/html_parts.ts";
import type { Redirect, SubmittedForm } from "../../pages/page.ts";
import { editLink } from "../../pages/page_places.ts";
import type { OutputOf, Visit } from "../../pages/visit.ts";
import type { SeriesRequest } from "../begin_series.ts";

type Episode = OutputOf<typeof listEpisodes>[number];

const path = "/settings/episodes";

/** The form that makes a series of a single production. */
const beginForm = (visit: Visit): Markup =>
  panel(
    "Make it a series",
    html`<p>This production has no episodes. All its scenes, and its script, go to the first episode. It can be undone while there is one episode.</p>
${postForm(visit, {
  fields: [
    {
      name: "code",
      label: "Code of the first episode",
      hint: "such as 101",
      maxlength: 50,
      required: true,
      literal: true,
    },
    { name: "title", label: "Title", hint: "of the episode; its code if empty", maxlength: 300 },
    { name: "season", label: "Season", hint: "1 if empty", inputmode: "numeric", maxlength: 4 },
  ],
  buttons: [{ text: "Begin the series", value: "begin" }],
})}`,
  );

export async function showEpisodes(visit: Visit): Promise<Markup> {
  const [production, episodes] = [await visit.ask(getProduction, {}), await visit.ask(listEpisodes, {})];
  if (production.format === "single") return beginForm(visit);
  const totals = episodeTotals(visit.context.app.store, visit.context.caller.production_id);
  const rows = await visit.each([...episodes.entries()], ([at, episode]) => {
    const { id, code, title } = episode;
    const { scenes = 0, eighths = 0 } = totals.get(id) ?? {};
    const isCurrent = id === production.current_episode_id;
    const button = (text: string, value: string) =>
      postForm(visit, {
        hidden: { episode: id },
        buttons: [{ text, value, kind: "quiet", about: `${text}: ${code}` }],
      });
    return html`<tr><th scope="row"><a href="/edit/episodes/${id}">${code}</a></th><td dir="auto">${title}</td>
<td class="amount"><a href="/scenes?episode_id=${id}">${plural(scenes, "scene")}</a></td><td class="amount">${formatEighths(eighths)}</td>
<td>${isCurrent ? html`<span class="chip now">current</span>` : button("Make it current", "current")}</td>
<td><div class="row">${at > 0 && button("Earlier", "earlier")}${at < episodes.length - 1 && button("Later", "later")}</div></td></tr>`;
  });
  const headers = ["Code", "Title", "Scenes", "Pages", "Current", "Order"];
  return html`<p class="facts"><span>${plural(episodes.length, "episode")}</span>${editLink(visit, "/edit/episodes", "New episode")}</p>
<p class="hint">Scenes stand in the order of their episodes. A click on a code changes it, or the title. Script changes are those of the current episode unless others are asked for.</p>
${dataTable("Episodes", headers, rows, ["Scenes", "Pages"])}`;
}

/** The episodes with one of them a place earlier or later, as a document lists them. */
function moved(episodes: readonly Episode[], id: number, by: number): { code: string }[] {
  const codes = episodes.map(({ code }) => ({ code }));
  const at = episodes.findIndex((one) => one.id === id);
  const [one] = codes.splice(at, 1);
  if (one !== undefined) codes.splice(Math.max(0, at + by), 0, one);
  return codes;
}

async function begin(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const [code, title, season] = ["code", "title", "season"].map((name) => form.optional(name));
  if (code === undefined) throw unprocessable("give the code of the first episode, such as 101");
  if (season !== undefined && !/^[1-9]\d{0,3}$/.test(season)) throw unprocessable("the season is a number from 1");
  const { production_id } = visit.context.caller;
  const request: SeriesRequest = { production_id, code, title, season: season === undefined ? 1 : Number(season) };
  const module = new URL("../begin_series.ts", import.meta.url).href;
  const text = await runJob(visit.context, { module, request, is_large: true }, 0);
  const { change_set }: Plan = JSON.parse(text); // of the work
  return savedRedirect(path, change_set);
}

export async function submitEpisodes(visit: Visit, form: SubmittedForm): Promise<Redirect> {
  const action = form.text("action");
  if (action === "begin") return begin(visit, form);
  const episodes = await visit.ask(listEpisodes, {});
  const one = episodes.find(({ id }) => id === Number(form.text("episode")));
  if (one === undefined) throw notFound();
  if (action === "current") {
    const document = { production: { current_episode: one.code } };
    const { change_set } = await visit.ask(importDocuments, { document });
    return savedRedirect(path, change_set);
  }
  const by = action === "earlier" ? -1 : 1;
  return savedRedirect(path, await save(visit, { episodes: moved(episodes, one.id, by) }));
}
