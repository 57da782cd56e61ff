// The statements of documents.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    import_find_title: { parameters: "title"; columns: "id"; fields: never; id: "production" };
    touch_shown_nodes: { parameters: "departments" | "episodes" | "nodes" | "now" | "production_id"; columns: never; fields: never; id: never };
    list_bindings: { parameters: "production_id"; columns: "noun" | "id"; fields: never; id: never };
    forget_node_in_activity: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    export_media: { parameters: "production_id"; columns: "id" | "version_id" | "delivery_id" | "work_item_id" | "ingredient_id" | "asset_file_id" | "path" | "kind" | "label" | "created_by" | "created_at" | "sha256" | "content_type"; fields: never; id: "media" };
    export_scenes: { parameters: "production_id"; columns: "id" | "number" | "episode_id" | "slugline" | "synopsis" | "status" | "revision_color" | "elements" | "script_order" | "created_at" | "updated_at"; fields: never; id: "node" };
    export_assets: { parameters: "production_id"; columns: "id" | "production_id" | "kind" | "label" | "status" | "department_id" | "created_at" | "updated_at" | "ref" | "cast_number" | "performer"; fields: never; id: "node" };
    export_node_links: { parameters: "production_id"; columns: "from_node_id" | "to_node_id"; fields: never; id: never };
    list_scenes_with_asset: { parameters: "node_id" | "production_id"; columns: "node_id"; fields: never; id: never };
    export_versions: { parameters: "production_id"; columns: "id" | "production_id" | "node_id" | "version" | "variant" | "status" | "note" | "created_by" | "created_by_person_id" | "archived" | "released" | "created_at"; fields: never; id: "version" };
    list_unlinked_calls: { parameters: "production_id"; columns: "shoot_day_id" | "position" | "who"; fields: never; id: never };
    link_call: { parameters: "department_id" | "node_id" | "person_id" | "position" | "production_id" | "shoot_day_id"; columns: never; fields: never; id: never };
    export_delivery_nodes: { parameters: "production_id"; columns: "delivery_id" | "node_id"; fields: never; id: never };
    export_approvals: { parameters: "production_id"; columns: "id" | "production_id" | "title" | "status" | "mode" | "due" | "node_id" | "delivery_id" | "ref" | "version_id" | "version_status" | "version"; fields: never; id: "approval" };
    export_steps: { parameters: "production_id"; columns: "production_id" | "approval_id" | "position" | "person_id" | "status" | "decided_at" | "note" | "decided_by_person_id" | "signed_as" | "version_id" | "version"; fields: never; id: never };
    export_former_steps: { parameters: "production_id"; columns: "production_id" | "approval_id" | "round" | "position" | "person_id" | "status" | "decided_at" | "note" | "decided_by_person_id" | "signed_as" | "version_id" | "version"; fields: never; id: never };
    export_notes: { parameters: "production_id"; columns: "id" | "production_id" | "node_id" | "version_id" | "text" | "author" | "created_at" | "later_at" | "placed_at" | "place" | "version"; fields: never; id: never };
    export_asset_files: { parameters: "production_id"; columns: "id" | "install_id" | "path" | "state" | "size" | "mtime_ns" | "detected_at"; fields: never; id: "asset_file" };
    find_asking_drafts: { parameters: "production_id"; columns: never; fields: never; id: never };
    script_moment: { parameters: "production_id"; columns: never; fields: never; id: never };
    last_moment: { parameters: "production_id"; columns: never; fields: never; id: never };
    delete_sessions_as: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
  }
}
