// The statements of paperwork.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_import_map: { parameters: "name" | "production_id"; columns: "pairs"; fields: never };
    list_import_maps: { parameters: "production_id"; columns: "name"; fields: never };
    keep_import_map: { parameters: "name" | "pairs" | "production_id"; columns: never; fields: never };
  }
}
