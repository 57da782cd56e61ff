// Waits for the bytes of a resumable upload in the staging folder.
import { statSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

/** Resolves once the file of the upload at `path` has `size` bytes. */
export function arrived(folder: string, path: string, size: number): Promise<void> {
  const file = join(folder, "media", "staging", `resumable-${path.split("/").at(-1)}`);
  return until(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= size, 10);
}
