// Returns the purchase orders of a vendor, and the cost report lines of the departments granted to it.
import * as v from "valibot";
import { describe } from "../core/inputs.ts";
import { reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { purchaseOrderStatuses } from "./values.ts";

const purchaseOrder = out.record(
  "PurchaseOrder",
  v.object({
    id: out.id,
    account: out.text,
    vendor: out.text,
    description: out.text,
    amount: v.number(),
    status: v.picklist(purchaseOrderStatuses),
    date: out.date,
    department_id: v.optional(v.nullable(out.id)),
    number: describe(v.nullable(out.text), "The number of the order. Null if it has none."),
    currency: describe(
      v.nullable(out.text),
      "The code of the currency (ISO 4217), such as EUR. Null if it is not known.",
    ),
  }),
);

const costReportLine = out.record(
  "CostReportLine",
  v.looseObject({ account: out.text, budget: v.optional(v.number()) }),
);

const purchaseOrders = out.record(
  "PurchaseOrders",
  v.object({
    purchase_orders: v.array(purchaseOrder),
    line: describe(v.array(costReportLine), "From the production's active weekly cost report."),
    week_of: v.nullable(out.date),
  }),
);

export const listOrders = reading({
  name: "list_orders",
  summary: "Returns every purchase order of the production, and the lines of its active cost report.",
  path: "/orders",
  scope: "read:money",
  output: purchaseOrders,
});

export const getPurchaseOrders = reading({
  name: "get_purchase_orders",
  summary:
    "Returns the purchase orders of the engagement's vendor and the cost report lines, both of the granted departments only.",
  path: "/purchase-orders",
  scope: "read:money",
  reach: "engagement",
  output: purchaseOrders,
  tool: {},
});
