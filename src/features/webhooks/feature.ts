// Signed deliveries of events to other servers.
import type { Feature } from "../../core/feature.ts";

export const webhooks: Feature = {
  name: "webhooks",
  url: import.meta.url,
  needs: ["events"],
  operations: {
    "admin/webhooks": ["./operations.ts"],
  },
  commands: [{ group: "Access", words: ["webhooks"], file: "./commands.ts" }],
  starts: [{ file: "./start.ts", when: ({ store }) => store.unwritable === undefined }],
};
