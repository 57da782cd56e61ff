// The statements of names.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_former_names: { parameters: "field" | "production_id" | "section"; columns: "id" | "name"; fields: never; id: never };
    list_signed_names: { parameters: "production_id"; columns: "id" | "name"; fields: never; id: never };
    export_names: { parameters: "noun" | "production_id"; columns: "id" | "label" | "ref" | "kind" | "episode"; fields: never; id: never };
  }
}
