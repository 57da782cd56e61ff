// The statements of admin.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    keep_former_token: { parameters: "ends_at" | "id" | "now"; columns: never; fields: never; id: never };
    replace_token: { parameters: "id" | "prefix" | "token_sha256"; columns: never; fields: never; id: never };
    list_production_submissions: { parameters: "id" | "production_id"; columns: "id" | "production_id" | "delivery_id" | "delivery" | "engagement_id" | "vendor" | "title" | "status" | "created_at" | "files" | "bytes"; fields: never; id: "submission" };
    list_submission_media: { parameters: "id"; columns: "media_id" | "sha256"; fields: never; id: never };
    delete_submission: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_audit: { parameters: "after" | "before" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "created_at" | "actor" | "action" | "production_id" | "detail"; id: never };
    list_vendors: { parameters: "after" | "include" | "limit" | "now" | "production_id"; columns: "place" | "document"; fields: "id" | "name" | "engagements"; id: never };
    find_version: { parameters: "id"; columns: "id" | "production_id" | "node_id" | "label" | "version" | "variant" | "released" | "archived"; fields: never; id: "version" };
    release_version: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    archive_version: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_installs: { parameters: "production_id"; columns: "id" | "production_id" | "filespace" | "active" | "created_at"; fields: never; id: "install" };
    switch_installs_off: { parameters: "production_id"; columns: never; fields: never; id: never };
    switch_install_on: { parameters: "filespace" | "now" | "production_id"; columns: never; fields: never; id: "install" };
    list_moves: { parameters: "production_id"; columns: "id" | "filespace" | "src" | "dst" | "status" | "note" | "src_sha256" | "created_at" | "settled_at"; fields: never; id: "task" };
    find_pending_move: { parameters: "install_id" | "src"; columns: "id"; fields: never; id: "task" };
    create_move: { parameters: "dst" | "install_id" | "now" | "production_id" | "src"; columns: never; fields: never; id: "task" };
    end_former_tokens: { parameters: "now"; columns: never; fields: never; id: never };
    count_unreleased: { parameters: "production_id"; columns: never; fields: never; id: never };
    get_storage_figures: { parameters: "production_id"; columns: "filespace" | "moves" | "waiting"; fields: never; id: never };
    count_inside: { parameters: "now" | "production_id"; columns: never; fields: never; id: never };
  }
}
