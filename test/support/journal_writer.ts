// Writes into a journal for ever, for a test that kills it: settles a counter and one of 3,500 paths at a time, and says each number
// once it is settled.
import { writeSync } from "node:fs";
import { Journal } from "../../src/agent/journal/journal.ts";
import type { Report } from "../../src/agent/report.ts";
import { reportSeen } from "./agent_sight.ts";

const journal = Journal.open(process.argv[2] as string, { filespace: "f", mostRecent: 50 });
if (journal.pending !== undefined) journal.settle([]);
for (let number = (journal.get("counter")?.size ?? 0) + 1; ; number++) {
  const see = (path: string) => reportSeen(journal, path, { size: number, mtime_ns: String(number) }) as Report;
  journal.begin([see("counter"), see(`folder ${number % 7}/${number % 500}`)]);
  journal.settle([]);
  writeSync(1, `${number}\n`);
  await journal.compact();
}
