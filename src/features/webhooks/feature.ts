// Signed deliveries of events to other servers.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ setting, hosts }: Blocks) => ({
  webhook_hosts: setting("where [webhooks](events.md#webhooks) may go", hosts, []),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const webhooks: Feature = {
  name: "webhooks",
  url: import.meta.url,
  needs: ["events"],
  settings,
  operations: {
    "admin/webhooks": ["./operations.ts"],
  },
  commands: [{ group: "Access", words: ["webhooks"], file: "./commands.ts" }],
  figures: "./figures.ts",
  starts: [{ file: "./start.ts", when: ({ store }) => store.unwritable === undefined }],
};
