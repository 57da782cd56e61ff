// Checking a data directory, and repairing it.
import type { Feature } from "../../core/feature.ts";

export const doctor: Feature = {
  name: "doctor",
  url: import.meta.url,
  needs: ["work", "soundness", "clock"],
  commands: [{ group: "Running", words: ["doctor"], load: () => import("./commands.ts") }],
};
