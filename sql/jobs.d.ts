// The statements of jobs.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_jobs: { parameters: "after" | "after_tie" | "limit" | "production_id"; columns: "place" | "tie" | "document"; fields: "id" | "kind" | "status" | "summary" | "model" | "node_id" | "created_by" | "created_at" | "finished_at"; id: never };
  }
}
