// node benchmarks/lists.ts: reads a list of 20,000 purchase orders and prints the time as a ratio to splitting the
// same bytes into lines and cells, then the memory that the rows use, as a ratio to the file.
import { readRows } from "../src/features/lists/csv.ts";
import { listOfKind } from "../src/features/lists/lists.ts";
import { Findings } from "../src/features/paperwork/findings.ts";
import { noNames } from "../test/support/lists.ts";

const rows = 20_000;
const header = "PO #,Date,Vendor,Description,Account,Amount,Status\r\n";
const row = (at: number): string =>
  `${at},${1 + (at % 28)} Nov 2026,Vendor ${at % 200},"Rope, ${at} m, ""tarred""",${2700 + (at % 40)},"$${1 + (at % 9)},234.50",Open\r\n`;
const bytes = Buffer.from(header + Array.from({ length: rows }, (_, at) => row(at)).join(""));

function median(run: () => unknown): number {
  for (let round = 0; round < 3; round++) run();
  const times = Array.from({ length: 9 }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return times.sort((one, other) => one - other)[4] as number;
}

const split = median(() =>
  bytes
    .toString()
    .split("\r\n")
    .map((line) => line.split(",")),
);
const parsed = median(() => readRows(bytes, ",", new Findings()));
const read = median(() => listOfKind("purchase-orders").read(bytes, { known: noNames }));

globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const result = listOfKind("purchase-orders").read(bytes, { known: noNames });
globalThis.gc?.();
const heap = process.memoryUsage().heapUsed - before;

const ratio = (figure: number): string => `${(figure / split).toFixed(1)} times`;
console.log(
  `${rows} rows, ${(bytes.length / 2 ** 20).toFixed(1)} MiB; splitting them into lines and cells: ${split.toFixed(1)} ms`,
);
console.log(`rows by csv-parse: ${ratio(parsed)} (${parsed.toFixed(0)} ms)`);
console.log(`a partial document: ${ratio(read)} (${read.toFixed(0)} ms)`);
console.log(
  `${result.document.purchase_orders?.length} orders use ${(heap / bytes.length).toFixed(1)} times the file (run with --expose-gc)`,
);
