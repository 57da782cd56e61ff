// The statements of notes.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_note: { parameters: "note_id" | "production_id"; columns: never; fields: "id" | "node_id" | "version_id" | "text" | "author" | "created_at" | "place"; id: never };
    list_notes: { parameters: "after" | "after_tie" | "limit" | "node_id" | "production_id"; columns: "place" | "tie" | "document"; fields: "id" | "node_id" | "version_id" | "text" | "author" | "created_at" | "place"; id: never };
    create_note: { parameters: "author" | "node_id" | "now" | "place" | "production_id" | "text" | "version_id"; columns: never; fields: never; id: never };
    put_version_note: { parameters: "production_id" | "text" | "version_id"; columns: never; fields: never; id: never };
  }
}
