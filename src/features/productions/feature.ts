// Freezing, archiving and deleting productions, and erasing people.
import type { Feature } from "../../core/feature.ts";
import type { EventTypeRows, Verbs } from "../../core/store/event_types.ts";

const eventTypes = {
  "person.erased": {
    subject: "person",
    data: [],
    when: "a person is erased: every list may have had the name, so read all of them again",
  },
} as const satisfies EventTypeRows;

const otherVerbs = ["production.frozen", "production.thawed"] as const;

type OwnTypes = typeof eventTypes;

declare module "../../core/store/event_types.ts" {
  interface EventTypes extends OwnTypes {}
  interface OtherVerbs extends Verbs<typeof otherVerbs> {}
}

export const productions: Feature = {
  name: "productions",
  url: import.meta.url,
  needs: ["names", "backup"],
  eventTypes,
  otherVerbs,
  commands: [{ group: "Production", words: ["productions", "people"], load: () => import("./commands.ts") }],
};
