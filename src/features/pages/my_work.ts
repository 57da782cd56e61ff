// What waits for the person to whom a session's key is bound. The operation is not one of the API, so its file has no
// other.
import * as v from "valibot";
import { holds } from "../../core/access/callers.ts";
import type { PersonId, ProductionId } from "../../core/ids.ts";
import { operation } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { document } from "../../core/store/statements.ts";
import { day, later } from "../../core/times.ts";
import { dateAt } from "../../core/zones.ts";
import { zoneOf } from "../../graph/production.ts";
import { dueText, isLate, timeOf } from "./dates.ts";
import { html, type Markup } from "./html.ts";
import { lines, panel } from "./html_parts.ts";
import type { Visit } from "./visit.ts";

const kinds = ["sign", "answered", "returned", "late", "note"] as const;
const item = v.object({
  kind: v.picklist(kinds),
  href: out.text,
  title: out.text,
  about: v.nullable(out.text),
  at: v.nullable(out.text),
  due: v.nullable(out.text),
});
type Item = v.InferOutput<typeof item>;

const workOf = document<
  { production_id: ProductionId; person_id: PersonId | null; today: string; notes_since: string },
  Item[]
>("list_my_work");

/** How long a note on something is news to who made it, in milliseconds. */
const noteAge = 14 * day;

const listMyWork = operation({
  name: "list_my_work",
  summary:
    "Lists what waits for the person of the key: to sign, answered, returned, late, and new notes on what they made. For a key of nobody that edits, all that is answered.",
  path: "/my-work",
  scope: "read",
  output: v.array(item),
  run({ app, caller, now }) {
    const { production_id, person_id } = caller;
    if (person_id === null && !holds(caller.scopes, "edit")) return [];
    const given = { today: dateAt(zoneOf(app.store, caller), app.clock()), notes_since: later(now, -noteAge) };
    return workOf(app.store, { production_id, person_id, ...given }) ?? [];
  },
});

const isPersons = ({ context: { caller }, isVendor }: Visit): boolean =>
  !isVendor && caller.person_id !== null && caller.scopes.includes("read");

/** Whether anything of it is shown: a visitor who is nobody and edits may ask again about what is answered. */
const seesWork = (visit: Visit): boolean =>
  isPersons(visit) || (!visit.isVendor && visit.mayEdit && visit.context.caller.person_id === null);

/** The work of each visit: the first page and the number in its menu read it once. */
const works = new WeakMap<Visit, Promise<readonly Item[]>>();

function workIn(visit: Visit): Promise<readonly Item[]> {
  const work = works.get(visit) ?? (seesWork(visit) ? visit.ask(listMyWork, {}) : Promise.resolve([]));
  works.set(visit, work);
  return work;
}

/** How much waits for the person of the session; a note does not wait. */
export const countMyWork = async (visit: Visit): Promise<number> =>
  isPersons(visit) ? (await workIn(visit)).filter(({ kind }) => kind !== "note").length : 0;

const titles = {
  sign: "To sign",
  answered: "A new version since you asked for changes",
  returned: "Returned to you",
  late: "Late",
  note: "New notes on what you made",
} as const satisfies Record<Item["kind"], string>;

function itemLine({ kind, href, title, about, at, due }: Item, today: string): Markup {
  const late = kind === "sign" && due !== null && isLate(due, today) && html`<span class="chip bad">late</span> `;
  return html`<li>${late}<a href="${href}">${title}</a> <span class="under">${dueText(due, today)}${at !== null && timeOf(at)}</span>${about !== null && html`<p class="note">${about}</p>`}</li>`;
}

/** How many things of a kind are shown at once, so that the day stays near. */
const shownItems = 8;

/** What waits for the person of the session, first what must be signed; for others what they may ask again about. */
export async function myWork(visit: Visit): Promise<Markup> {
  const items = await workIn(visit);
  const isMine = isPersons(visit);
  if (!isMine && items.length === 0) return html``;
  const today = visit.today;
  const panels = kinds.flatMap((kind) => {
    const ofKind = items.filter((one) => one.kind === kind);
    const rows = ofKind.map((one) => itemLine(one, today));
    const [first, more] = [rows.slice(0, shownItems), rows.slice(shownItems)];
    const rest = more.length > 0 && html`<details><summary>and ${more.length} more</summary>${lines(more)}</details>`;
    const title = isMine ? titles[kind] : "A new version since changes were asked for";
    return ofKind.length === 0 ? [] : [panel(title, html`${lines(first)}${rest}`, ofKind.length)];
  });
  return html`<section class="flow">${isMine && html`<h2>Waits for you</h2>`}${panels.length === 0 ? html`<p class="under">Nothing: all is signed, and nothing came back.</p>` : html`<div class="grid half">${panels}</div>`}</section>`;
}
