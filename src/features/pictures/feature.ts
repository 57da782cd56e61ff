// Smaller pictures of media, made by the package sharp where it is installed.
import type { Feature } from "../../core/feature.ts";

export const pictures: Feature = {
  name: "pictures",
  url: import.meta.url,
  needs: ["work"],
  pictures: "./pictures.ts",
  timers: [{ first: 60_000, every: 3_600_000, file: "./sweep.ts" }],
};
