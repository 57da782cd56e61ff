// The statements of people.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_people: { parameters: "after" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "name" | "role" | "department" | "is_hod" | "is_admin" | "active"; id: never };
    get_person: { parameters: "person_id" | "production_id"; columns: never; fields: "id" | "name" | "role" | "department" | "is_hod" | "is_admin" | "active"; id: never };
    find_person: { parameters: "id"; columns: "id" | "production_id" | "active"; fields: never; id: "person" };
  }
}
