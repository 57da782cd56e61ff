// The statements of admin.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_audit: { parameters: "after" | "before" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "created_at" | "actor" | "action" | "production_id" | "detail" };
  }
}
