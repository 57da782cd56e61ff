// Purchase orders and the weekly cost reports: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { Writing } from "./writing.ts";

export function checkMoney(checking: Checking): void {
  checking.each("purchase_orders", (order, place) => {
    checking.refer(`${place}.vendor`, "vendor", order.vendor);
    checking.refer(`${place}.department`, "department", order.department);
  });
  const weeks = new Map<string, string>();
  let active: string | undefined;
  checking.each("cost_reports", (report, place) => {
    const before = weeks.get(report.week_of);
    if (before === undefined) weeks.set(report.week_of, place);
    else checking.report(`${place}.week_of`, `is the same as that of ${before}: ${report.week_of}`);
    if (report.active && active !== undefined)
      checking.report(`${place}.active`, `must be false: ${active} is the active cost report`);
    if (report.active) active ??= place;
    for (const [at, { department }] of report.lines.entries())
      checking.refer(`${place}.lines[${at}].department`, "department", department);
    checking.distinct(
      `${place}.lines`,
      report.lines.map(({ account }) => account),
      ".account",
    );
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
