// The statements of days.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_day_bundle: { parameters: "date" | "missing" | "production_id" | "shoot_day_id" | "unit"; columns: never; fields: "version" | "day" | "cast" | "scenes" | "approvals" | "deliveries" | "script_changes" | "department_notes" | "same_date"; id: never };
    list_related_days: { parameters: "date" | "earlier" | "most" | "production_id" | "shoot_day_id" | "unit"; columns: never; fields: "day_number" | "unit" | "date" | "general_call" | "wrap" | "time_zone" | "calls" | "location" | "scenes"; id: never };
    has_locations: { parameters: "production_id"; columns: never; fields: never; id: never };
    get_near_shoot_day: { parameters: "date" | "production_id" | "unit"; columns: "unit" | "day_number" | "date" | "is_next"; fields: never; id: never };
  }
}
