// The statements of assets.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_assets: { parameters: "after" | "department" | "include" | "kind" | "limit" | "production_id" | "released" | "status" | "updated_since"; columns: "place" | "document"; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" | "versions" | "notes" | "still" };
    get_asset: { parameters: "node_id" | "production_id"; columns: never; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" };
    get_created_asset: { parameters: "node_id" | "production_id"; columns: never; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" | "same_label" };
    list_asset_kinds: { parameters: "production_id"; columns: "kind"; fields: never };
    count_assets: { parameters: "production_id"; columns: never; fields: never };
    create_asset: { parameters: "department_id" | "kind" | "label" | "now" | "production_id" | "status"; columns: never; fields: never };
    get_department_id: { parameters: "production_id" | "slug"; columns: "id"; fields: never };
    get_asset_node: { parameters: "node_id" | "production_id"; columns: "id" | "label" | "version_id" | "version"; fields: never };
    touch_node: { parameters: "node_id" | "now" | "production_id"; columns: never; fields: never };
  }
}
