// Checks, writes and reads purchase orders and the weekly cost reports.
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { flag, grouped, json, named, partOf, replaced, rowsOf, same } from "./columns.ts";
import { exported } from "./exporter.ts";

export function checkMoney(validator: Validator): void {
  const { cost_reports, purchase_orders } = validator.document;
  validator.distinct("purchase_orders", purchase_orders, ({ number }) => number, ".number");
  validator.distinct("cost_reports", cost_reports, (report) => report.week_of, ".week_of");
  validator.oneActive("cost_reports", cost_reports, "cost report");
  validator.each("cost_reports", (report, place) => {
    validator.distinct(`${place}.lines`, report.lines, ({ account }) => account, ".account");
  });
}

export const purchase_orders = rowsOf<"purchase_orders">()({
  read: exported("export_purchase_orders"),
  ...{ insert: ["import_purchase_order"], update: ["update_purchase_order"] },
  ...{ park: "park_purchase_order", unique: ["number"], remove: ["delete_purchase_order"] },
  fields: {
    ...{ number: same, account: same, vendor: named("vendor", "vendor_id"), description: same, amount: same },
    ...{ status: same, date: same, department: named("department", "department_id") },
  },
});

const line = partOf<Item<"cost_reports">["lines"][number]>()("import_cost_report_line", {
  ...{ account: same, department: named("department", "department_id"), budget: same, figures: json },
});

export const cost_reports = rowsOf<"cost_reports">()({
  ...{ read: exported("export_cost_reports"), insert: ["import_cost_report"], update: ["update_cost_report"] },
  ...{ park: "park_cost_report", unique: ["week_of", "active"] },
  remove: ["delete_cost_report_lines", "delete_cost_report"],
  fields: {
    ...{ week_of: same, active: flag },
    lines: replaced(
      "lines",
      "delete_cost_report_lines",
      grouped(exported("export_cost_report_lines"), "cost_report_id", line.open),
      (writer, cost_report_id, lines) => {
        for (const one of lines) line.insert(writer, one, { id: writer.next("cost_report_lines"), cost_report_id });
      },
    ),
  },
});
