// Saves what a form of a page asks for: a partial document through the one update path, and the message with its effect
// and its undo.
import { isDeepStrictEqual } from "node:util";
import { conflict, HttpError } from "../../../core/errors.ts";
import { getChangeSet } from "../../history/operations.ts";
import { withTypedTimes } from "../../names/typed_times.ts";
import { html, type Markup } from "../../pages/html.ts";
import { capitalized, doneNotice } from "../../pages/html_parts.ts";
import type { Redirect } from "../../pages/page.ts";
import { FormRefusal } from "../../pages/refusals.ts";
import { sentence } from "../../pages/send.ts";
import type { Visit } from "../../pages/visit.ts";
import { importDocuments } from "../operations.ts";
import type { Raw } from "../sections/form.ts";
import { changeCount, changesView, undoLink, warningsPanel } from "./plan_view.ts";
import { keepWarnings, warningsOf } from "./saved_warnings.ts";

/** The sections of a partial document. */
export type Sections = Readonly<Record<string, readonly Raw[]>>;

/**
 * Updates the production with a partial document, if it is at that revision. Returns the change set; undefined if
 * nothing is to be changed.
 */
export async function save(visit: Visit, document: Sections, if_revision?: string): Promise<number | undefined> {
  if (Object.keys(document).length === 0) return undefined;
  const given = { document, ...(if_revision !== undefined && { if_revision }) };
  const { change_set, warnings } = await visit.ask(importDocuments, given);
  keepWarnings(visit, change_set, warnings);
  return change_set;
}

/** How often a save is made again, because something else of the production has changed meanwhile. */
const tries = 3;

/** What a form asks for: a document made of the present state, and the address where its effect is seen. */
interface Made {
  document: Sections;
  address: string;
  /** What it adds, as a sentence calls it: "day 25". Refused with 409 if there is one already. */
  added?: string;
}

/**
 * Saves what `make` makes of the present state, and makes it anew if that has changed meanwhile. The revision stands
 * for what a save changes, with the former values; if `make` makes the same after it was planned, these are the values
 * of which it was made. Returns where the browser goes.
 */
export async function saveAnew(visit: Visit, makeTyped: () => Promise<Made>): Promise<Redirect> {
  const make = async (): Promise<Made> => {
    const typed = await makeTyped();
    return { ...typed, document: withTypedTimes(typed.document) };
  };
  let made = await make();
  for (let attempt = 1; ; attempt++) {
    const { document, address, added } = made;
    if (Object.keys(document).length === 0) return { location: address };
    const { revision, counts } = await visit.ask(importDocuments, { document, dry_run: true, limit: 1 });
    if (added !== undefined && counts.added === 0)
      throw new FormRefusal(409, `${capitalized(added)} is there already. Nothing was changed: open it to change it.`);
    made = await make();
    if (!isDeepStrictEqual(made.document, document)) {
      if (attempt === tries) throw conflict("this was changed each time it was saved; nothing was changed; try again");
      continue;
    }
    try {
      return savedRedirect(address, await save(visit, document, revision));
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 409 || attempt === tries) throw error;
    }
  }
}

/** Leads to an address with the change set that the page's message is about. */
export function savedRedirect(address: string, change_set: number | undefined): Redirect {
  if (change_set === undefined) return { location: address };
  const [path = "", fragment] = address.split("#");
  const end = fragment === undefined ? "" : `#${fragment}`;
  return { location: `${path}${path.includes("?") ? "&" : "?"}saved=${change_set}${end}` };
}

/** How many changes the message names. */
const maxNamedChanges = 50;

/** The message after a save: what was changed, and the link to its undo. Nothing for those who may not see it. */
export async function savedNotice(visit: Visit): Promise<Markup | undefined> {
  const asked = visit.query.get("saved") ?? "";
  if (!visit.mayEdit || !/^[1-9]\d{0,15}$/.test(asked)) return undefined;
  try {
    const set = await visit.ask(getChangeSet, { id: Number(asked), limit: maxNamedChanges });
    const { id, summary, counts, changes, undone_by } = set;
    const what =
      changes === undefined || changes.length === 0
        ? html`<p dir="ltr">${sentence(summary)}</p>`
        : await changesView(visit, changes, changeCount(counts));
    return doneNotice(
      "Saved",
      html`<div class="flow">${warningsPanel(warningsOf(visit, id))}${what}</div>${undone_by === null && undoLink(id)}`,
    );
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined;
    throw error;
  }
}
