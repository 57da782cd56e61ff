// The statements of turnovers.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_turnovers: { parameters: "after" | "due_before" | "engagement_id" | "limit" | "now" | "production_id" | "status"; columns: "place" | "document"; fields: "id" | "title" | "status" | "due" | "external_to" | "spec" | "sent_at" | "can_submit" | "nodes" | "media"; id: never };
    get_turnover: { parameters: "delivery_id" | "engagement_id" | "now" | "production_id"; columns: "id" | "title" | "can_submit"; fields: never; id: "delivery" };
    find_submittable: { parameters: "engagement_id" | "now"; columns: "delivery_id"; fields: never; id: never };
    find_submissions: { parameters: "delivery_id" | "engagement_id" | "now" | "production_id"; columns: "id"; fields: never; id: "delivery" };
    create_submission: { parameters: "answers" | "created_by" | "delivery_id" | "engagement_id" | "external_id" | "least_id" | "note" | "now" | "production_id" | "title"; columns: never; fields: never; id: "submission" };
    find_answered: { parameters: "answers" | "delivery_id" | "engagement_id" | "production_id"; columns: "id"; fields: never; id: "submission" };
    find_submission_by_external_id: { parameters: "engagement_id" | "external_id" | "production_id"; columns: "id" | "delivery_id" | "hashes"; fields: never; id: "submission" };
    get_engagement_use: { parameters: "engagement_id"; columns: "files" | "bytes"; fields: never; id: never };
    get_waiting_uploads: { parameters: "engagement_id" | "now"; columns: "files" | "bytes"; fields: never; id: never };
    list_submissions: { parameters: "after" | "after_tie" | "delivery_id" | "engagement_id" | "limit" | "now" | "production_id"; columns: "place" | "tie" | "document"; fields: "id" | "delivery_id" | "status" | "title" | "note" | "decision_note" | "created_at" | "external_id" | "answers" | "decided_at" | "decided_by" | "media" | "vendor"; id: never };
    get_submission: { parameters: "id" | "production_id"; columns: never; fields: "id" | "delivery_id" | "status" | "title" | "note" | "decision_note" | "created_at" | "external_id" | "answers" | "decided_at" | "decided_by" | "media"; id: never };
  }
}
