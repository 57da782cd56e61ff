// The statements of assets.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_assets: { parameters: "after" | "department" | "episode_id" | "external_id" | "include" | "kind" | "limit" | "production_id" | "released" | "status" | "updated_since"; columns: "place" | "document"; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" | "external_id" | "versions" | "notes" | "still"; id: never };
    get_asset: { parameters: "node_id" | "production_id"; columns: never; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" | "external_id"; id: never };
    get_created_asset: { parameters: "node_id" | "production_id"; columns: never; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" | "external_id" | "same_label"; id: never };
    find_asset: { parameters: "node_id" | "production_id"; columns: "id"; fields: never; id: "node" };
    get_asset_row: { parameters: "node_id" | "production_id"; columns: never; fields: "node_id" | "label" | "kind" | "status" | "department" | "versions" | "updated_at" | "cast_number" | "performer" | "external_id"; id: never };
    find_asset_by_external_id: { parameters: "external_id" | "production_id"; columns: "id" | "label" | "kind"; fields: never; id: "node" };
    find_assets_by_names: { parameters: "names" | "production_id"; columns: "at" | "named" | "labelled"; fields: never; id: never };
    count_assets: { parameters: "production_id"; columns: never; fields: never; id: never };
    create_asset: { parameters: "department_id" | "external_id" | "kind" | "label" | "now" | "production_id" | "status"; columns: never; fields: never; id: "node" };
    get_department_id: { parameters: "production_id" | "slug"; columns: "id"; fields: never; id: "department" };
    get_asset_node: { parameters: "node_id" | "production_id"; columns: "id" | "label" | "version_id" | "version"; fields: never; id: "node" };
    touch_node: { parameters: "node_id" | "now" | "production_id"; columns: never; fields: never; id: never };
  }
}
