// The statements of scripts.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    find_episode_id: { parameters: "code" | "production_id"; columns: "id"; fields: never; id: "episode" };
    list_script_scenes: { parameters: "episode_id" | "production_id"; columns: "id" | "node_id" | "place" | "scene" | "approved" | "dismissed" | "kept" | "by_hand"; fields: never; id: never };
    list_script_drafts: { parameters: "production_id"; columns: "id" | "file"; fields: never; id: "draft" };
    list_rows_of_scripts: { parameters: "production_id"; columns: "section" | "id"; fields: never; id: never };
    find_newest_draft: { parameters: "episode_id" | "production_id"; columns: "id" | "dismissed"; fields: never; id: "draft" };
    list_changes_of_script: { parameters: "episode_id" | "production_id" | "which"; columns: "id" | "production_id" | "kind" | "status" | "node_id" | "scene_number" | "fields" | "revision_color" | "draft_id" | "departments" | "episode_id" | "episode" | "superseded_by" | "omission" | "addition"; fields: never; id: never };
    list_asking_scripts: { parameters: "production_id"; columns: "episode_id" | "episode"; fields: never; id: never };
    list_proposed_texts: { parameters: "production_id"; columns: "id" | "before" | "after"; fields: never; id: never };
    list_concerned_days: { parameters: "production_id"; columns: "change_id" | "what" | "number" | "episode_id" | "episode" | "becomes" | "day_id" | "unit" | "day_number" | "date"; fields: never; id: never };
    list_taken_numbers: { parameters: "production_id"; columns: "change_id" | "number" | "episode" | "what"; fields: never; id: never };
    list_left_links: { parameters: "production_id"; columns: "change_id" | "node_id" | "asset_id" | "label" | "number" | "episode"; fields: never; id: never };
    get_last_detection: { parameters: "now" | "production_id"; columns: never; fields: never; id: never };
    find_script_change: { parameters: "id"; columns: "id" | "production_id" | "kind" | "status" | "node_id" | "scene_number" | "fields" | "revision_color" | "draft_id" | "departments" | "episode_id" | "episode" | "superseded_by" | "omission" | "addition"; fields: never; id: never };
    list_scene_moves: { parameters: "production_id"; columns: "id" | "status" | "draft_id" | "superseded_by" | "omission" | "omission_status" | "addition" | "addition_status" | "is_omitted"; fields: never; id: never };
    list_open_scenes: { parameters: "production_id"; columns: "kind" | "change_id" | "node_id" | "episode_id" | "episode" | "number" | "text" | "color"; fields: never; id: never };
    list_standing_texts: { parameters: "production_id"; columns: "episode_id" | "episode" | "number" | "text"; fields: never; id: never };
    list_approved_renames: { parameters: "production_id"; columns: "episode_id" | "from" | "to"; fields: never; id: never };
    count_names_elsewhere: { parameters: "production_id" | "renames"; columns: "id" | "episode" | "count"; fields: never; id: never };
    list_pending_changes: { parameters: "production_id"; columns: "id" | "episode" | "fields"; fields: never; id: never };
    get_scene_script: { parameters: "node_id" | "production_id"; columns: "script"; fields: never; id: never };
    list_approved_script: { parameters: "episode_id" | "production_id"; columns: "number" | "slugline" | "synopsis" | "omitted" | "scene"; fields: never; id: never };
    get_script_change: { parameters: "id" | "production_id"; columns: never; fields: "id" | "kind" | "status" | "scene_number" | "node_id" | "summary" | "revision_color" | "detected_at" | "decided_at" | "fields" | "draft" | "superseded_by" | "decided_by" | "note" | "episode_id" | "episode_code"; id: never };
    count_pending_changes: { parameters: "production_id"; columns: "count" | "at" | "color"; fields: never; id: never };
  }
}
