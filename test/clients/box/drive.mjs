// Runs the driver with the steps of each line on standard input, and prints a line for each: node drive.mjs MODULE, or
// deno run -A drive.mjs MODULE.
import process from "node:process";
import { createInterface } from "node:readline";
import { drive } from "./driver.mjs";

const say = (text) => new Promise((resolve) => process.stdout.write(`${text}\n`, resolve));

for await (const line of createInterface({ input: process.stdin }))
  await say(JSON.stringify(await drive(process.argv[2], JSON.parse(line))));
process.exit(0);
