// A second box: follow, promote, serving a copy, and giving way to a successor.
import type { Feature } from "../../core/feature.ts";

export const replica: Feature = {
  name: "replica",
  url: import.meta.url,
  needs: ["backup"],
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
