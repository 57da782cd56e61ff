// Writes parts of a production document as CSV. Importing that CSV changes nothing.
import type { ProductionDocument } from "../document/schema.ts";
import { csvText } from "./csv_cell.ts";
import { deliveryList } from "./deliveries.ts";
import type { List } from "./list.ts";
import { peopleList } from "./people.ts";
import { purchaseOrderList } from "./purchase_orders.ts";
import { scheduleList } from "./schedule.ts";

const exported = [scheduleList, peopleList, deliveryList, purchaseOrderList] as const;

export type ExportKind = (typeof exported)[number]["kind"];

export const exportKinds: readonly ExportKind[] = exported.map(({ kind }) => kind);

/** UTF-8 with a byte order mark, because Excel otherwise reads the file as Windows-1252. */
export function writeList(kind: ExportKind, document: ProductionDocument): string {
  const list: List | undefined = exported.find((each) => each.kind === kind);
  return `\ufeff${csvText(list?.table?.(document) ?? [])}`;
}
