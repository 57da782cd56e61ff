// Submits files on a delivery, on the client beside it: curl -O $TALLYLIGHT_URL/docs/tallylight.mjs
// node submit.ts DELIVERY FILE... (Node 22.18 or newer) or deno run -A submit.ts, with a vendor's key that has the
// scope submit:turnover.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { Tallylight } from "./tallylight.mjs";

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const block of createReadStream(file)) hash.update(block);
  return hash.digest("hex");
}

const [delivery, ...files] = process.argv.slice(2);
if (files.length === 0 || !process.env.TALLYLIGHT_URL || !process.env.TALLYLIGHT_KEY) {
  console.error("set TALLYLIGHT_URL and TALLYLIGHT_KEY; node submit.ts DELIVERY FILE...");
  process.exit(2);
}
const tally = new Tallylight(process.env.TALLYLIGHT_URL, process.env.TALLYLIGHT_KEY);
// What is handed in names the request: a job that was killed and runs again within a day submits once.
const name = createHash("sha256").update(String(delivery));
for (const file of files) name.update(`\n${basename(file)}\n${await hashOf(file)}`);
const named = { delivery_id: Number(delivery), files, idempotency_key: name.digest("hex") };
const { id, title, status, media } = await tally.submitTurnover(named);
console.log(`submission ${id}, ${title}: ${status}`);
for (const { id, label } of media) console.log(`  medium ${id}: ${label}`);
