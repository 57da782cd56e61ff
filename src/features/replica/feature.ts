// A second box: follow, promote, serving a copy, and giving way to a successor.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, wholeNumber, webAddress, object, name }: Blocks) => ({
  /** The maximum age of a replica's copy in seconds. With an older one, a replica refuses every request. */
  max_staleness: optional(wholeNumber(1, 86_400, "seconds"), 10),
  /** The address of the primary server, which a replica names to clients that write. */
  primary_url: optional(webAddress),
  /** The other one of two boxes, and the file with the secret that both share: a primary gives way where the other took over. */
  peer: optional(
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
  routes: [{ paths: ["/peer"], always: true, file: "./peer_meeting.ts", when: ({ peer }) => peer !== undefined }],
  conditions: "./peer_meeting.ts",
  checks: { file: "./peer_meeting.ts", online: true },
  commands: [{ group: "Running", words: ["follow", "promote"], file: "./commands.ts" }],
  starts: [
    {
      file: "./peer_meeting.ts",
      when: ({ config, copy, store }) =>
        config.peer !== undefined && copy === undefined && store.unwritable === undefined,
    },
  ],
  copy: "./replica.ts",
};
