// The statements of search.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    search: { parameters: "after" | "after_tie" | "beginnings" | "episode" | "kinds" | "limit" | "near" | "number" | "numbered" | "numbered_in_series" | "production_id" | "q" | "words"; columns: "place" | "tie" | "document"; fields: "kind" | "id" | "label" | "excerpt" | "rank"; id: never };
    list_known_words: { parameters: "first" | "words"; columns: "word"; fields: never; id: never };
    list_reached_nodes: { parameters: "engagement_id" | "now" | "production_id"; columns: "id" | "kind"; fields: never; id: "node" };
    list_reached_media: { parameters: "engagement_id" | "now" | "production_id"; columns: never; fields: "id" | "label" | "sha256" | "size" | "content_type"; id: never };
    reaches_money: { parameters: "engagement_id" | "now"; columns: never; fields: never; id: never };
    list_submitted_deliveries: { parameters: "engagement_id" | "now" | "production_id"; columns: "id"; fields: never; id: "delivery" };
    get_asset_usage: { parameters: "node_id" | "now" | "production_id"; columns: never; fields: "asset" | "newest" | "newest_released" | "scenes" | "shoot_days" | "approvals" | "deliveries" | "grants"; id: never };
    list_assets_of_label: { parameters: "label" | "production_id"; columns: "id"; fields: never; id: "node" };
  }
}
