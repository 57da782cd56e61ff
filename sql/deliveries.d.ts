// The statements of deliveries.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_deliveries: { parameters: "after" | "due_before" | "engagement_id" | "include" | "limit" | "now" | "production_id" | "status"; columns: "place" | "document"; fields: "id" | "title" | "status" | "due" | "external_to" | "spec" | "sent_at" | "kind" | "from_department" | "to_department" | "approval" | "media" | "awaiting" | "nodes"; id: never };
    get_delivery: { parameters: "delivery_id" | "engagement_id" | "include" | "now" | "production_id"; columns: never; fields: "id" | "title" | "status" | "due" | "external_to" | "spec" | "sent_at" | "kind" | "from_department" | "to_department" | "approval" | "media" | "nodes"; id: never };
  }
}
