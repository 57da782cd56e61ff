// Lists every kind of list by its name in --as.
import { assets } from "./assets.ts";
import { costReport } from "./cost_report.ts";
import { deliveries } from "./deliveries.ts";
import type { List } from "./list.ts";
import { people } from "./people.ts";
import { purchaseOrders } from "./purchase_orders.ts";
import { schedule } from "./schedule.ts";
import { vendors } from "./vendors.ts";

const all = [schedule, people, vendors, deliveries, assets, purchaseOrders, costReport] as const;

export type ListKind = (typeof all)[number]["kind"];

export const listKinds: readonly ListKind[] = all.map(({ kind }) => kind);

export function listOf(kind: ListKind): List<ListKind> {
  // ListKind is made of the kinds of `all`, so that one of them has it.
  return all.find((list) => list.kind === kind) as List<ListKind>;
}
