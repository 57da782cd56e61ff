// The statements of search.sql: their parameters, the columns that they return or insert, and the fields of the JSON that they build.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    search: { parameters: "after" | "after_tie" | "beginnings" | "episode" | "kinds" | "limit" | "near" | "number" | "numbered" | "numbered_in_series" | "production_id" | "q" | "words"; columns: "place" | "tie" | "document"; fields: "kind" | "id" | "label" | "excerpt" | "rank" };
    list_known_words: { parameters: "first" | "words"; columns: "word"; fields: never };
    list_reached_nodes: { parameters: "engagement_id" | "now" | "production_id"; columns: "id" | "kind"; fields: never };
    list_reached_media: { parameters: "engagement_id" | "now" | "production_id"; columns: never; fields: "id" | "label" | "sha256" | "size" | "content_type" };
    reaches_money: { parameters: "engagement_id" | "now"; columns: never; fields: never };
    list_submitted_deliveries: { parameters: "engagement_id" | "now" | "production_id"; columns: "id"; fields: never };
    get_asset_usage: { parameters: "node_id" | "now" | "production_id"; columns: never; fields: "asset" | "newest" | "newest_released" | "scenes" | "shoot_days" | "approvals" | "deliveries" | "grants" };
    list_assets_of_label: { parameters: "label" | "production_id"; columns: "id"; fields: never };
  }
}
