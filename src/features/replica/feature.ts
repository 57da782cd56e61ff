// A second box: follow, promote, serving a copy, and giving way to a successor.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ setting, wholeNumber, webAddress, object, name }: Blocks) => ({
  max_staleness: setting(
    "the seconds that the copy of a [replica](replication.md#serve-the-replica) may be old; with an older one it answers 503",
    wholeNumber(1, 86_400, "seconds"),
    10,
  ),
  primary_url: setting("the primary, which a replica names when it refuses a write", webAddress),
  peer: setting(
    "the other one of [two boxes](replication.md#two-boxes-one-primary), and the file with the secret of both",
    object({ url: webAddress, secret_file: name }, '{"url": "http://box-b:8787", "secret_file": "peer.secret"}'),
  ),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const replica: Feature = {
  name: "replica",
  url: import.meta.url,
  needs: ["sequences", "backup"],
  settings,
  routes: [
    { paths: ["/peer"], always: true, load: () => import("./peer_meeting.ts"), when: ({ peer }) => peer !== undefined },
  ],
  conditions: () => import("./peer_meeting.ts"),
  checks: { load: () => import("./peer_meeting.ts"), online: true },
  commands: [{ group: "Running", words: ["follow", "promote"], load: () => import("./commands.ts") }],
  starts: [
    {
      load: () => import("./peer_meeting.ts"),
      when: ({ config, copy, store }) =>
        config.peer !== undefined && copy === undefined && store.unwritable === undefined,
    },
  ],
  copy: () => import("./replica.ts"),
};
