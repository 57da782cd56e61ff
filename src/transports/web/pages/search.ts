// /search: scenes by number, and everything else by label.
import { listAssets } from "../../../operations/assets.ts";
import { listDeliveries } from "../../../operations/deliveries.ts";
import { listPeople } from "../../../operations/people.ts";
import { listScenes } from "../../../operations/scenes.ts";
import { html, type Markup } from "../html.ts";
import type { Page, Redirect, View } from "../page.ts";
import { emptyState, heading, panel } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { sceneNumber } from "./scenes.ts";

const maxResults = 50;

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

interface Result {
  href: string;
  label: string;
  under: string;
}

/** The results whose text contains every word that was searched. */
const matching = (results: readonly Result[], words: readonly string[]): Result[] =>
  results.filter(({ label, under }) => {
    const text = fold(`${label} ${under}`);
    return words.every((word) => text.includes(word));
  });

async function everything(visit: Visit): Promise<[title: string, results: Result[]][]> {
  const [scenes, assets, deliveries, people] = await Promise.all([
    visit.ask(listScenes, {}),
    visit.ask(listAssets, {}),
    visit.ask(listDeliveries, {}),
    visit.ask(listPeople, {}),
  ]);
  return [
    [
      "Scenes",
      scenes.map((scene) => ({
        href: `/scenes/${scene.node_id}`,
        label: `${sceneNumber(scene)} ${scene.slugline}`,
        under: scene.synopsis ?? "",
      })),
    ],
    [
      "Assets",
      assets.map(({ node_id, label, kind, department }) => ({
        href: `/assets/${node_id}`,
        label,
        under: [kind, department].filter(Boolean).join(", "),
      })),
    ],
    [
      "Deliveries",
      deliveries.map(({ id, title, external_to }) => ({
        href: `/deliveries/${id}`,
        label: title,
        under: external_to ?? "",
      })),
    ],
    ["People", people.map(({ name, role }) => ({ href: "/people", label: name, under: role }))],
  ];
}

const group = (title: string, found: readonly Result[]): Markup =>
  panel(
    title,
    html`<ul class="lines">${found.slice(0, maxResults).map(({ href, label, under }) => html`<li><a href="${href}">${label}</a> <span class="under">${under}</span></li>`)}${
      found.length > maxResults &&
      html`<li class="under">and ${found.length - maxResults} more; type more of the name</li>`
    }</ul>`,
    found.length,
  );

async function showSearch(visit: Visit): Promise<View | Redirect> {
  const query = (visit.query.get("q") ?? "").trim().slice(0, 200);
  if (query === "")
    return {
      title: "Search",
      body: html`${heading("Search")}${emptyState("Type a scene number or a part of a label above.")}`,
    };
  const scenes = (await visit.ask(listScenes, {})).filter(
    (scene) => fold(scene.number) === fold(query) || fold(sceneNumber(scene)) === fold(query),
  );
  const [only] = scenes;
  if (only !== undefined && scenes.length === 1) return { location: `/scenes/${only.node_id}` };
  const words = fold(query).split(/\s+/);
  const groups = (await everything(visit)).map(([title, all]) => [title, matching(all, words)] as const);
  const found = groups.filter(([, results]) => results.length > 0);
  const body = html`${heading(`“${query}”`)}
${found.length === 0 ? emptyState("Nothing has this number or label.") : html`<div class="masonry">${found.map(([title, results]) => group(title, results))}</div>`}`;
  return { title: `Search: ${query}`, body };
}

export const searchPage: Page = { path: "/search", reach: "production", show: showSearch };
