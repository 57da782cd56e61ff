// The statements of approvals.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_approvals: { parameters: "after" | "delivery_id" | "limit" | "node_id" | "person_id" | "production_id" | "status"; columns: "place" | "document"; fields: "id" | "title" | "status" | "mode" | "due" | "version_id" | "node_id" | "delivery_id" | "awaiting" | "steps" | "rounds"; id: never };
    get_approval: { parameters: "approval_id" | "production_id"; columns: never; fields: "id" | "title" | "status" | "mode" | "due" | "version_id" | "node_id" | "delivery_id" | "awaiting" | "steps" | "rounds"; id: never };
    get_open_step: { parameters: "approval_id" | "production_id"; columns: "title" | "status" | "mode" | "node_id" | "delivery_id" | "position" | "person_id" | "signed_version_id" | "newest_version_id"; fields: never; id: never };
    get_version_of_approval: { parameters: "approval_id" | "production_id" | "version_id"; columns: "id" | "version" | "variant" | "archived" | "is_comparable"; fields: never; id: "version" };
    list_people_names: { parameters: "production_id"; columns: "id" | "name" | "active"; fields: never; id: "person" };
    decide_step: { parameters: "approval_id" | "decided_by_person_id" | "note" | "now" | "position" | "production_id" | "status" | "version_id"; columns: never; fields: never; id: never };
    settle_approval: { parameters: "approval_id" | "production_id"; columns: never; fields: never; id: never };
  }
}
