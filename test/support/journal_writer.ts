// Writes into a journal without end, for a test that kills the process: settles a counter and one of 3,500 paths each
// time, and prints each number after it is settled.
import { writeSync } from "node:fs";
import type { Report } from "../../src/agent/report.ts";
import { reconcilerReport } from "./agent_report.ts";
import { openJournal } from "./agent_state.ts";

const journal = openJournal(process.argv[2] as string);
if (journal.pending !== undefined) journal.settle([]);
for (let number = (journal.get("counter")?.size ?? 0) + 1; ; number++) {
  const see = (path: string) => reconcilerReport(journal, path, { size: number, mtime_ns: String(number) }) as Report;
  journal.begin([see("counter"), see(`folder ${number % 7}/${number % 500}`)]);
  journal.settle([]);
  writeSync(1, `${number}\n`);
}
