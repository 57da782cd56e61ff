// The statements of events.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    last_event_id: { parameters: never; columns: never; fields: never; id: never };
    event_bounds: { parameters: "production_id"; columns: "last" | "floor"; fields: never; id: never };
    list_events: { parameters: "after" | "production_id" | "types" | "until" | "window"; columns: "id" | "type" | "document"; fields: "id" | "type" | "timestamp" | "production_id" | "subject" | "label" | "actor" | "person" | "activity_id" | "summary" | "data"; id: never };
    list_removable_events: { parameters: "before" | "last" | "limit"; columns: "id" | "production_id"; fields: never; id: never };
    delete_events: { parameters: "ids"; columns: never; fields: never; id: never };
    raise_event_floor: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    list_media_of_old_sets: { parameters: "before" | "limit"; columns: "sha256"; fields: never; id: never };
    trim_change_sets: { parameters: "before" | "limit"; columns: never; fields: never; id: never };
    trim_activity: { parameters: "before" | "limit"; columns: never; fields: never; id: never };
    trim_audit: { parameters: "before" | "limit"; columns: never; fields: never; id: never };
    trim_storage_events: { parameters: "before" | "limit"; columns: never; fields: never; id: never };
  }
}
