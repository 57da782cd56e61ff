// The statements of cast.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_cast_days: { parameters: "after" | "after_tie" | "episode_id" | "limit" | "production_id"; columns: "place" | "tie" | "document"; fields: "node_id" | "label" | "cast_number" | "performer" | "days" | "totals"; id: never };
    count_cast_days: { parameters: "production_id"; columns: never; fields: never; id: never };
    list_shoot_dates: { parameters: "production_id"; columns: "id" | "unit" | "day_number" | "date"; fields: never; id: "shoot_day" };
  }
}
