// The statements of progress.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_planned_days: { parameters: "on" | "production_id"; columns: "shoot_day_id" | "unit" | "day_number" | "date" | "status" | "not_ready"; fields: never; id: never };
    list_counted_scenes: { parameters: "episode_id" | "production_id"; columns: "status" | "pages" | "days"; fields: never; id: never };
    list_late: { parameters: "on" | "production_id"; columns: "kind" | "id" | "title" | "due" | "days" | "awaiting"; fields: never; id: never };
  }
}
