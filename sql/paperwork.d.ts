// The statements of paperwork.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_import_map: { parameters: "name" | "production_id"; columns: "pairs"; fields: never; id: never };
    list_import_maps: { parameters: "production_id"; columns: "name"; fields: never; id: never };
    keep_import_map: { parameters: "name" | "pairs" | "production_id"; columns: never; fields: never; id: never };
  }
}
