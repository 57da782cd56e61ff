// The admin API for keys, engagements, grants, storage and the audit.
import type { Feature } from "../../core/feature.ts";

export const admin: Feature = {
  name: "admin",
  url: import.meta.url,
  operations: {
    "admin/keys": ["./access.ts"],
    "admin/engagements": ["./access.ts"],
    "admin/grants": ["./access.ts"],
    "admin/storage": ["./storage.ts"],
    "admin/audit": ["./audit.ts"],
  },
};
