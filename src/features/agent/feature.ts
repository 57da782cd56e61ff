// The command of the storage agent, which src/agent has.
import type { Feature } from "../../core/feature.ts";

export const agent: Feature = {
  name: "agent",
  url: import.meta.url,
  commands: [{ group: "Storage", words: ["agent"], load: () => import("./commands.ts") }],
};
