// The statements of script_changes.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_last_of_color: { parameters: "color" | "production_id"; columns: "at"; fields: never; id: never };
    list_script_changes: { parameters: "after" | "after_tie" | "all_episodes" | "episode_id" | "former_colors" | "include" | "limit" | "now" | "order" | "production_id" | "since" | "status"; columns: "place" | "tie" | "document"; fields: "id" | "kind" | "status" | "scene_number" | "node_id" | "summary" | "revision_color" | "detected_at" | "decided_at" | "fields" | "draft" | "superseded_by" | "decided_by" | "note" | "episode_id" | "episode_code" | "concerns"; id: never };
  }
}
