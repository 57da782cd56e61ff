// Freezing, archiving and deleting productions, and erasing people.
import type { Feature } from "../../core/feature.ts";

export const productions: Feature = {
  name: "productions",
  url: import.meta.url,
  needs: ["names", "backup"],
  activityVerbs: ["person.erased", "production.frozen", "production.thawed"],
  commands: [{ group: "Production", words: ["productions", "people"], file: "./commands.ts" }],
};
