// The demo: two productions, keys, and a server.
import type { Feature } from "../../core/feature.ts";

export const demo: Feature = {
  name: "demo",
  url: import.meta.url,
  needs: ["documents", "pages", "scripts"],
  commands: [{ group: "Start", words: ["demo"], load: () => import("./commands.ts") }],
};
