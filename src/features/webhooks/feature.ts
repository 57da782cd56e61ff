// Signed deliveries of events to other servers.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, hosts }: Blocks) => ({
  /** The hosts and networks that webhooks may go to; none by default. */
  webhook_hosts: optional(hosts, []),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const webhooks: Feature = {
  name: "webhooks",
  url: import.meta.url,
  needs: ["events"],
  settings,
  activityVerbs: ["added", "changed", "paused", "resumed", "replayed", "rotated", "removed"].map(
    (verb) => `webhook.${verb}`,
  ),
  operations: {
    "admin/webhooks": ["./operations.ts"],
  },
  commands: [{ group: "Access", words: ["webhooks"], file: "./commands.ts" }],
  figures: "./figures.ts",
  starts: [{ file: "./start.ts", when: ({ store }) => store.unwritable === undefined }],
};
