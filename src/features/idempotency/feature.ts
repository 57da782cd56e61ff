// Idempotency-Key: a repeated request gets the answer of the first.
import type { Feature } from "../../core/feature.ts";

export const idempotency: Feature = {
  name: "idempotency",
  url: import.meta.url,
  needs: ["clock"],
  attempts: () => import("./idempotency.ts"),
};
