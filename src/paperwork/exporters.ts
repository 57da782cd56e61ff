// Writes the CSV lists of a stored production, which an import reads back without a change.
import type { SectionName } from "../document/changes.ts";
import { parsedItem } from "../document/item_schemas.ts";
import type { ProductionDocument } from "../document/schema.ts";
import { StoredProduction } from "../document/stored.ts";
import { writeList } from "../formats/csv_out.ts";
import type { ListKind } from "../inputs.ts";
import type { Store } from "../store/database.ts";

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
