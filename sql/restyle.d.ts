// The statements of restyle.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_look_still: { parameters: "production_id" | "version_id"; columns: "node_id" | "version" | "label" | "sha256" | "size" | "content_type"; fields: never; id: never };
    get_look_brief: { parameters: "sha256" | "version_id"; columns: "brief"; fields: never; id: never };
    create_look_brief: { parameters: "brief" | "now" | "sha256" | "version_id"; columns: never; fields: never; id: never };
  }
}
