// Lists the things of one section of a stored production: their ids, the keys by which documents refer to them, and their main fields.
import type { Store } from "../store/database.ts";
import type { SectionName } from "./changes.ts";
import { Exporter, type Row } from "./exporter.ts";
import { collect } from "./section_rows.ts";
import { keyOf, sections } from "./sections.ts";

const shown = (value: unknown): unknown => (Array.isArray(value) ? value.length : (value ?? null));

export type ListedRow = { id: number; key: string } & Row;

/** The fields of the rows of a section, in order. */
export const listedFields = (name: SectionName): string[] => ["id", "key", ...sections[name].listed];

/** The things of a section in the order of the document, all as of one moment. */
export const listSection = (store: Store, production_id: number, name: SectionName): ListedRow[] =>
  store.database.transaction(() => {
    const exporter = new Exporter(store, production_id, () => ({ file: "" }));
    return collect(exporter, name).map((row) => ({
      id: row.id as number, // every row of a section has an id
      key: keyOf(name, row) as string, // every stored thing has one
      ...Object.fromEntries(sections[name].listed.map((field) => [field, shown(row[field])])),
    }));
  })();
