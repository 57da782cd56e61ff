// The statements of scripts.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    find_episode_id: { parameters: "code" | "production_id"; columns: "id"; fields: never; id: "episode" };
    list_script_scenes: { parameters: "episode_id" | "production_id"; columns: "id" | "node_id" | "place" | "scene" | "approved" | "dismissed" | "kept"; fields: never; id: never };
    put_script_scene: { parameters: "approved" | "dismissed" | "episode_id" | "id" | "kept" | "node_id" | "place" | "production_id" | "scene"; columns: never; fields: never; id: never };
    delete_script_scene: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    insert_script_draft: { parameters: "color" | "departments" | "dismissed" | "episode_id" | "file" | "id" | "imported_at" | "production_id"; columns: never; fields: never; id: "draft" };
    list_script_drafts: { parameters: "production_id"; columns: "id" | "file"; fields: never; id: "draft" };
    get_dismissed_renames: { parameters: "episode_id" | "production_id"; columns: "dismissed"; fields: never; id: never };
    set_dismissed_renames: { parameters: "dismissed" | "episode_id" | "production_id"; columns: never; fields: never; id: never };
    list_script_rows: { parameters: "production_id"; columns: "table" | "id" | "cells"; fields: never; id: never };
    restore_script_change: { parameters: "decided_at" | "decided_by" | "draft_id" | "fields" | "id" | "node_id" | "note" | "production_id" | "status" | "summary" | "superseded_by"; columns: never; fields: never; id: never };
    delete_script_draft: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_changes_of_script: { parameters: "episode_id" | "production_id" | "which"; columns: "id" | "production_id" | "kind" | "status" | "node_id" | "scene_number" | "fields" | "revision_color" | "draft_id" | "departments" | "episode_id" | "episode" | "superseded_by"; fields: never; id: never };
    list_asking_scripts: { parameters: "production_id"; columns: "episode_id" | "episode"; fields: never; id: never };
    answer_script_change: { parameters: "id" | "now" | "production_id"; columns: never; fields: never; id: never };
    ask_script_change_again: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_proposed_texts: { parameters: "production_id"; columns: "id" | "before" | "after"; fields: never; id: never };
    list_left_links: { parameters: "production_id"; columns: "change_id" | "node_id" | "asset_id" | "label" | "number" | "episode"; fields: never; id: never };
    get_last_detection: { parameters: "now" | "production_id"; columns: never; fields: never; id: never };
    set_change_fields: { parameters: "fields" | "id" | "production_id" | "summary"; columns: never; fields: never; id: never };
    describe_script_change: { parameters: "draft_id" | "fields" | "id" | "production_id"; columns: never; fields: never; id: never };
    supersede_script_change: { parameters: "change_id" | "draft_id" | "now" | "production_id"; columns: never; fields: never; id: never };
    find_script_change: { parameters: "id"; columns: "id" | "production_id" | "kind" | "status" | "node_id" | "scene_number" | "fields" | "revision_color" | "draft_id" | "departments" | "episode_id" | "episode" | "superseded_by"; fields: never; id: never };
    list_pending_changes: { parameters: "production_id"; columns: "id" | "fields"; fields: never; id: never };
    decide_script_change: { parameters: "decided_by" | "id" | "node_id" | "note" | "now" | "production_id" | "status"; columns: never; fields: never; id: never };
    get_scene_script: { parameters: "node_id" | "production_id"; columns: "scene" | "id" | "file" | "color" | "imported_at"; fields: never; id: "draft" };
    list_approved_script: { parameters: "episode_id" | "production_id"; columns: "number" | "slugline" | "synopsis" | "omitted" | "scene"; fields: never; id: never };
    get_script_change: { parameters: "id" | "production_id"; columns: never; fields: "id" | "kind" | "status" | "scene_number" | "node_id" | "summary" | "revision_color" | "detected_at" | "decided_at" | "fields" | "draft" | "superseded_by" | "decided_by" | "note" | "episode_id" | "episode_code"; id: never };
  }
}
