// Restyle helpers: session tokens of the restyle provider, and briefs of stills by a vision model.
import type { Feature } from "../../core/feature.ts";

export const restyle: Feature = {
  name: "restyle",
  url: import.meta.url,
  operations: {
    percep: ["./percep.ts"],
  },
};
