// What does not fit together on a shoot day.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ optional, wholeNumber }: Blocks) => ({
  /** The rest in hours between the wrap of a day and the next call, below which a call is said to clash. */
  turnaround: optional(wholeNumber(0, 48, "hours"), 11),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const clashes: Feature = { name: "clashes", url: import.meta.url, settings };
