// Runs the driver with the steps on standard input: node drive.mjs MODULE, or deno run -A drive.mjs MODULE.
import process from "node:process";
import { drive } from "./driver.mjs";

let text = "";
for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
const done = await drive(process.argv[2], JSON.parse(text));
process.stdout.write(JSON.stringify(done), () => process.exit(0));
