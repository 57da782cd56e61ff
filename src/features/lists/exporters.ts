// Writes the CSV lists of a production, which an import reads back without a change.
import type { ProductionId } from "../../core/ids.ts";
import type { Store } from "../../core/store/store.ts";
import { csvText } from "../csv/csv.ts";
import type { ListKind } from "../documents/kinds.ts";
import { StoredProduction } from "../documents/nouns/stored.ts";
import { parsedItem } from "../documents/sections/form.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import type { SectionName } from "../documents/sections/sections.ts";
import { listOfKind } from "./lists.ts";

/** UTF-8 with a byte order mark, because Excel otherwise reads the file as Windows-1252. */
export const writeList = (kind: ListKind, document: ProductionDocument): string =>
  `\ufeff${csvText(listOfKind(kind).table?.(document) ?? [])}`;

/** The sections that lists are made of. */
const read = [
  ...(["departments", "people", "scenes", "assets", "schedule", "deliveries", "approvals"] as const),
  ...(["purchase_orders", "cost_reports"] as const),
];

/** The list of a kind as CSV. */
export const listOfProduction = (store: Store, production_id: ProductionId, kind: ListKind): string =>
  store.database.transaction(() => {
    const stored = new StoredProduction(store, production_id);
    const items = (name: SectionName) => stored.items(name).map(({ raw }) => parsedItem(name, raw));
    const document: object = Object.fromEntries(read.map((name) => [name, items(name)]));
    return writeList(kind, document as ProductionDocument); // no list reads another section
  })();
