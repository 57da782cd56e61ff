// Following the log of events: lists, long polls and streams.
import type { Feature } from "../../core/feature.ts";

export const events: Feature = {
  name: "events",
  url: import.meta.url,
  operations: {
    events: ["./operations.ts"],
  },
  timers: [{ first: 5_000, every: 3_600_000, file: "./retention.ts" }],
};
