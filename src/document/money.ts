// Checks, writes and reads purchase orders and the weekly cost reports.
import { bulkInsert } from "../store/statements.ts";
import type { Changes, Entry, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { deleteOf, removeAll, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportCostReportLines = exported("export_cost_report_lines");
const exportCostReports = exported("export_cost_reports");
const exportPurchaseOrders = exported("export_purchase_orders");

const insertPurchaseOrder = bulkInsert("import_purchase_order");
const updatePurchaseOrder = updateOf("update_purchase_order");
const parkPurchaseOrder = updateOf("park_purchase_order");
const deletePurchaseOrder = deleteOf("delete_purchase_order");
const insertCostReport = bulkInsert("import_cost_report");
const updateCostReport = updateOf("update_cost_report");
const parkCostReport = updateOf("park_cost_report");
const deleteCostReport = deleteOf("delete_cost_report");
const insertLine = bulkInsert("import_cost_report_line");
const deleteLines = deleteOf("delete_cost_report_lines");

export function checkMoney(validator: Validator): void {
  const { cost_reports, purchase_orders } = validator.document;
  validator.distinct("purchase_orders", purchase_orders, ({ number }) => number, ".number");
  validator.distinct("cost_reports", cost_reports, (report) => report.week_of, ".week_of");
  validator.oneActive("cost_reports", cost_reports, "cost report");
  validator.each("cost_reports", (report, place) => {
    validator.distinct(`${place}.lines`, report.lines, ({ account }) => account, ".account");
  });
}

function columnsOfOrder(writer: Writer, order: Item<"purchase_orders">): Columns {
  const { number = null, account, description, amount, status, date } = order;
  const vendor_id = writer.id("vendor", order.vendor);
  const department_id = writer.id("department", order.department);
  return { number, account, vendor_id, description, amount, status, date, department_id };
}

function insertLines(writer: Writer, { id, item }: Entry<"cost_reports">): void {
  for (const { account, department, budget = null, figures } of item.lines)
    writer.insert(insertLine, {
      ...{ id: writer.next("cost_report_lines"), cost_report_id: id, account, budget },
      ...{ department_id: writer.id("department", department), figures: JSON.stringify(figures) },
    });
}

export function writeMoney(writer: Writer, changes: Changes): void {
  const orders = changes.of("purchase_orders");
  removeAll(writer, orders.removed, "purchase_orders", ({ id }) => deletePurchaseOrder(writer, id));
  updateAll(writer, orders.changed, {
    ...{ unique: ["number"], park: parkPurchaseOrder },
    update: ({ id, item }) => updatePurchaseOrder(writer, id, columnsOfOrder(writer, item)),
  });
  for (const { id, item } of orders.added) writer.insert(insertPurchaseOrder, { id, ...columnsOfOrder(writer, item) });

  const reports = changes.of("cost_reports");
  removeAll(writer, reports.removed, "cost_reports", ({ id }) => {
    deleteLines(writer, id);
    deleteCostReport(writer, id);
  });
  const columnsOf = ({ week_of, active }: Item<"cost_reports">): Columns => ({ week_of, active: Number(active) });
  updateAll(writer, reports.changed, {
    ...{ unique: ["week_of", "active"], park: parkCostReport },
    update(change) {
      const { id, item, fields } = change;
      updateCostReport(writer, id, columnsOf(item));
      if (!fields.has("lines")) return;
      deleteLines(writer, id);
      insertLines(writer, change);
    },
  });
  for (const entry of reports.added) {
    writer.insert(insertCostReport, { id: entry.id, ...columnsOf(entry.item) });
    insertLines(writer, entry);
  }
}

export const collectPurchaseOrders = (exporter: Exporter): Row[] =>
  exporter.rows(exportPurchaseOrders).map((row) => ({
    ...row,
    vendor: exporter.name("vendor", row.vendor_id),
    department: exporter.name("department", row.department_id),
  }));

export function collectCostReports(exporter: Exporter): Row[] {
  const lines = exporter.grouped(exportCostReportLines, "cost_report_id");
  return exporter.rows(exportCostReports).map((row) => ({
    ...row,
    active: row.active === 1,
    lines: lines(row.id).map((line) => ({
      ...line,
      department: exporter.name("department", line.department_id),
      figures: JSON.parse(line.figures as string),
    })),
  }));
}
