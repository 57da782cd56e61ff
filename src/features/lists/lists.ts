// The reader and writer of every kind of list.
import type { ListKind } from "../documents/kinds.ts";
import { approvalList } from "./approvals.ts";
import { assetList, castList } from "./assets.ts";
import { breakdownList } from "./breakdown_list.ts";
import { costReport } from "./cost_report.ts";
import { deliveryList } from "./deliveries.ts";
import type { List } from "./list.ts";
import { departmentList, peopleList, vendorList } from "./people.ts";
import { purchaseOrderList } from "./purchase_orders.ts";
import { sceneList } from "./scene_list.ts";
import { scheduleList } from "./schedule.ts";

const lists: { readonly [K in ListKind]: List } = {
  schedule: scheduleList,
  people: peopleList,
  vendors: vendorList,
  deliveries: deliveryList,
  assets: assetList,
  "purchase-orders": purchaseOrderList,
  "cost-report": costReport,
  scenes: sceneList,
  breakdown: breakdownList,
  cast: castList,
  departments: departmentList,
  approvals: approvalList,
};
export const listOfKind = (kind: ListKind): List => lists[kind];
