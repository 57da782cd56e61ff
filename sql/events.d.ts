// The statements of events.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    last_event_id: { parameters: never; columns: never; fields: never };
    event_bounds: { parameters: "production_id"; columns: "last" | "floor"; fields: never };
    list_events: { parameters: "after" | "production_id" | "types" | "until" | "window"; columns: "id" | "type" | "document"; fields: "id" | "type" | "timestamp" | "subject" | "actor" | "activity_id" | "data" };
    list_removable_events: { parameters: "before" | "last" | "limit"; columns: "id" | "production_id"; fields: never };
    delete_events: { parameters: "ids"; columns: never; fields: never };
    raise_event_floor: { parameters: "id" | "production_id"; columns: never; fields: never };
    list_media_of_old_sets: { parameters: "before" | "limit"; columns: "sha256"; fields: never };
    trim_change_sets: { parameters: "before" | "limit"; columns: never; fields: never };
    trim_activity: { parameters: "before" | "limit"; columns: never; fields: never };
    trim_audit: { parameters: "before" | "limit"; columns: never; fields: never };
    trim_storage_events: { parameters: "before" | "limit"; columns: never; fields: never };
  }
}
