// The statements of productions.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_production_use: { parameters: "production_id"; columns: "frozen_at" | "changed_at" | "media_bytes" | "last_use"; fields: never; id: never };
    get_last_backup: { parameters: never; columns: "created_at"; fields: never; id: never };
    list_media_hashes: { parameters: "production_id"; columns: "sha256"; fields: never; id: never };
    list_person_names: { parameters: "production_id"; columns: "id" | "name"; fields: never; id: "person" };
    erase_person: { parameters: "id" | "name" | "production_id"; columns: never; fields: never; id: never };
    forget_answers: { parameters: "production_id"; columns: never; fields: never; id: never };
    erase_signatures: { parameters: "id" | "name" | "production_id"; columns: never; fields: never; id: never };
    erase_former_signatures: { parameters: "id" | "name" | "production_id"; columns: never; fields: never; id: never };
    freeze_production: { parameters: "now" | "production_id"; columns: never; fields: never; id: never };
    thaw_production: { parameters: "production_id"; columns: never; fields: never; id: never };
    touch_all_nodes: { parameters: "now" | "production_id"; columns: never; fields: never; id: never };
    touch_all_media: { parameters: "now" | "production_id"; columns: never; fields: never; id: never };
  }
}
