// The statements of productions.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_production_use: { parameters: "production_id"; columns: "frozen_at" | "changed_at" | "media_bytes" | "last_use"; fields: never };
    get_last_backup: { parameters: never; columns: "created_at"; fields: never };
    list_media_hashes: { parameters: "production_id"; columns: "sha256"; fields: never };
    list_person_names: { parameters: "production_id"; columns: "id" | "name"; fields: never };
    erase_person: { parameters: "id" | "name" | "production_id"; columns: never; fields: never };
    forget_answers: { parameters: "production_id"; columns: never; fields: never };
    erase_signatures: { parameters: "id" | "name" | "production_id"; columns: never; fields: never };
    erase_former_signatures: { parameters: "id" | "name" | "production_id"; columns: never; fields: never };
    freeze_production: { parameters: "now" | "production_id"; columns: never; fields: never };
    thaw_production: { parameters: "production_id"; columns: never; fields: never };
    touch_all_nodes: { parameters: "now" | "production_id"; columns: never; fields: never };
  }
}
