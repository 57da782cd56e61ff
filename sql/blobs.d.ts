// The statements of blobs.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_blob: { parameters: "sha256"; columns: "sha256" | "size" | "content_type"; fields: never; id: never };
    put_blobs: { parameters: "created_at" | "staged"; columns: never; fields: never; id: never };
    delete_unneeded_blobs: { parameters: never; columns: never; fields: never; id: never };
    delete_unneeded_blob: { parameters: "sha256"; columns: never; fields: never; id: never };
    get_media_typing: { parameters: never; columns: "last"; fields: never; id: never };
    set_media_typing: { parameters: "last"; columns: never; fields: never; id: never };
    end_media_typing: { parameters: never; columns: never; fields: never; id: never };
    list_typed_blobs: { parameters: "last" | "limit"; columns: "sha256" | "content_type"; fields: never; id: never };
    set_blob_types: { parameters: "types"; columns: never; fields: never; id: never };
    touch_typed_media: { parameters: "now" | "types"; columns: never; fields: never; id: never };
  }
}
