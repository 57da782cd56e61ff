// The reader and writer of every kind of list.
import type { ListKind } from "../inputs.ts";
import { assets } from "./assets.ts";
import { costReport } from "./cost_report.ts";
import { deliveries } from "./deliveries.ts";
import type { List } from "./list.ts";
import { people } from "./people.ts";
import { purchaseOrders } from "./purchase_orders.ts";
import { schedule } from "./schedule.ts";
import { vendors } from "./vendors.ts";

const lists: { readonly [K in ListKind]: List<K> } = {
  schedule,
  people,
  vendors,
  deliveries,
  assets,
  "purchase-orders": purchaseOrders,
  "cost-report": costReport,
};

export const listOfKind = (kind: ListKind): List<ListKind> => lists[kind];
