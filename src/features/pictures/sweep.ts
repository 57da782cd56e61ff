// Removes pictures of images that are no longer stored, those of former versions, and what an end of the server left
// half written.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { App } from "../../core/context.ts";
import { getBlob } from "../../core/store/file_placing.ts";
import { day } from "../../core/times.ts";
import { pictureFolder } from "./films.ts";

/** How the names of pictures end that versions before 1.4 made, with other colours: in the width alone. */
const former = /-\d{3,4}$/;

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
      if (former.test(name) || getBlob(app.store, { sha256 }) === undefined)
        await rm(join(folder, part, name), { force: true });
    }
  }
}
