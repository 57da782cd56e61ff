// Resumable uploads (tus 1.0).
import { readdirSync } from "node:fs";
import type { App } from "../../core/context.ts";
import type { Feature } from "../../core/feature.ts";
import { minute } from "../../core/times.ts";
import { uploadsPath } from "../addresses/paths.ts";

/** Whether a start has something to look at: an upload, or what was left of one. */
const hasUploads = ({ store, blobs }: App): boolean =>
  store.unwritable === undefined &&
  (readdirSync(blobs.staging).length > 0 ||
    store.database.prepare("SELECT 1 FROM uploads LIMIT 1").get() !== undefined);

export const uploads: Feature = {
  name: "uploads",
  url: import.meta.url,
  needs: ["addresses", "clock"],
  routes: [{ paths: [uploadsPath], below: `${uploadsPath}/`, load: () => import("./route.ts") }],
  starts: [{ load: () => import("./sweep.ts"), when: hasUploads }],
  timers: [{ first: 10 * minute, every: 10 * minute, load: () => import("./sweep.ts") }],
  uploads: () => import("./state.ts"),
};
