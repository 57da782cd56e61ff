// How the fields of things are kept: in the columns of their row, in rows of their own, or as media. It follows from
// the sections and the forms of their fields.
import { type Field, itemFormOf } from "../sections/form.ts";
import { type Noun, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import type { Tables } from "../sections/tables.ts";

export type AnySection = SectionName | "production";

/** The things of a section: their tables and fields. */
export interface Layout {
  tables: Tables;
  fields: readonly Field[];
}

function makeLayout(name: AnySection): Layout {
  const { fields = [] } = itemFormOf(name);
  return { tables: name === "production" ? { table: "productions" } : sections[name], fields };
}

const layouts = new Map<AnySection, Layout>();

export function layoutOf(name: AnySection): Layout {
  const layout = layouts.get(name) ?? makeLayout(name);
  layouts.set(name, layout);
  return layout;
}

/** The sections whose things have names, by noun. */
export const sectionOfNoun = Object.fromEntries(
  sectionNames.flatMap((name) => (sections[name].noun === undefined ? [] : [[sections[name].noun, name]])),
) as Readonly<Record<Noun, SectionName>>; // every noun has a section
