// Following the log of events: lists, long polls and streams.
import type { Feature } from "../../core/feature.ts";
import type { Blocks, SettingsOf } from "../../core/settings.ts";
import { hour, second } from "../../core/times.ts";

const settings = ({ v, setting, wholeNumber, object }: Blocks) => {
  const days = v.optional(wholeNumber(1, 36_500, "days"));
  return {
    event_readers: setting(
      "the event streams and waiting polls of one key that may be open at once",
      wholeNumber(1, 1_000_000, "readers"),
      500,
    ),
    retention: setting(
      "how many days these entries are kept; without it 400 for change sets, and for ever for the others",
      object(
        { storage_events: days, activity: days, audit: days, change_sets: days },
        '{"storage_events": 90, "activity": 400, "audit": 800, "change_sets": 400}',
      ),
    ),
  };
};

declare module "../../core/config.ts" {
  interface Config extends SettingsOf<typeof settings> {}
}

export const events: Feature = {
  name: "events",
  url: import.meta.url,
  needs: ["clock"],
  settings,
  operations: {
    events: [() => import("./operations.ts")],
  },
  figures: () => import("./figures.ts"),
  timers: [{ first: 5 * second, every: hour, load: () => import("./retention.ts") }],
};
