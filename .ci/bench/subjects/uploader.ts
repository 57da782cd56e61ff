// Uploads files to one address at once, each with the bandwidth of its own line. Runs with the lowest priority, because
// real uploaders are other machines. Run with the address, the key, the number of uploads, the bytes of each and the
// bytes per second of each. Prints "ready". For each line on its input it uploads all files and prints the seconds that
// this took.
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { upload } from "../transfer.ts";

setPriority(19);
const [url = "", key = "", uploads = "10", size = "0", bandwidth = "0"] = process.argv.slice(2);
console.log("ready");
for await (const _ of createInterface({ input: process.stdin })) {
  const began = performance.now();
  const one = () => upload(url, `authorization: Bearer ${key}\r\n`, Number(size), Number(bandwidth));
  await Promise.all(Array.from({ length: Number(uploads) }, one));
  console.log(JSON.stringify((performance.now() - began) / 1000));
}
