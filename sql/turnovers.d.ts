// The statements of turnovers.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_turnovers: { parameters: "after" | "engagement_id" | "limit" | "now" | "production_id"; columns: "place" | "document"; fields: "id" | "title" | "status" | "due" | "external_to" | "spec" | "sent_at" | "can_submit" | "nodes" | "media" };
    get_turnover: { parameters: "delivery_id" | "engagement_id" | "now" | "production_id"; columns: "id" | "title" | "can_submit"; fields: never };
    find_submissions: { parameters: "delivery_id" | "engagement_id" | "now" | "production_id"; columns: "id"; fields: never };
    create_submission: { parameters: "created_by" | "delivery_id" | "engagement_id" | "note" | "now" | "production_id" | "title"; columns: never; fields: never };
    get_engagement_use: { parameters: "engagement_id"; columns: "files" | "bytes"; fields: never };
    list_submissions: { parameters: "after" | "after_tie" | "delivery_id" | "engagement_id" | "limit" | "now" | "production_id"; columns: "place" | "tie" | "document"; fields: "id" | "delivery_id" | "status" | "title" | "note" | "decision_note" | "created_at" | "media" | "vendor" };
    get_submission: { parameters: "id" | "production_id"; columns: never; fields: "id" | "delivery_id" | "status" | "title" | "note" | "decision_note" | "created_at" | "media" };
  }
}
