// Purchase orders and the weekly cost reports: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { Writing } from "./writing.ts";

export function checkMoney(checking: Checking): void {
  checking.each("purchase_orders", (order, place) => {
    checking.refer(`${place}.vendor`, "vendor", order.vendor);
    checking.refer(`${place}.department`, "department", order.department);
  });
  const { cost_reports } = checking.document;
  checking.distinct("cost_reports", cost_reports, (report) => report.week_of, ".week_of");
  checking.oneActive("cost_reports", cost_reports, "cost report");
  checking.each("cost_reports", (report, place) => {
    const lines = `${place}.lines`;
    for (const [{ department }, here] of checking.items(lines, report.lines))
      checking.refer(`${here}.department`, "department", department);
    checking.distinct(lines, report.lines, ({ account }) => account, ".account");
  });
}

export function insertMoney(writing: Writing): void {
  const own = writing.production_id;
  for (const { account, vendor, description, amount, status, date, department } of writing.document.purchase_orders) {
    const vendor_id = writing.id("vendor", vendor);
    const department_id = writing.id("department", department);
    const id = writing.next("purchase_orders");
    writing.row("import_purchase_order", id, own, account, vendor_id, description, amount, status, date, department_id);
  }
  for (const report of writing.document.cost_reports) {
    const id = writing.next("cost_reports");
    writing.row("import_cost_report", id, own, report.week_of, Number(report.active));
    for (const { account, department, budget, figures } of report.lines) {
      const line = writing.next("cost_report_lines");
      const department_id = writing.id("department", department);
      const values = [account, department_id, budget ?? null, JSON.stringify(figures)];
      writing.row("import_cost_report_line", line, own, id, ...values);
    }
  }
}

export function collectMoney(collecting: Collecting): Row {
  const lines = collecting.grouped("export_cost_report_lines", "cost_report_id");
  return {
    purchase_orders: collecting.rows("export_purchase_orders").map((row) => ({
      ...row,
      vendor: collecting.name("vendor", row.vendor_id),
      department: collecting.name("department", row.department_id),
    })),
    cost_reports: collecting.rows("export_cost_reports").map((row) => ({
      ...row,
      active: row.active === 1,
      lines: lines(row.id).map((line) => ({
        ...line,
        department: collecting.name("department", line.department_id),
        figures: JSON.parse(line.figures as string),
      })),
    })),
  };
}
