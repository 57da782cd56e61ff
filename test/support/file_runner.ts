// Runs test files one after the other in this process: reads a path from each line of its input, and prints a line
// after each file.
import { createInterface } from "node:readline";

/** Precedes the exit status that the file would have had in its own process. */
export const endMark = "the file ended with status";

if (import.meta.main) {
  const queue: unknown[][] = [];
  Object.assign(globalThis, { UVU_DEFER: true, UVU_QUEUE: queue });
  // first, as in the program: modules read what the features contribute when they are loaded
  await import("../../src/features.ts");
  const { exec } = await import("uvu");
  for await (const file of createInterface({ input: process.stdin })) {
    queue.splice(0, queue.length, [null]);
    process.exitCode = 1;
    try {
      await import(file);
      await exec();
    } catch (error) {
      console.error(error);
    }
    process.stdout.write(`\n${endMark} ${process.exitCode}\n`);
  }
  process.exitCode = 0;
  // What a file left open gets some time to end by itself.
  setTimeout(
    () => {
      const open = "Deno" in globalThis ? "something" : process.getActiveResourcesInfo();
      console.error(`after the last file still open: ${open}`);
      process.exit(1);
    },
    Number(process.env.PATIENCE ?? 60_000),
  ).unref();
}
