// The episodes that a page of a series is about: those in its address, with what leads to the others.
import { listEpisodes } from "../../graph/production.ts";
import { html, type Markup } from "./html.ts";
import { addressWith } from "./list_windows.ts";
import type { Visit } from "./visit.ts";

export interface EpisodeChoice {
  /** What operations are asked for; nothing where the page is about all episodes. */
  given: { episode_id?: number[] };
  /** The field of a filter; none on a single production. */
  fields: { name: string; label: string; choices: [value: string, text: string][] }[];
  /** The same for an address: "?episode_id=2", or nothing. */
  query: string;
  /** Links for a page without a filter. */
  links: Markup | false;
}

export async function episodeChoice(visit: Visit): Promise<EpisodeChoice> {
  const episodes = await visit.ask(listEpisodes, {});
  const asked = visit.query
    .getAll("episode_id")
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
  const given = asked.length > 0 && episodes.length > 0 ? { episode_id: asked } : {};
  const query = given.episode_id === undefined ? "" : `?${asked.map((id) => `episode_id=${id}`).join("&")}`;
  if (episodes.length < 2) return { given, fields: [], query, links: false };
  const choices = episodes.map(({ id, code }): [string, string] => [String(id), code]);
  const link = (id: string | undefined, text: string) =>
    (id === undefined ? asked.length === 0 : asked.includes(Number(id)))
      ? html`<b>${text}</b> `
      : html`<a href="${addressWith(visit, "episode_id", id)}">${text}</a> `;
  const links = html`<span>${link(undefined, "All episodes")}${choices.map(([id, code]) => link(id, code))}</span>`;
  return { given, fields: [{ name: "episode_id", label: "Episode", choices }], query, links };
}
