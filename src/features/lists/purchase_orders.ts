// Reads and writes the CSV list of purchase orders.
import { listed, sameName } from "../../core/wording.ts";
import type { purchaseOrderStatuses } from "../../graph/values.ts";
import type { Raw } from "../documents/sections/form.ts";
import { isCurrency } from "../names/currencies.ts";
import { quoted } from "../names/names.ts";
import { CellRefusal, type Findings, Repeats } from "../paperwork/findings.ts";
import { foldedIn, indexOf, namesIn, warnOfSeveral } from "../paperwork/known_names.ts";
import { definedFields, type PaperDocument, type ProductionNames } from "../paperwork/partial.ts";
import { dateCell, department, money, oneOfCell, plainCell, textCell } from "./cells.ts";
import { column, defineList, type ListBuilding, type Values } from "./list.ts";
import { currencyIn } from "./money.ts";
import { namesTotal, warnOfTotal } from "./totals.ts";
import { vendorCell } from "./vendors.ts";

const statusWords: Record<(typeof purchaseOrderStatuses)[number], string> = {
  open: "issued, outstanding, active, ordered, committed, approved, unpaid, pending, new, offen, bestellt, ouvert, en cours",
  partial:
    "partially received, partially paid, part paid, part received, partially invoiced, part invoiced, in part, teilweise bezahlt, partiel",
  closed:
    "paid, paid in full, complete, completed, received, settled, final, cancelled, canceled, void, bezahlt, erledigt, storniert, payé, soldé, annulé",
};

const columns = {
  number: column("PO, PO No, Purchase Order, Purchase Order No, Order No, Number", textCell(100)),
  date: column("Date, PO Date, Order Date, Issued, Issue Date, Date Issued", dateCell),
  vendor: column("Vendor, Vendor Name, Supplier, Company, Payee", vendorCell),
  description: column("Description, Item, Details, Desc, Memo, Purpose, For", textCell()),
  account: column("Account, Account Code, Acct, Acct Code, Account No, Code, Cost Code, GL", textCell(100)),
  department: column("Department, Dept, Dep", department),
  amount: column("Amount, Total, PO Amount, PO Total, Value, Net, Net Amount, Cost, Price", money),
  currency: column(
    "Currency, Curr, Ccy, Currency Code",
    plainCell("the code of a currency, such as EUR", (text) => {
      const code = text.toUpperCase();
      return isCurrency(code) ? code : new CellRefusal(`${quoted(text)} is not the code of a currency (ISO 4217)`);
    }),
  ),
  status: column("Status, State, PO Status", oneOfCell(statusWords)),
};

type Order = Values<typeof columns>;
const needed = ["account", "vendor", "description", "amount", "status", "date"] as const;

/** An order that the production cannot know by its number needs all of its fields. */
function isComplete(
  order: Order,
  known: ReadonlyMap<string, unknown>,
  { findings, headerOf, has }: Orders,
  line: number,
): boolean {
  if (order.number !== undefined && known.has(order.number)) return true;
  const missing = needed.filter((field) => order[field] === undefined);
  const empty = missing.filter(has).map(headerOf);
  if (empty.length > 0)
    findings.problem(`a new purchase order needs ${listed(empty)}, which the row leaves empty`, { line });
  return missing.length === 0;
}

/** A column that new orders need and the file has not is one problem, not one in every row. */
function checkColumns(firstNew: number | undefined, { findings, headerOf, has }: Orders): void {
  const absent = needed.filter((field) => !has(field)).map(headerOf);
  if (firstNew !== undefined && absent.length > 0)
    findings.problem(`a new purchase order needs ${listed(absent)}, for which the file has no column`, {
      line: firstNew,
    });
}

/** With more vendors than this, a new one is not compared with them: many files may each add some. */
const maxCompared = 1_000;

/** A vendor that differs from a known one by a letter or two may be a typing error. */
function compareVendor(vendor: string, { vendors }: ProductionNames, findings: Findings, line: number): void {
  if (namesIn(vendors).spellings.has(sameName(vendor)) || vendors.length > maxCompared) return;
  const near = findings.nearest(vendor, foldedIn(vendors));
  if (near !== undefined && near.distance <= 2)
    findings.warn(`vendor ${quoted(vendor)} is new; the production has ${quoted(near.candidate)}`, { line });
}

const unnumberedKey = ({ account, vendor, description, date }: Raw): string =>
  JSON.stringify([account, vendor, description, date]);

/**
 * The numbers of the orders that have one, with their currencies, and how many of the others are alike: as many of them
 * as are stored may be listed.
 */
const ordersIn = indexOf(
  () => ({ numbers: new Map<string, unknown>(), unnumbered: new Map<string, number>() }),
  ({ numbers, unnumbered }, order: Raw) => {
    const key = unnumberedKey(order);
    if (typeof order.number === "string") numbers.set(order.number, order.currency);
    else if (order.number === undefined) unnumbered.set(key, (unnumbered.get(key) ?? 0) + 1);
  },
);

type Orders = ListBuilding<typeof columns, never>;

function build(building: Orders): PaperDocument {
  const { entries, options, findings, took } = building;
  const repeats = new Repeats(findings, "; a number tells two orders apart");
  const { numbers, unnumbered } = ordersIn(options.known.items("purchase_orders"));
  const alike = new Map<string, number>();
  const orders: Order[] = [];
  const vendors = new Map<string, string>();
  let incomplete: number | undefined;
  for (const { line, values, broken, text } of entries) {
    if (broken || Object.keys(values).length === 0) continue;
    const sum = sumIn(values);
    if (sum !== undefined) {
      warnOfTotal(sum, line, findings);
      continue;
    }
    if (!isComplete(values, numbers, building, line)) {
      incomplete ??= line;
      continue;
    }
    const { number, vendor, description } = values;
    const key = number === undefined ? unnumberedKey(values) : `#${number}`;
    const count = (alike.get(key) ?? 0) + 1;
    alike.set(key, count);
    if (count > (unnumbered.get(key) ?? 0) && !repeats.isFirst(key, number ?? description ?? "", line)) continue;
    if (vendor !== undefined && !vendors.has(sameName(vendor))) {
      vendors.set(sameName(vendor), vendor);
      warnOfSeveral(options.known.vendors, vendor, findings, line);
      if (vendors.size <= 200) compareVendor(vendor, options.known, findings, line);
    }
    took(line);
    const currency = values.currency ?? currencyIn(text("amount"), numbers.get(number ?? ""));
    orders.push({ ...values, ...definedFields({ currency, vendor: vendor && vendors.get(sameName(vendor)) }) });
  }
  checkColumns(incomplete, building);
  return { ...(vendors.size > 0 && { vendors: [...vendors.values()] }), purchase_orders: orders };
}

/** What the sum below the orders is called, if the row is one: an amount alone, or beside words that say so. */
function sumIn(order: Order): string | undefined {
  const [first, ...others] = Object.entries(order).filter(([field]) => field !== "amount");
  if (first === undefined) return String(order.amount);
  const [, text] = first;
  return others.length === 0 && typeof text === "string" && namesTotal(text) ? text : undefined;
}

export const purchaseOrderList = defineList({
  title: "a list of purchase orders",
  columns,
  needs: [["account", "vendor", "description", "amount", "date"], ["number"]],
  build,
  rows: ({ purchase_orders }) => purchase_orders,
});
