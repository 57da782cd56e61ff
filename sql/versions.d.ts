// The statements of versions.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_versions: { parameters: "after" | "external_id" | "limit" | "node_id" | "production_id"; columns: "place" | "document"; fields: "id" | "node_id" | "version" | "variant" | "status" | "note" | "note_place" | "created_by" | "created_by_person_id" | "archived" | "created_at" | "released" | "external_id" | "media"; id: never };
    keep_version_note: { parameters: "now" | "production_id" | "version_id"; columns: never; fields: never; id: never };
    create_version: { parameters: "created_by" | "created_by_person_id" | "external_id" | "node_id" | "note" | "now" | "production_id" | "variant" | "version"; columns: never; fields: never; id: "version" };
    get_landed_version: { parameters: "production_id" | "version_id"; columns: never; fields: "id" | "node_id" | "version" | "variant" | "status" | "note" | "created_at" | "released" | "external_id"; id: never };
    find_version_by_external_id: { parameters: "external_id" | "production_id"; columns: "id" | "node_id" | "variant" | "sha256"; fields: never; id: "version" };
    find_version_id: { parameters: "node_id" | "version"; columns: "id"; fields: never; id: "version" };
    get_approved_version: { parameters: "approval_id" | "production_id"; columns: "node_id" | "status"; fields: never; id: never };
    keep_version_status: { parameters: "approval_id" | "production_id"; columns: never; fields: never; id: never };
    settle_version_status: { parameters: "approval_id" | "production_id"; columns: never; fields: never; id: never };
  }
}
