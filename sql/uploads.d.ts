// The statements of uploads.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    create_upload: { parameters: "expires_at" | "file_name" | "id" | "key_id" | "length" | "metadata" | "now"; columns: never; fields: never; id: never };
    get_upload: { parameters: "id" | "key_id" | "now"; columns: "id" | "key_id" | "length" | "received" | "metadata" | "file_name" | "sha256" | "content_type" | "expires_at" | "used_at"; fields: never; id: never };
    count_uploads: { parameters: "key_id" | "now"; columns: never; fields: never; id: never };
    acknowledge_upload: { parameters: "expires_at" | "id" | "received"; columns: never; fields: never; id: never };
    complete_upload: { parameters: "content_type" | "id" | "sha256"; columns: never; fields: never; id: never };
    use_upload: { parameters: "id" | "key_id" | "now"; columns: never; fields: never; id: never };
    delete_upload: { parameters: "id"; columns: never; fields: never; id: never };
    list_uploads: { parameters: never; columns: "id" | "received" | "used_at" | "expires_at"; fields: never; id: never };
  }
}
