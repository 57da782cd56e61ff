// /orders: a vendor's own purchase orders, and the cost lines of the departments that it was granted.
import { forbidden } from "../../../core/errors.ts";
import { listDepartments } from "../../../graph/departments.ts";
import { getPurchaseOrders, listOrders } from "../../../graph/purchase_orders.ts";
import { dateText } from "../dates.ts";
import { html } from "../html.ts";
import { chip, dataTable, emptyState, heading, panel, wordOf } from "../html_parts.ts";
import { windowOf } from "../list_windows.ts";
import type { View } from "../page.ts";
import { hasPage, linkTo } from "../page_places.ts";
import type { Visit } from "../visit.ts";

const amountFormat = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const amountText = (amount: number): string => amountFormat.format(amount);

/** The names of the departments by their ids; none for a vendor, who does not see the list. */
async function departmentNames(visit: Visit): Promise<ReadonlyMap<number, string>> {
  const departments = visit.isVendor || !visit.holds("read") ? [] : await visit.ask(listDepartments, {});
  return new Map(departments.map(({ id, name }) => [id, name]));
}

export async function showOrders(visit: Visit): Promise<View> {
  if (visit.isVendor && !visit.holds("read:money"))
    throw forbidden("your key does not show purchase orders; the production's admin can make one that does");
  const { purchase_orders, line, week_of } = await visit.ask(visit.isVendor ? getPurchaseOrders : listOrders, {});
  const open = Map.groupBy(
    purchase_orders.filter(({ status }) => status !== "closed"),
    ({ currency }) => currency ?? "",
  );
  const sums = [...open].map(([currency, of]) =>
    `${amountText(of.reduce((sum, { amount }) => sum + amount, 0))} ${currency}`.trim(),
  );
  const openText = sums.length === 0 ? amountText(0) : sums.join(", ");
  const departments = await departmentNames(visit);
  const part = windowOf(visit, purchase_orders);
  const mayEdit = !visit.isVendor && visit.isAdmin && hasPage("/edit/purchase_orders");
  const rows = part.shown.map(
    ({ id, account, vendor, description, amount, status, date, number, currency, department_id }) =>
      html`<tr><td>${number}</td><td>${mayEdit ? linkTo(`/edit/purchase_orders/${id}`, description) : description}</td><td class="amount">${amountText(amount)}</td><td>${currency}</td><td>${chip(status)}</td><td>${dateText(date)}</td>${!visit.isVendor && html`<td>${vendor}</td><td>${departments.get(department_id ?? 0)}</td>`}<td>${account}</td></tr>`,
  );
  // What an order is for and what it costs come first: a phone shows them without scrolling.
  const names = [
    "No.",
    "What",
    "Amount",
    "Currency",
    "Status",
    "Date",
    ...(visit.isVendor ? [] : ["Vendor", "Department"]),
    "Account",
  ];
  const columns = [...new Set(line.flatMap((each) => Object.keys(each)))].filter((name) => name !== "account");
  const isAmount = (name: string) => line.some((each) => typeof each[name] === "number");
  const amounts = columns.filter(isAmount);
  const cell = (value: unknown) => (typeof value === "number" ? amountText(value) : String(value ?? ""));
  const lines = line.map(
    (each) =>
      html`<tr><td>${each.account}</td>${columns.map((name) => html`<td${amounts.includes(name) && html` class="amount"`}>${cell(each[name])}</td>`)}</tr>`,
  );
  const facts = purchase_orders.length > 0 ? html`<span>${openText} not closed</span>` : undefined;
  const actions = mayEdit && html`<a class="button quiet" href="/edit/purchase_orders">Add an order</a>`;
  const body = html`${heading("Purchase orders", facts, actions ? { actions } : {})}
${purchase_orders.length === 0 ? emptyState(visit.isVendor ? "There are no purchase orders in the departments that you may see." : "There are no purchase orders yet.") : panel("Orders", html`${dataTable("Orders", names, rows, ["Amount"])}${part.pager}`, purchase_orders.length)}
${line.length > 0 && panel(`Cost report${week_of === null ? "" : `, week of ${dateText(week_of)}`}`, dataTable("Cost report", ["Account", ...columns.map(wordOf)], lines, amounts.map(wordOf)))}`;
  return { title: "Purchase orders", body };
}
