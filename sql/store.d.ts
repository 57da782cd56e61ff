// The statements of store.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    record_event: { parameters: "activity_id" | "actor" | "data" | "now" | "production_id" | "subject_id" | "subject_kind" | "type"; columns: never; fields: never; id: never };
    has_search_changes: { parameters: never; columns: never; fields: never; id: never };
    remove_searched: { parameters: never; columns: never; fields: never; id: never };
    remove_searched_labels: { parameters: never; columns: never; fields: never; id: never };
    remove_searched_scripts: { parameters: never; columns: never; fields: never; id: never };
    add_searched_scripts: { parameters: never; columns: never; fields: never; id: never };
    add_searched: { parameters: never; columns: never; fields: never; id: never };
    add_searched_labels: { parameters: never; columns: never; fields: never; id: never };
    settle_search_changes: { parameters: never; columns: never; fields: never; id: never };
    get_frozen: { parameters: "production_id"; columns: "frozen_at"; fields: never; id: never };
    get_epoch: { parameters: never; columns: "epoch"; fields: never; id: never };
    start_epoch: { parameters: "now"; columns: never; fields: never; id: never };
    probe_database: { parameters: never; columns: never; fields: never; id: never };
  }
}
