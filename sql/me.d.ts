// The statements of me.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_me: { parameters: "engagement_id" | "expires_at" | "key_id" | "now" | "production_id" | "scopes"; columns: never; fields: "key" | "production" | "engagement" | "reach"; id: never };
  }
}
