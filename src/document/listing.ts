// Lists the things of one section of a stored production: their ids, the keys by which documents refer to them, and their main fields;
// or as a CSV list, which an import reads back without a change.

import { writeList } from "../formats/csv_out.ts";
import type { ListKind } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import type { SectionName } from "./changes.ts";
import { Exporter, type Row } from "./exporter.ts";
import { parsedItem } from "./item_schemas.ts";
import type { ProductionDocument } from "./schema.ts";
import { collect } from "./section_rows.ts";
import { keyOf, sections } from "./sections.ts";
import { StoredProduction } from "./stored.ts";

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

/** The sections that lists are made of. */
const read = [
  ...(["departments", "people", "scenes", "assets", "schedule", "deliveries", "approvals"] as const),
  ...(["purchase_orders", "cost_reports"] as const),
];

/** The list of a kind as CSV. */
export const listOfProduction = (store: Store, production_id: number, kind: ListKind): string =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    const items = (name: SectionName) => stored.items(name).map(({ raw }) => parsedItem(name, raw));
    const document = Object.fromEntries(read.map((name) => [name, items(name)]));
    return writeList(kind, document as unknown as ProductionDocument); // no list reads another section
  })();
