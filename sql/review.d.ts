// The statements of review.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_all_submissions: { parameters: "after" | "after_tie" | "delivery_id" | "limit" | "production_id" | "status"; columns: "place" | "tie" | "document"; fields: "id" | "delivery_id" | "status" | "title" | "note" | "decision_note" | "created_at" | "external_id" | "answers" | "decided_at" | "decided_by" | "media" | "vendor"; id: never };
    get_vendor_submission: { parameters: "id" | "production_id"; columns: never; fields: "id" | "delivery_id" | "status" | "title" | "note" | "decision_note" | "created_at" | "external_id" | "answers" | "decided_at" | "decided_by" | "media" | "vendor"; id: never };
    decide_submission: { parameters: "id" | "note" | "now" | "person_id" | "production_id" | "status"; columns: never; fields: never; id: never };
    keep_round: { parameters: "id" | "production_id" | "round"; columns: never; fields: never; id: never };
    count_rounds: { parameters: "id"; columns: never; fields: never; id: never };
    get_last_decision: { parameters: "approval_id"; columns: "production_id" | "title" | "node_id" | "delivery_id" | "version_id" | "position" | "decided_by_person_id" | "decided_by" | "is_released"; fields: never; id: never };
    has_decided_step: { parameters: "approval_id" | "person_id"; columns: never; fields: never; id: never };
    take_back_step: { parameters: "approval_id" | "position" | "production_id"; columns: never; fields: never; id: never };
  }
}
