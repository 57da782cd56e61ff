// What does not fit together on a shoot day.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";

const settings = ({ setting, wholeNumber }: Blocks) => ({
  turnaround: setting(
    "the hours of rest between the wrap of a shoot day and the next call of a cast member; a shorter rest is a clash",
    wholeNumber(0, 48, "hours"),
    11,
  ),
});

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const clashes: Feature = { name: "clashes", url: import.meta.url, settings };
