// The statements of health.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_bad_conditions: { parameters: never; columns: "name"; fields: never; id: never };
    put_bad_condition: { parameters: "name" | "now"; columns: never; fields: never; id: never };
    delete_bad_condition: { parameters: "name"; columns: never; fields: never; id: never };
  }
}
