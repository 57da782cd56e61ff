// Following the manifest of a vendor.
import type { Feature } from "../../../core/feature.ts";

export const searchChanges: Feature = {
  name: "search/changes",
  url: import.meta.url,
  needs: ["search", "events"],
  operations: {
    me: ["./changes.ts"],
  },
};
