// The frame around every page: the production's title, the navigation, search and sign-out.
import { features } from "../../core/features.ts";
import { localTime } from "./dates.ts";
import { page as documentOf, html, type Markup } from "./html.ts";
import { countMyWork } from "./my_work.ts";
import type { View, WebPage } from "./page.ts";
import { hasPage, placeFiller } from "./page_places.ts";
import { addressOfFile } from "./static_files.ts";
import type { Visit } from "./visit.ts";

/** `waits`: how much waits for the visitor there. */
type Entry = readonly [path: string, label: string, waits?: number];

/** The pages of the features that have an entry, in the order of their places. */
const menu = features()
  .flatMap(({ pages = [] }) => pages)
  .flatMap(({ path, menu: entry }) => (entry === undefined ? [] : [{ path, ...entry }]))
  .sort((one, other) => one.place - other.place);
const productionEntries = menu.map(({ path, label }): Entry => [path, label]);
/** What a phone shows at its bottom. */
const onPhone: readonly string[] = menu.filter(({ phone }) => phone).map(({ path }) => path);

/** The pages that a visitor is offered. */
export function entriesOf(visit: Visit): readonly Entry[] {
  const orders: readonly Entry[] = visit.holds("read:money") ? [["/orders", "Orders"]] : [];
  if (visit.isVendor) return [["/turnovers", "Deliveries"], ...orders];
  const settings: readonly Entry[] = visit.mayEdit ? [["/settings", "Settings"]] : [];
  return [...productionEntries, ...orders, ...settings];
}

/** The greatest number that the menu writes out, because a phone has no room for more. */
const maxShown = 99;

const items = (entries: readonly Entry[], current: string | undefined): Markup =>
  html`${entries.map(
    ([
      path,
      label,
      waits = 0,
    ]) => html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${label}${waits > 0 && html` <span class="chip warn">${waits > maxShown ? `${maxShown}+` : waits}<span class="unseen"> wait for you</span></span>`}</a></li>
`,
  )}`;

/**
 * The navigation stands after the content, so that the keyboard reaches the content first. The style puts it on top,
 * and on a phone at the bottom, where the further entries are behind one that opens.
 */
function navigation(entries: readonly Entry[], current: string | undefined): Markup {
  const isLong = entries.length > onPhone.length + 1;
  const first = isLong ? entries.filter(([path]) => onPhone.includes(path)) : entries;
  const further = isLong ? entries.filter(([path]) => !onPhone.includes(path)) : [];
  const isFurther = further.some(([path]) => path === current);
  return html`<nav class="pages" aria-label="Pages"><ul class="all">${items(entries, current)}</ul>
<ul class="phone">${items(first, current)}${
    isLong &&
    html`<li><details><summary${isFurther && html` aria-current="true"`}>More</summary><ul>${items(further, current)}</ul></details></li>`
  }</ul></nav>`;
}

const search = (visit: Visit): Markup => html`
<form class="search" role="search" action="/search" method="get">
<input name="q" type="search" dir="auto" aria-label="Scene number or label" placeholder="Search" maxlength="200" value="${visit.ctx.path === "/search" && visit.query.get("q")}" autocomplete="off">
</form>`;

/** The strip that says that the admin looks through the reach of a vendor. */
const seenAs = (visit: Visit): Markup => html`
<form method="post" action="/seen-as" class="seen-as row">${visit.proof}<span>You see what this vendor sees. You cannot submit work here.</span>
<button class="quiet">Back to the admin's view</button></form>`;

/** The same with how much waits on the first page, if it is the visitor's own work. */
async function entriesWithWork(visit: Visit): Promise<readonly Entry[]> {
  const waits = await countMyWork(visit);
  return entriesOf(visit).map(([path, label]): Entry => [path, label, path === "/" ? waits : 0]);
}

/** What was just done with a form, and what takes it back. */
async function noticeOf(visit: Visit): Promise<Markup | undefined> {
  const place = visit.query.has("saved") ? "saved" : "granted";
  const isAsked = place === "saved" || visit.query.has("granted") || visit.query.has("revoked");
  return isAsked ? (await placeFiller(place))?.(visit) : undefined;
}

/** Returns the page as text. */
export async function signedInPage(visit: Visit, page: WebPage, view: View): Promise<string> {
  const { title, accent } = await visit.heading();
  const section = page.section ?? /^\/\w*/.exec(page.path)?.[0];
  const follows = visit.ctx.req.method === "GET" && (view.status ?? 200) === 200;
  const clock = follows && html` data-clock="${localTime(visit.ctx.app.clock())}"`;
  const cursor = follows && visit.cursor !== undefined && html` data-cursor="${visit.cursor}"`;
  const checklist = page.path === "/" ? await (await placeFiller("checklist"))?.(visit) : undefined;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="/"><span class="lamp" aria-hidden="true"></span><span class="title">${title}</span></a>
<div class="tools"><p id="live" class="live" hidden></p>${!visit.isVendor && hasPage("/search") && search(visit)}</div>
</header>
<p id="spoken" class="unseen" aria-live="polite"></p>
${visit.isSeenAs && seenAs(visit)}
${visit.isFrozen && html`<p class="seen-as">This production is frozen: it can be read and not changed.</p>`}
<main id="main" class="flow" tabindex="-1"${clock}${cursor}>
${await noticeOf(visit)}${checklist?.isAbove && checklist.list}${view.body}${checklist?.isAbove === false && checklist.list}
</main>
${navigation(await entriesWithWork(visit), section)}
<footer class="foot row">
<span>Signed in with ${visit.hasLink ? html`a link, as the admin${hasPage("/settings/productions") && !visit.isSeenAs && html` · <a href="/settings/productions">Other productions</a>`}` : html`the key ${visit.context.caller.label}`}</span>
<form method="post" action="/signout">${visit.proof}<button class="quiet">Sign out</button></form>
</footer>`;
  const sheet = `${title} · ${view.sheet ?? view.title} · printed ${localTime(visit.ctx.app.clock()).slice(0, 16).replace("T", ", ")}`;
  return documentOf(
    `${view.title} · ${title}`,
    [addressOfFile("pages.css")],
    [addressOfFile("pages.js")],
    body,
    `accent-${accent}`,
    sheet,
  );
}

/** Returns a page for visitors who have not signed in. */
export const visitorPage = (title: string, body: Markup): string =>
  documentOf(
    title === "Tallylight" ? title : `${title} · Tallylight`,
    [addressOfFile("pages.css")],
    [],
    html`<main id="main" class="visitor flow">
<p class="row"><span class="lamp" aria-hidden="true"></span><b>Tallylight</b></p>
${body}
</main>`,
  );
