// The statements of documents.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    import_find_title: { parameters: "title"; columns: "id"; fields: never; id: "production" };
    touch_shown_nodes: { parameters: "departments" | "episodes" | "nodes" | "now" | "production_id"; columns: never; fields: never; id: never };
    list_day_sheets: { parameters: "dates" | "production_id"; columns: "sheet"; fields: never; id: never };
    stamp_nodes: { parameters: "asked" | "begun" | "now" | "production_id"; columns: never; fields: never; id: never };
    stamp_media: { parameters: "begun" | "now" | "production_id"; columns: never; fields: never; id: never };
    forget_node_in_activity: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_scenes_with_asset: { parameters: "node_id" | "production_id"; columns: "node_id"; fields: never; id: never };
    list_unlinked_calls: { parameters: "production_id"; columns: "shoot_day_id" | "position" | "who"; fields: never; id: never };
    find_asking_drafts: { parameters: "production_id"; columns: never; fields: never; id: never };
    delete_sessions_as: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
  }
}
