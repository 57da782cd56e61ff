// Writes to a database again and again until its input ends, and prints the longest time that a write took in
// milliseconds.
import Database from "better-sqlite3";

const database = new Database(process.argv[2] as string, { timeout: 60_000 });
const write = database.prepare("UPDATE productions SET logline = logline WHERE id = 1");
let longest = 0;
let done = false;
process.stdin.on("end", () => {
  done = true;
});
process.stdin.resume();
write.run();
process.stdout.write("ready\n");
while (!done) {
  const started = performance.now();
  write.run();
  longest = Math.max(longest, performance.now() - started);
  await new Promise((resolve) => setTimeout(resolve, 2));
}
process.stdout.write(`${longest}\n`);
