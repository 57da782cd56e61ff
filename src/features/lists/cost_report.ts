// Reads and writes the weekly cost report: one line for each account, with all figures of the report.
import { firstOf } from "../../core/wording.ts";
import { isRecord, type Raw } from "../documents/sections/form.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { isReservedKey, quoted, slugOf } from "../names/names.ts";
import { CellRefusal, Repeats } from "../paperwork/findings.ts";
import { indexOf } from "../paperwork/known_names.ts";
import { definedFields, type PaperDocument } from "../paperwork/partial.ts";
import { listAt } from "../sequences/sequences.ts";
import { dateCell, department, jsonOf, money, plainCell, plainText, textCell } from "./cells.ts";
import { headerKey } from "./csv.ts";
import { withForeign } from "./foreign_headers.ts";
import { column, defineList, type ListBuilding, type ListEntry, type WrittenRow } from "./list.ts";
import { moneyReader, printNumber, TwoAmounts } from "./money.ts";
import { namesTotal, warnOfTotal } from "./totals.ts";

const figuresCell = plainCell("all figures as a JSON object", (text) => {
  const value = jsonOf(text);
  return isRecord(value) ? value : new CellRefusal(`${quoted(text)} is not a JSON object`);
});

const columns = {
  week_of: column("Week, Week Of, Week Ending, W/E, Period, Report Date", dateCell),
  account: column("Account, Acct, Account No, Account Code, Acct No, Acct Code, Code, Cost Code", textCell(100)),
  department: column("Department, Dept, Dep", department),
  /** In place of further columns, where a figure could not be read back from one. */
  figures_json: column("Figures (JSON)", figuresCell),
  budget: column("Budget, Original Budget, Approved Budget, Budget Amount, Total Budget", money),
};

type Report = ListBuilding<typeof columns, never>;
type Line = ListEntry<typeof columns, never>;
type Figures = Record<string, number | string>;

/** The keys of the further columns: "Estimate to Complete" is estimate_to_complete. */
function figureKeys(entries: readonly Line[], findings: Report["findings"]): Map<string, string> {
  const keys = new Map<string, string>();
  for (const header of new Set(entries.flatMap(({ further }) => [...further.keys()]))) {
    const key = slugOf(header, "_");
    if (key === "" || isReservedKey(key) || key in columns)
      findings.warn(`the column ${quoted(header)} was ignored: a figure cannot have its name`);
    else if ([...keys.values()].includes(key))
      findings.warn(`the column ${quoted(header)} was ignored: another column is also called ${key}`);
    else keys.set(header, key);
  }
  return keys;
}

/** The figures of each line: numbers where they are numbers, otherwise text. */
function figuresOf(entries: readonly Line[], findings: Report["findings"]): Figures[] {
  const keys = figureKeys(entries, findings);
  const readers = new Map(
    [...keys.keys()].map((header) => [
      header,
      moneyReader(entries.flatMap(({ further }) => further.get(header) ?? [])),
    ]),
  );
  return entries.map(({ further, line }) => {
    const figures: Figures = {};
    for (const [header, cell] of further) {
      const key = keys.get(header);
      if (key === undefined) continue;
      const reading = readers.get(header)?.(cell);
      if (reading instanceof TwoAmounts) findings.problem(reading.message, { line, column: header });
      figures[key] = typeof reading === "number" ? reading : cell;
    }
    return figures;
  });
}

/** A sum, or a heading above its accounts. */
const isLine = ({ values }: Line, figures: Figures): boolean =>
  values.account !== undefined &&
  (values.figures_json !== undefined || isAccount(values.account, values.budget, figures));

/** A heading above accounts, which has no amount. */
const isHeading = ({ values: { budget } }: Line, figures: Figures): boolean =>
  budget === undefined && Object.values(figures).every((figure) => typeof figure !== "number");

/** What a heading says. */
const headingOf = ({ values: { account = "", department }, further }: Line): string =>
  [account, department, ...further.values()].filter(Boolean).join(" ");

/** The text that says that a row is a sum. */
const sumIn = (account: string | undefined, { description }: Readonly<Record<string, unknown>>): string | undefined =>
  [account ?? "", String(description ?? "")].find(namesTotal);

const isAccount = (account: string, budget: number | undefined, figures: Readonly<Record<string, unknown>>): boolean =>
  sumIn(account, figures) === undefined &&
  (budget !== undefined || Object.values(figures).some((figure) => typeof figure === "number"));

/**
 * The latest week, those of active reports, and all; the department of each account in the latest report that has it.
 */
const reportsIn = indexOf(
  () => ({
    latest: "",
    active: new Set<string>(),
    weeks: new Set<string>(),
    accounts: new Map<string, { week: string; department: string }>(),
  }),
  (index, { week_of, active, lines }: Raw) => {
    const week = String(week_of);
    if (week > index.latest) index.latest = week;
    index.weeks.add(week);
    if (active === true) index.active.add(week);
    else index.active.delete(week);
    // As the schema has them.
    for (const { account, department } of (lines ?? []) as { account: string; department: string }[])
      if (week >= (index.accounts.get(account)?.week ?? "")) index.accounts.set(account, { week, department });
  },
);

type Lines = NonNullable<NonNullable<PaperDocument["cost_reports"]>[number]["lines"]>;

function linesByWeek({ entries, options, findings, took }: Report): Map<string, Lines> {
  const known = reportsIn(options.known.items("cost_reports"));
  const figures = figuresOf(entries, findings);
  const weeks = new Map<string, Lines>();
  const repeats = new Repeats(findings);
  let some = entries.length === 0;
  let weekless = false;
  const headings: string[] = [];
  for (const [at, entry] of entries.entries()) {
    const { line, values } = entry;
    // the schema of a report says which values they have
    const lineFigures = (values.figures_json ?? figures[at]) as Figures;
    some ||= entry.broken || isLine(entry, lineFigures);
    const sum = sumIn(values.account, lineFigures);
    if (!entry.broken && sum !== undefined) warnOfTotal(sum, line, findings);
    if (!entry.broken && sum === undefined && isHeading(entry, lineFigures)) {
      took(line);
      headings.push(headingOf(entry));
    }
    if (entry.broken || !isLine(entry, lineFigures)) continue;
    const { account = "" } = values; // a line has one
    const week = values.week_of ?? options.week;
    const department = values.department ?? known.accounts.get(account)?.department;
    if (week === undefined && !weekless) findings.problem("the week is missing; add --week YYYY-MM-DD", { line });
    weekless ||= week === undefined;
    if (department === undefined)
      findings.problem(`account ${account} has no department, and no earlier report has the account`, { line });
    if (
      week === undefined ||
      department === undefined ||
      !repeats.isFirst(JSON.stringify([week, account]), account, line)
    )
      continue;
    took(line);
    const { budget } = values;
    const figured = Object.keys(lineFigures).length > 0 && { figures: lineFigures };
    listAt(weeks, week).push({ account, department, ...definedFields({ budget }), ...figured });
  }
  const are =
    headings.length === 1
      ? "row has no amount and was read as a heading"
      : "rows have no amount and were read as headings";
  if (headings.length > 0) findings.warn(`${headings.length} ${are}: ${firstOf(headings.map(quoted))}`);
  if (!some) findings.problem("the file has no row with an account and an amount");
  return weeks;
}

/**
 * The week becomes the active one, instead of the former one, if it is later than every other. A stored week does not
 * change.
 */
function build(report: Report): PaperDocument {
  const weeks = linesByWeek(report);
  const known = reportsIn(report.options.known.items("cost_reports"));
  const latest = [known.latest, ...weeks.keys()].toSorted().at(-1) as string; // it has one
  const isLater = latest > known.latest;
  const before = [...known.active].filter((week_of) => isLater && !weeks.has(week_of));
  return {
    cost_reports: [
      ...before.map((week_of) => ({ week_of, active: false })),
      ...[...weeks].map(([week_of, lines]) => ({
        week_of,
        lines,
        ...(isLater || !known.weeks.has(week_of) ? { active: isLater && week_of === latest } : {}),
      })),
    ],
  };
}

/** The keys of the headers of the columns, in every language. */
const headerKeys: ReadonlyMap<string, true> = withForeign(
  new Map(
    Object.entries(columns).flatMap(([field, { aliases }]) =>
      [field, ...aliases].map((header) => [headerKey(header), true] as const),
    ),
  ),
);

/** Whether every figure of a line is read back from a column of its own. */
function isSimple({ account, budget, figures }: Required<Lines>[number]): boolean {
  return (
    isAccount(account, budget, figures ?? {}) &&
    Object.entries(figures ?? {}).every(
      ([key, value]) =>
        slugOf(key, "_") === key &&
        !isReservedKey(key) &&
        !headerKeys.has(headerKey(key)) &&
        (typeof value === "number" ||
          (typeof value === "string" && plainText(value, 1000) === value && !/\d|^\s|\s$|^[-–—]$/.test(value))),
    )
  );
}

function rows({ cost_reports }: ProductionDocument): WrittenRow<typeof columns>[] {
  const simple = cost_reports.every(({ lines }) => lines.every(isSimple));
  const cell = (value: unknown): string => (typeof value === "number" ? printNumber(value) : String(value));
  return cost_reports.flatMap(({ week_of, lines }) =>
    lines.map(({ account, department, budget, figures }) => ({
      week_of,
      account,
      department,
      budget,
      ...(simple
        ? { further: new Map(Object.entries(figures).map(([key, value]) => [key, cell(value)])) }
        : { figures_json: figures }),
    })),
  );
}

export const costReport = defineList({
  title: "a cost report",
  columns,
  needs: [["account"]],
  keepsFurther: true,
  build,
  rows,
});
