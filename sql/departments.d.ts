// The statements of departments.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_departments: { parameters: "after" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "slug" | "name" | "cluster" | "phases" | "mission" | "key_roles" | "privacy" | "unveiled"; id: never };
    get_department: { parameters: "production_id" | "slug"; columns: never; fields: "id" | "slug" | "name" | "cluster" | "registry" | "people" | "assets"; id: never };
  }
}
