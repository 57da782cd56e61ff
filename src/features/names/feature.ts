// Names: of things in documents and commands, and as people write them, with typing errors; scene numbers, sluglines and lengths of scenes.
import type { Feature } from "../../core/feature.ts";

export const names: Feature = {
  name: "names",
  url: import.meta.url,
  needs: ["sequences"],
  spelling: "./names.ts",
  lookup: "./name_lookup.ts",
};
