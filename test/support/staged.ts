// Waits for the bytes of a resumable upload in the staging folder.
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Resolves once the file of the upload at `path` has `size` bytes. Fails after a minute. */
export async function arrived(folder: string, path: string, size: number): Promise<void> {
  const file = join(folder, "media", "staging", `resumable-${path.split("/").at(-1)}`);
  for (const until = performance.now() + 60_000; statSync(file).size < size; await pause(10))
    if (performance.now() > until) throw new Error(`only ${statSync(file).size} bytes of ${path} arrived`);
}
