// Follows a primary in its own process, for tests that kill it: SOURCE, DIR, and the path of sqlite3_rsync. Prints a line for each
// copy.
import { follow } from "../../src/features/replica/follower.ts";
import { sourceOf } from "../../src/features/replica/source.ts";
import { programs } from "./replication.ts";

const [source = "", data = "", sqlite3_rsync = ""] = process.argv.slice(2);
await follow({
  source: sourceOf(source, data),
  data,
  every: 100,
  programs: { ...programs, sqlite3_rsync },
  signal: new AbortController().signal,
  copied: ({ lag }) => void process.stdout.write(`${lag}\n`),
  failed: ({ message }) => void process.stderr.write(`${message}\n`),
});
