// The statements of storage.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_active_install: { parameters: "production_id"; columns: "id" | "filespace"; fields: never; id: "install" };
    post_storage_events: { parameters: "install_id" | "now" | "production_id"; columns: never; fields: never; id: never };
    get_last_storage_event: { parameters: never; columns: "id" | "removed"; fields: never; id: never };
    get_last_asset_file: { parameters: never; columns: "id" | "removed"; fields: never; id: never };
    put_asset_files: { parameters: "after" | "first_id" | "install_id"; columns: never; fields: never; id: "asset_file" };
    get_asset_file: { parameters: "install_id" | "path"; columns: "id" | "state" | "media_id" | "sha256" | "media_created_at"; fields: never; id: "asset_file" };
    put_media_proxy: { parameters: "created_by" | "media_id" | "now" | "production_id" | "sha256"; columns: never; fields: never; id: never };
    list_storage_tasks: { parameters: "production_id"; columns: never; fields: "tasks"; id: never };
    get_storage_task: { parameters: "production_id" | "task_id"; columns: "id" | "install_id" | "src" | "dst" | "status"; fields: never; id: "task" };
    fingerprint_storage_task: { parameters: "production_id" | "src_sha256" | "task_id"; columns: never; fields: never; id: never };
    acknowledge_storage_task: { parameters: "note" | "now" | "production_id" | "status" | "task_id"; columns: never; fields: never; id: never };
    move_asset_file: { parameters: "id" | "path" | "production_id"; columns: never; fields: never; id: never };
    inherit_asset_file: { parameters: "from_id" | "id" | "production_id"; columns: never; fields: never; id: never };
    delete_asset_file: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
  }
}
