// Readers and writers of CSV lists.
import type { Feature } from "../../core/feature.ts";

export const lists: Feature = {
  name: "lists",
  url: import.meta.url,
  needs: ["csv", "documents", "paperwork"],
  importers: {
    kind: "list",
    extensions: [".csv", ".tsv", ".xlsx", ".xls", ".ods", ".numbers"],
    file: "./importers.ts",
  },
  exporters: {
    kinds: [
      ...(["schedule", "people", "deliveries", "assets", "purchase-orders", "cost-report"] as const),
      ...(["scenes", "breakdown", "cast", "departments", "approvals"] as const),
    ],
    file: "./exporters.ts",
  },
};
