// The statements of audit.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    record_admin_action: { parameters: "action" | "actor" | "detail" | "now" | "production_id"; columns: never; fields: never; id: never };
  }
}
