// What is wrong with a running server: looks every minute, and records an event when something turns bad or is right again.
import type { Feature } from "../../core/feature.ts";

export const health: Feature = {
  name: "health",
  url: import.meta.url,
  figures: "./figures.ts",
  conditions: "./machine.ts",
  timers: [{ first: 10_000, every: 60_000, file: "./watching.ts" }],
};
