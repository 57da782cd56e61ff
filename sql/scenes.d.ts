// The statements of scenes.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_scenes: { parameters: "after" | "episode_id" | "include" | "limit" | "production_id" | "status" | "updated_since"; columns: "place" | "document"; fields: "node_id" | "number" | "slugline" | "synopsis" | "status" | "revision_color" | "elements" | "episode_id" | "episode_code" | "asset_ids" | "department_notes" | "shoot_day_ids" | "script"; id: never };
    list_live_scenes_of_episode: { parameters: "code" | "production_id"; columns: "id"; fields: never; id: "node" };
    list_scene_ids: { parameters: "production_id"; columns: "id"; fields: never; id: "node" };
    get_scene: { parameters: "node_id" | "production_id"; columns: never; fields: "node_id" | "number" | "slugline" | "synopsis" | "status" | "revision_color" | "elements" | "episode_id" | "episode_code"; id: never };
  }
}
