// The reader and writer of every kind of list.
import type { ListKind } from "../inputs.ts";
import { assetList } from "./assets.ts";
import { costReport } from "./cost_report.ts";
import { deliveryList } from "./deliveries.ts";
import type { List } from "./list.ts";
import { peopleList } from "./people.ts";
import { purchaseOrderList } from "./purchase_orders.ts";
import { scheduleList } from "./schedule.ts";
import { vendorList } from "./vendors.ts";

const lists: { readonly [K in ListKind]: List<K> } = {
  schedule: scheduleList,
  people: peopleList,
  vendors: vendorList,
  deliveries: deliveryList,
  assets: assetList,
  "purchase-orders": purchaseOrderList,
  "cost-report": costReport,
};

export const listOfKind = (kind: ListKind): List<ListKind> => lists[kind];
