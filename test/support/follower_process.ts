// Follows a primary in its own process, for tests that kill it: SOURCE, DIR, and the path of sqlite3_rsync. Prints a
// line for each copy.
import { sourceOf } from "../../src/features/replica/copying.ts";
import { follow } from "../../src/features/replica/follower.ts";

const [source = "", data = "", copier = ""] = process.argv.slice(2);
await follow({
  source: sourceOf(source, data),
  data,
  every: 100,
  copier,
  signal: new AbortController().signal,
  tell: (told) => void ("copied" in told ? process.stdout : process.stderr).write(`${JSON.stringify(told)}\n`),
});
