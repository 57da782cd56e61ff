// The statements of history.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    add_change_set: { parameters: "actor" | "added" | "changed" | "changes" | "has_script" | "now" | "production_id" | "removed" | "schema_number" | "source" | "summary" | "undoes"; columns: never; fields: never; id: "change_set" };
    add_change_operations: { parameters: "id" | "operations"; columns: never; fields: never; id: never };
    keep_media_of_operations: { parameters: "id"; columns: never; fields: never; id: never };
    list_operations: { parameters: "id"; columns: "document"; fields: "section" | "id" | "field" | "table" | "key" | "from" | "to"; id: never };
    list_later_operations: { parameters: "after" | "production_id" | "section" | "thing"; columns: "field" | "after_text" | "set_id" | "actor"; fields: never; id: never };
    list_former_places: { parameters: "id" | "production_id"; columns: "scene" | "place"; fields: never; id: never };
    get_schema_number: { parameters: "id"; columns: "schema_number"; fields: never; id: never };
    mark_undone: { parameters: "id" | "production_id" | "undone_by"; columns: never; fields: never; id: never };
    list_history: { parameters: "after" | "before" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "at" | "actor" | "source" | "summary" | "counts" | "undoes" | "undone_by"; id: never };
    find_change_set: { parameters: "id"; columns: never; fields: "production_id" | "id" | "at" | "actor" | "source" | "summary" | "counts" | "undoes" | "undone_by"; id: never };
    get_change_set: { parameters: "id"; columns: "changes" | "has_script"; fields: never; id: never };
    list_set_changes: { parameters: "id" | "limit"; columns: never; fields: never; id: never };
    list_set_sections: { parameters: "id"; columns: "section" | "has_script"; fields: never; id: never };
    list_later_drafts: { parameters: "after" | "episode_id" | "production_id"; columns: "id" | "file"; fields: never; id: "draft" };
    get_person_name: { parameters: "id"; columns: "name"; fields: never; id: never };
    find_approval: { parameters: "id" | "person_id"; columns: "production_id" | "title" | "status" | "node_id" | "version_id" | "newest_version_id" | "is_of_person" | "is_of_asset"; fields: never; id: never };
    move_approval: { parameters: "id" | "production_id" | "version_id"; columns: never; fields: never; id: never };
    reopen_steps: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_steps_of_absent: { parameters: "id"; columns: "position" | "person"; fields: never; id: never };
    find_episode_code: { parameters: "id"; columns: "code"; fields: never; id: never };
  }
}
