// A second box: follow, promote, serving a copy, and giving way to a successor.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, wholeNumber, webAddress }: Blocks) => ({
  /** The maximum age of a replica's copy in seconds. With an older one, a replica refuses every request. */
  max_staleness: optional(wholeNumber(1, 86_400, "seconds"), 10),
  /** The address of the primary server, which a replica names to clients that write. */
  primary_url: optional(webAddress),
  /** The address of the other one of two boxes: a primary gives way where the other took over. */
  peer: optional(webAddress),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const replica: Feature = {
  name: "replica",
  url: import.meta.url,
  needs: ["sequences", "backup"],
  settings,
  routes: [{ paths: ["/peer"], always: true, file: "./peer_route.ts" }],
  commands: [{ group: "Running", words: ["follow", "promote"], file: "./commands.ts" }],
  starts: [
    {
      file: "./start.ts",
      when: ({ config, copy, store }) =>
        config.peer !== undefined && copy === undefined && store.unwritable === undefined,
    },
  ],
  copy: "./replica.ts",
};
