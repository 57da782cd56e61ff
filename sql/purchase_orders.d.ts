// The statements of purchase_orders.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_purchase_orders: { parameters: "engagement_id" | "now" | "production_id"; columns: never; fields: "purchase_orders" | "line" | "week_of"; id: never };
    list_orders: { parameters: "production_id"; columns: never; fields: "purchase_orders" | "line" | "week_of"; id: never };
  }
}
