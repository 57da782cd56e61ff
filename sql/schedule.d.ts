// The statements of schedule.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_schedule: { parameters: "after" | "days_of_episode_id" | "episode_id" | "first" | "last" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "day_number" | "unit" | "date" | "general_call" | "status" | "scenes" | "location" | "notes" | "wrap" | "time_zone" | "calls" | "banners" | "parts" | "lines"; id: never };
    list_shoot_day_ids: { parameters: "production_id"; columns: "id"; fields: never; id: "shoot_day" };
    get_shoot_day: { parameters: "episode_id" | "production_id" | "shoot_day_id"; columns: never; fields: "id" | "day_number" | "unit" | "date" | "general_call" | "status" | "scenes" | "location" | "notes" | "wrap" | "time_zone" | "calls" | "banners" | "parts" | "lines"; id: never };
  }
}
