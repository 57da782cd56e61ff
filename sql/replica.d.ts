// The statements of replica.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_epochs: { parameters: never; columns: "epoch" | "started_at" | "succeeds"; fields: never };
    record_succession: { parameters: "former"; columns: never; fields: never };
  }
}
