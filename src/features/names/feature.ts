// Names: of things in documents and commands, and as people write them, with typing errors; scene numbers, sluglines
// and lengths of scenes.
import type { Feature } from "../../core/feature.ts";

export const names: Feature = {
  name: "names",
  url: import.meta.url,
  needs: ["sequences"],
  spelling: () => import("./names.ts"),
  lookup: () => import("./name_lookup.ts"),
};
