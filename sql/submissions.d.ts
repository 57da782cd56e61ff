// The statements of submissions.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_production_submissions: { parameters: "id" | "production_id"; columns: "id" | "production_id" | "delivery_id" | "delivery" | "engagement_id" | "vendor" | "title" | "status" | "created_at" | "files" | "bytes"; fields: never };
    list_submission_media: { parameters: "id"; columns: "media_id" | "sha256"; fields: never };
    delete_submission: { parameters: "id" | "production_id"; columns: never; fields: never };
  }
}
