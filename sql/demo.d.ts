// The statements of demo.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    find_demo_vendor: { parameters: "first" | "now"; columns: "production_id" | "engagement_id" | "vendor" | "node_id"; fields: never; id: never };
  }
}
