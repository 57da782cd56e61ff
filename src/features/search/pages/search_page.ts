// /search: what the operation of that name finds, in groups.
import type { Scope } from "../../../core/access/callers.ts";
import { dateText } from "../../pages/dates.ts";
import { html, type Markup } from "../../pages/html.ts";
import { emptyState, heading, listPanel, sceneWord, stateWord } from "../../pages/html_parts.ts";
import type { Redirect, View } from "../../pages/page.ts";
import type { Visit } from "../../pages/visit.ts";
import { type SearchResult, search } from "../search.ts";

const maxResults = 200;

/** Where the things of a kind are, for who has the scope of that page. */
const groups: Readonly<Record<SearchResult["kind"], { title: string; href: (id: number) => string; scope?: Scope }>> = {
  scene: { title: "Scenes", href: (id) => `/scenes/${id}` },
  asset: { title: "Assets", href: (id) => `/assets/${id}` },
  shoot_day: { title: "Shoot days", href: (id) => `/days/${id}` },
  delivery: { title: "Deliveries", href: (id) => `/deliveries/${id}` },
  approval: { title: "Approvals", href: (id) => `/approvals?show=${id}` },
  person: { title: "People", href: () => "/people" },
  vendor: { title: "Vendors", href: () => "/settings/vendors", scope: "admin" },
  purchase_order: { title: "Purchase orders", href: () => "/orders" },
  department: { title: "Departments", href: () => "/people" },
};
const kinds = Object.keys(groups) as SearchResult["kind"][]; // the keys of the object

/** What is stored of a thing, with its dates and its status as pages write them. */
const shownExcerpt = (kind: SearchResult["kind"], excerpt: string): string =>
  excerpt
    .replace(/\b\d{4}-\d\d-\d\d\b/g, (date) => dateText(date))
    .split(" · ")
    .map((part) => (/^[a-z_]{1,40}$/.test(part) ? (kind === "scene" ? sceneWord(part) : stateWord(part)) : part))
    .join(" · ");

function group(visit: Visit, kind: SearchResult["kind"], found: readonly SearchResult[]): Markup {
  const { title, href, scope = "read" } = groups[kind];
  return listPanel(
    title,
    found.map(
      ({ id, label, excerpt }) =>
        html`<li>${visit.holds(scope) ? html`<a href="${href(id)}">${label}</a>` : html`<strong>${label}</strong>`} <span class="under">${shownExcerpt(kind, excerpt)}</span></li>`,
    ),
  );
}

/** The words by which things were found instead, each way once. */
const correctedOf = (found: readonly SearchResult[]): string =>
  [...new Set(found.map(({ corrected }) => `“${corrected}”`))].slice(0, 5).join(", ");

export async function showSearch(visit: Visit): Promise<View | Redirect> {
  const q = (visit.query.get("q") ?? "").trim().slice(0, 200);
  if (q === "")
    return {
      title: "Search",
      body: html`${heading("Search")}${emptyState("Type a scene number or some words above.")}`,
    };
  const found = await visit.ask(search, { q, limit: maxResults });
  const named = found.filter(({ rank }) => rank === 0);
  const [only] = named;
  if (only?.kind === "scene" && named.length === 1) return { location: groups.scene.href(only.id) };
  const body = html`${heading(`“${q}”`)}
${
  found.length === 0
    ? emptyState("Nothing has this number or these words.")
    : html`${found[0]?.corrected != null && html`<p>Nothing has these words. Shown is what has ${correctedOf(found)}.</p>`}<div class="masonry">${kinds.map(
        (kind) =>
          group(
            visit,
            kind,
            found.filter((result) => result.kind === kind),
          ),
      )}</div>`
}
${found.length === maxResults && html`<p class="under">Only the first ${maxResults} are shown; type more words.</p>`}`;
  return { title: `Search: ${q}`, body };
}
