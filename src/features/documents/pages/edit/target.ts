// What an edit page is about: a thing of a section, or a new one.
import { adminOf } from "../../../../graph/admin.ts";
import type { Visit } from "../../../pages/visit.ts";
import type { editableSections } from "../../edit_scope.ts";
import type { Raw } from "../../sections/form.ts";
import { keyOf, sections } from "../../sections/sections.ts";
import type { StoredThing } from "../../things.ts";
import { listPageOf } from "../feature.ts";
import { controlsOf } from "./controls.ts";

export type Editable = keyof typeof listPageOf;

/** A thing that can be removed. An order stays, and is closed. */
export type Removable = Target<(typeof editableSections)[number]>;

export interface Target<S extends Editable = Editable> {
  section: S;
  /** Undefined if the thing is new. */
  id: number | undefined;
}

/** The page on which a thing is seen. */
export function pageOfThing({ section, id }: Target): string {
  if (id === undefined) return listPageOf[section];
  if (section === "schedule") return `/days/${id}`;
  if (section === "approvals") return `/approvals?show=${id}`;
  return /^(?:scenes|assets|deliveries)$/.test(section) ? `/${section}/${id}` : listPageOf[section];
}

/** What a stored thing is called: "scene 22". */
export const titleOfThing = (section: Editable, raw: Raw): string =>
  `${sections[section].called[0]} ${keyOf(section, raw)}`;

/** Reads the thing, as a piece of the page: what follows rests after it. Throws 404 if there is none. */
export async function readThing(visit: Visit, { section, id }: Target): Promise<StoredThing> {
  const { storedThing } = await import("../../things.ts"); // it reads documents, which other pages do not need
  const shown = new Set(controlsOf(section).map(({ name }) => name)); // a delivery may have very many submissions
  const [thing] = await visit.each([id], (one) => storedThing(adminOf(visit.context), section, one, shown));
  return thing as StoredThing; // of one id
}
