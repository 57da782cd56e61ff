// The statements of bundles.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_scene_bundle: { parameters: "engagement_id" | "node_id" | "now" | "production_id"; columns: never; fields: "version" | "scene" | "assets" | "shoot_days" | "approvals" | "department_notes"; id: never };
    get_character_bundle: { parameters: "engagement_id" | "node_id" | "now" | "production_id"; columns: never; fields: "version" | "character" | "costumes"; id: never };
    get_asset_bundle: { parameters: "engagement_id" | "node_id" | "now" | "production_id"; columns: never; fields: "version" | "asset" | "scenes" | "released_versions" | "department_notes"; id: never };
  }
}
