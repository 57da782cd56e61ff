// Signed deliveries of events to other servers.
import { isIP } from "node:net";
import type { App } from "../../core/context.ts";
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import type { Verbs } from "../../core/store/event_types.ts";
import { second } from "../../core/times.ts";

/** Whether a text is a host name without a port, an address, or a network in CIDR notation. */
function isHost(value: string): boolean {
  const [address = "", bits, ...more] = value.split("/");
  const version = isIP(address);
  if (version === 0) return bits === undefined && URL.parse(`http://${value}`)?.host === value && !/[:?#@]/.test(value);
  if (more.length > 0 || (bits !== undefined && !/^(0|[1-9]\d{0,2})$/.test(bits))) return false;
  return bits === undefined || Number(bits) <= (version === 4 ? 32 : 128);
}

const hostMessage = "must be host names, addresses, or networks such as 10.20.0.0/16";

const settings = ({ v, setting, list }: Blocks) => ({
  webhook_hosts: setting(
    "where [webhooks](api.md#webhooks) may go",
    list(v.pipe(v.string(), v.toLowerCase(), v.check(isHost, hostMessage)), hostMessage),
    [],
  ),
});

const otherVerbs = [
  ...(["webhook.added", "webhook.changed", "webhook.paused", "webhook.resumed"] as const),
  ...(["webhook.replayed", "webhook.rotated", "webhook.removed"] as const),
] as const;

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

declare module "../../core/store/event_types.ts" {
  interface OtherVerbs extends Verbs<typeof otherVerbs> {}
}

const isWritable = ({ store }: App): boolean => store.unwritable === undefined;
const hasWebhooks = ({ store }: App): boolean =>
  store.database.prepare("SELECT 1 FROM webhooks LIMIT 1").get() !== undefined;

export const webhooks: Feature = {
  name: "webhooks",
  url: import.meta.url,
  needs: ["events"],
  settings,
  otherVerbs,
  operations: {
    "admin/webhooks": [() => import("./operations.ts")],
  },
  commands: [{ group: "Access", words: ["webhooks"], load: () => import("./commands.ts") }],
  figures: () => import("./figures.ts"),
  // A copy delivers nothing, because its primary does. Without webhooks, what looks for some is not loaded while the
  // server starts.
  starts: [{ load: () => import("./state.ts"), when: isWritable, delay: (app) => (hasWebhooks(app) ? 0 : second) }],
};
