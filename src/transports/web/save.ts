// Saves what a form of a page asks for: a partial document through the one update path, and the message with its effect and its undo.
import { adminOf } from "../../admin/admin.ts";
import { getChangeSet } from "../../admin/operations/history.ts";
import { importDocuments } from "../../admin/operations/import.ts";
import type { Raw } from "../../document/sections/form.ts";
import { namingOf, type SectionName } from "../../document/sections/sections.ts";
import type { FileProblem } from "../../errors.ts";
import { HttpError } from "../../errors.ts";
import { html, type Markup } from "./html.ts";
import { changeCount, changesView, undoLink } from "./pages/settings/plan_view.ts";
import { sentence } from "./send.ts";
import type { Visit } from "./visit.ts";

/** The sections of a partial document. */
export type Sections = Readonly<Record<string, readonly Raw[]>>;

export type Saved =
  /** The change set; undefined if nothing was to be changed. */
  | { change_set: number | undefined }
  /** Why it was refused, and what was wrong where, if that is known. */
  | { problem: string; problems: readonly FileProblem[]; status: number };

/** The statuses of refusals that a person can correct in the form. */
const correctable: ReadonlySet<number> = new Set([403, 409, 413, 422]);

/** Updates the production with a partial document, if it is at that revision. Throws errors that a person cannot correct. */
export async function save(visit: Visit, document: Sections, if_revision?: string): Promise<Saved> {
  try {
    const given = { document, ...(if_revision !== undefined && { if_revision }) };
    const { change_set } = await visit.ask(importDocuments, given);
    return { change_set };
  } catch (error) {
    if (!(error instanceof HttpError) || !correctable.has(error.status)) throw error;
    return { problem: sentence(error.message), problems: error.problems ?? [], status: error.status };
  }
}

/** Sets fields of a stored thing. Throws 404 if there is no such thing. */
export async function saveFields(visit: Visit, section: SectionName, id: number, fields: Raw): Promise<Saved> {
  const { storedThing } = await import("../../admin/things.ts"); // it reads documents, which most pages do not need
  const { raw } = storedThing(adminOf(visit.context), section, id);
  return save(visit, { [section]: [{ ...namingOf(section, raw), ...fields }] });
}

/** An address with the change set that the page's message is about. */
export function savedAddress(address: string, change_set: number | undefined): string {
  if (change_set === undefined) return address;
  const [path = "", fragment] = address.split("#");
  return `${path}${path.includes("?") ? "&" : "?"}saved=${change_set}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** How many changes the message names. */
const shownOfSaved = 50;

/** The message after a save: what was changed, and the link to its undo. Nothing for those who may not see it. */
export async function savedNotice(visit: Visit): Promise<Markup | undefined> {
  const asked = visit.query.get("saved") ?? "";
  if (!visit.mayEdit || !/^[1-9]\d{0,15}$/.test(asked)) return undefined;
  try {
    const set = await visit.ask(getChangeSet, { id: Number(asked), limit: shownOfSaved });
    const { id, summary, counts, changes, undone_by } = set;
    return html`<section class="panel applied saved" role="status"><h2>Saved</h2>
${changes === undefined || changes.length === 0 ? html`<p>${sentence(summary)}</p>` : changesView(changes, changeCount(counts))}${undone_by === null && undoLink(id)}</section>`;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined;
    throw error;
  }
}
