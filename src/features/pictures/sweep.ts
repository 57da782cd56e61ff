// Removes pictures of images that are no longer stored, and what an end of the server left half written.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { App } from "../../core/context.ts";
import { getBlob } from "../../core/store/file_placing.ts";
import { day } from "../../core/times.ts";
import { pictureFolder } from "./pictures.ts";

/** In milliseconds. */

export async function runTimer(app: App): Promise<void> {
  const folder = pictureFolder(app);
  for (const part of await readdir(folder).catch(() => [])) {
    if (part.startsWith("new-")) {
      const { mtimeMs } = await stat(join(folder, part)).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > day) await rm(join(folder, part), { force: true });
      continue;
    }
    for (const name of await readdir(join(folder, part))) {
      if (!app.store.database.open) return;
      const [sha256 = ""] = name.split("-");
      if (getBlob(app.store, { sha256 }) === undefined) await rm(join(folder, part, name), { force: true });
    }
  }
}
