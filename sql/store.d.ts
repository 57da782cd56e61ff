// The statements of store.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    record_event: { parameters: "activity_id" | "actor" | "data" | "now" | "production_id" | "subject_id" | "subject_kind" | "type"; columns: never; fields: never };
    has_search_changes: { parameters: never; columns: "changed"; fields: never };
    remove_searched: { parameters: never; columns: never; fields: never };
    remove_searched_labels: { parameters: never; columns: never; fields: never };
    remove_searched_scripts: { parameters: never; columns: never; fields: never };
    add_searched_scripts: { parameters: never; columns: never; fields: never };
    add_searched: { parameters: never; columns: never; fields: never };
    add_searched_labels: { parameters: never; columns: never; fields: never };
    settle_search_changes: { parameters: never; columns: never; fields: never };
    get_frozen: { parameters: "production_id"; columns: "frozen_at"; fields: never };
    get_epoch: { parameters: never; columns: "epoch"; fields: never };
    start_epoch: { parameters: "now"; columns: never; fields: never };
    probe_database: { parameters: never; columns: never; fields: never };
  }
}
