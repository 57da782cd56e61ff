// Smaller pictures of media, made by the package sharp where it is installed.
import type { Feature } from "../../core/feature.ts";
import { hour, minute } from "../../core/times.ts";

export const pictures: Feature = {
  name: "pictures",
  url: import.meta.url,
  needs: ["work"],
  pictures: "./pictures.ts",
  checks: { file: "./memory_bound.ts" },
  timers: [{ first: minute, every: hour, file: "./sweep.ts" }],
};
