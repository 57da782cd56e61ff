// A part of a stored production as a CSV list, which an import reads back without a change.
import { type ExportKind, writeList } from "../formats/csv_out.ts";
import type { Store } from "../store/database.ts";
import type { SectionName } from "./changes.ts";
import { parsedItem } from "./parsed_items.ts";
import type { ProductionDocument } from "./schema.ts";
import { StoredProduction } from "./stored.ts";

/** The sections that lists are made of. */
const read = ["scenes", "schedule", "people", "deliveries", "purchase_orders"] as const;

/** The list of a kind as CSV. */
export const listOfProduction = (store: Store, production_id: number, kind: ExportKind): string =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    const items = (name: SectionName) => stored.items(name).map(({ raw }) => parsedItem(name, raw));
    const document = Object.fromEntries(read.map((name) => [name, items(name)]));
    return writeList(kind, document as unknown as ProductionDocument); // no list reads another section
  })();
