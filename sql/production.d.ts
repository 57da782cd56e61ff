// The statements of production.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_production: { parameters: "production_id"; columns: never; fields: "id" | "title" | "logline" | "status" | "phase" | "accent" | "format" | "season_number" | "stats" };
    list_productions: { parameters: never; columns: "id" | "title" | "format" | "status" | "phase" | "created_at"; fields: never };
    find_production: { parameters: "id" | "title"; columns: "id" | "title"; fields: never };
    list_episodes: { parameters: "after" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "code" | "title" };
    list_episode_ids: { parameters: "production_id"; columns: "id"; fields: never };
  }
}
