// Purchase orders and the weekly cost reports: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { Validator } from "./validator.ts";

const exportCostReportLines = exported("export_cost_report_lines");
const exportCostReports = exported("export_cost_reports");
const exportPurchaseOrders = exported("export_purchase_orders");
const importCostReport = bulkInsert("import_cost_report");
const importCostReportLine = bulkInsert("import_cost_report_line");
const importPurchaseOrder = bulkInsert("import_purchase_order");

export function checkMoney(validator: Validator): void {
  validator.each("purchase_orders", (order, place) => {
    validator.refer(`${place}.vendor`, "vendor", order.vendor);
    validator.refer(`${place}.department`, "department", order.department);
  });
  const { cost_reports } = validator.document;
  validator.distinct("cost_reports", cost_reports, (report) => report.week_of, ".week_of");
  validator.oneActive("cost_reports", cost_reports, "cost report");
  validator.each("cost_reports", (report, place) => {
    const lines = `${place}.lines`;
    for (const [{ department }, here] of validator.items(lines, report.lines))
      validator.refer(`${here}.department`, "department", department);
    validator.distinct(lines, report.lines, ({ account }) => account, ".account");
  });
}

export function insertMoney(importer: Importer): void {
  const own = importer.production_id;
  for (const { account, vendor, description, amount, status, date, department } of importer.document.purchase_orders) {
    const vendor_id = importer.id("vendor", vendor);
    const department_id = importer.id("department", department);
    const id = importer.next("purchase_orders");
    importer.row(importPurchaseOrder, id, own, account, vendor_id, description, amount, status, date, department_id);
  }
  for (const report of importer.document.cost_reports) {
    const id = importer.next("cost_reports");
    importer.row(importCostReport, id, own, report.week_of, Number(report.active));
    for (const { account, department, budget, figures } of report.lines) {
      const line = importer.next("cost_report_lines");
      const department_id = importer.id("department", department);
      const values = [account, department_id, budget ?? null, JSON.stringify(figures)];
      importer.row(importCostReportLine, line, own, id, ...values);
    }
  }
}

export function collectMoney(exporter: Exporter): Row {
  const lines = exporter.grouped(exportCostReportLines, "cost_report_id");
  return {
    purchase_orders: exporter.rows(exportPurchaseOrders).map((row) => ({
      ...row,
      vendor: exporter.name("vendor", row.vendor_id),
      department: exporter.name("department", row.department_id),
    })),
    cost_reports: exporter.rows(exportCostReports).map((row) => ({
      ...row,
      active: row.active === 1,
      lines: lines(row.id).map((line) => ({
        ...line,
        department: exporter.name("department", line.department_id),
        figures: JSON.parse(line.figures as string),
      })),
    })),
  };
}
