// The statements of production.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_production: { parameters: "production_id"; columns: never; fields: "id" | "title" | "logline" | "status" | "phase" | "accent" | "format" | "season_number" | "current_episode_id" | "time_zone" | "stats"; id: never };
    get_time_zone: { parameters: "production_id"; columns: "time_zone"; fields: never; id: never };
    list_productions: { parameters: never; columns: "id" | "title" | "format" | "status" | "phase" | "created_at"; fields: never; id: "production" };
    find_production: { parameters: "id" | "title"; columns: "id" | "title"; fields: never; id: "production" };
    list_episodes: { parameters: "after" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "code" | "title"; id: never };
    list_episode_ids: { parameters: "production_id"; columns: "id"; fields: never; id: "episode" };
  }
}
