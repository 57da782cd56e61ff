// The statements of media.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_media: { parameters: "engagement_id" | "id" | "now" | "production_id"; columns: never; fields: "id" | "kind" | "label" | "node_id" | "delivery_id" | "work_item_id" | "submission_id" | "created_by" | "created_at" | "sha256" | "size" | "content_type"; id: never };
    list_media: { parameters: "after" | "limit" | "production_id" | "updated_since"; columns: "place" | "document"; fields: "id" | "kind" | "label" | "sha256" | "size" | "content_type" | "node_id" | "version_id" | "delivery_id" | "work_item_id" | "created_at" | "updated_at"; id: never };
    get_media_content: { parameters: "engagement_id" | "id" | "now" | "production_id"; columns: "label" | "sha256" | "size" | "content_type"; fields: never; id: never };
    get_media_at_path: { parameters: "engagement_id" | "now" | "path" | "production_id"; columns: "label" | "sha256" | "size" | "content_type"; fields: never; id: never };
    create_media: { parameters: "asset_file_id" | "created_at" | "created_by" | "delivery_id" | "files" | "ingredient_id" | "kind" | "least_id" | "now" | "production_id" | "version_id" | "work_item_id"; columns: never; fields: never; id: "media" };
    delete_media: { parameters: "media_id" | "production_id"; columns: never; fields: never; id: never };
    get_media_path: { parameters: "media_id" | "production_id"; columns: "path"; fields: never; id: never };
    give_media: { parameters: "asset_file_id" | "media_id" | "production_id"; columns: never; fields: never; id: never };
  }
}
