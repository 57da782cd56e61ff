// The statements of admin.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    keep_former_token: { parameters: "ends_at" | "id" | "now"; columns: never; fields: never };
    replace_token: { parameters: "id" | "prefix" | "token_sha256"; columns: never; fields: never };
    list_production_submissions: { parameters: "id" | "production_id"; columns: "id" | "production_id" | "delivery_id" | "delivery" | "engagement_id" | "vendor" | "title" | "status" | "created_at" | "files" | "bytes"; fields: never };
    list_submission_media: { parameters: "id"; columns: "media_id" | "sha256"; fields: never };
    delete_submission: { parameters: "id" | "production_id"; columns: never; fields: never };
  }
}
