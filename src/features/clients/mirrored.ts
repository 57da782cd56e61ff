// What mirror() of the clients reads with the key of a production: every list that is no log, with what `include` adds.
import type { ClientOperation } from "./operations.ts";

/** The query of each operation that a mirror asks. */
const queries: Readonly<Record<string, string>> = {
  get_production: "",
  list_departments: "",
  list_people: "",
  list_episodes: "",
  list_scenes: "include=assets,department_notes,shoot_days,script",
  list_assets: "include=versions,notes,still",
  get_schedule: "",
  list_cast_days: "",
  list_deliveries: "include=nodes,awaiting",
  list_approvals: "",
  list_script_changes: "status=all&all_episodes=1&include=concerns",
  list_vendors: "include=access",
  list_all_submissions: "limit=500",
  list_jobs: "limit=200",
  list_orders: "",
  get_purchase_orders: "",
  list_media: "",
};

/** The name of the file, the path with its query, and the scope of each; the name is the path without /api/v1. */
export const mirroredLists = (operations: readonly ClientOperation[]): (readonly [string, string, string])[] =>
  operations.flatMap(({ name, path, scope = "read" }) => {
    const query = queries[name];
    if (query === undefined) return [];
    return [
      [path.replace("/api/v1/", "").replaceAll("/", "-"), query === "" ? path : `${path}?${query}`, scope] as const,
    ];
  });
