// Signed deliveries of events to other servers.

import type { App } from "../../core/context.ts";
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import { second } from "../../core/times.ts";

const settings = ({ setting, hosts }: Blocks) => ({
  webhook_hosts: setting("where [webhooks](events.md#webhooks) may go", hosts, []),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

const isWritable = ({ store }: App): boolean => store.unwritable === undefined;
const hasWebhooks = ({ store }: App): boolean =>
  store.database.prepare("SELECT 1 FROM webhooks LIMIT 1").get() !== undefined;

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
  // A copy delivers nothing, because its primary does. Without webhooks, what looks for some is not loaded while the server starts.
  starts: [{ file: "./state.ts", when: isWritable, delay: (app) => (hasWebhooks(app) ? 0 : second) }],
};
