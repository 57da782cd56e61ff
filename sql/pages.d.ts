// The statements of pages.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_session: { parameters: "now" | "token_sha256"; columns: "id" | "production_id" | "key_id" | "seen_as" | "expires_at"; fields: never; id: never };
    get_session_owner: { parameters: "token_sha256"; columns: "production_id" | "engagement_id"; fields: never; id: never };
    get_session_renewal: { parameters: "end" | "now" | "soon" | "token_sha256"; columns: "expires_at"; fields: never; id: never };
    renew_session: { parameters: "expires_at" | "now" | "token_sha256"; columns: never; fields: never; id: never };
    create_session: { parameters: "browser" | "expires_at" | "key_id" | "now" | "production_id" | "token_sha256"; columns: never; fields: never; id: never };
    see_session_as: { parameters: "engagement_id" | "token_sha256"; columns: never; fields: never; id: never };
    delete_session_by_token: { parameters: "token_sha256"; columns: never; fields: never; id: never };
    delete_session: { parameters: "id" | "production_id"; columns: never; fields: never; id: never };
    sweep_sessions: { parameters: "now"; columns: never; fields: never; id: never };
    trim_sessions: { parameters: "key_id" | "max" | "production_id"; columns: never; fields: never; id: never };
    list_sessions: { parameters: "now" | "production_id" | "token_sha256"; columns: "id" | "key_id" | "label" | "prefix" | "browser" | "created_at" | "expires_at" | "own"; fields: never; id: never };
    create_sign_in_link: { parameters: "expires_at" | "production_id" | "token_sha256"; columns: never; fields: never; id: never };
    use_sign_in_link: { parameters: "now" | "token_sha256"; columns: "production_id"; fields: never; id: never };
    get_sign_in_link: { parameters: "now" | "token_sha256"; columns: "production_id"; fields: never; id: never };
    sweep_sign_in_links: { parameters: "now"; columns: never; fields: never; id: never };
    create_begin_link: { parameters: "expires_at" | "token_sha256"; columns: never; fields: never; id: never };
    get_begin_link: { parameters: "now" | "token_sha256"; columns: "expires_at"; fields: never; id: never };
    sweep_begin_links: { parameters: "now"; columns: never; fields: never; id: never };
    list_materials: { parameters: "node_id" | "production_id" | "with_unreleased"; columns: never; fields: "id" | "kind" | "label" | "medium"; id: never };
    get_page_mark: { parameters: "name" | "production_id"; columns: "marked_at" | "marked_by" | "content"; fields: never; id: never };
    set_page_mark: { parameters: "content" | "marked_at" | "marked_by" | "name" | "production_id"; columns: never; fields: never; id: never };
    list_my_work: { parameters: "notes_since" | "person_id" | "production_id" | "today"; columns: never; fields: "kind" | "href" | "title" | "about" | "at" | "due"; id: never };
    list_waiting_work: { parameters: "engagement_id" | "most" | "production_id"; columns: never; fields: "counts" | "oldest"; id: never };
    create_invitation: { parameters: "expires_at" | "key_ends_at" | "key_id" | "now" | "production_id" | "token_sha256"; columns: never; fields: never; id: never };
    get_invitation: { parameters: "token_sha256"; columns: "key_id" | "production_id" | "production" | "label" | "person" | "vendor" | "created_at" | "expires_at" | "used_at" | "revoked_at" | "ended_at" | "person_left"; fields: never; id: never };
    list_invitations: { parameters: "limit" | "production_id"; columns: "key_id" | "production_id" | "production" | "label" | "person" | "vendor" | "created_at" | "expires_at" | "used_at" | "revoked_at" | "ended_at" | "person_left"; fields: never; id: never };
    use_invitation: { parameters: "now" | "token_sha256"; columns: "production_id" | "key_id" | "key_ends_at"; fields: never; id: never };
    set_key_end: { parameters: "expires_at" | "key_id" | "production_id"; columns: never; fields: never; id: never };
    list_signed_versions: { parameters: "ids" | "production_id"; columns: "approval_id" | "version_id" | "newest_id"; fields: never; id: never };
    list_approval_subjects: { parameters: "ids" | "most" | "production_id" | "with_unreleased"; columns: never; fields: "approval_id" | "node_id" | "kind" | "label" | "scene" | "delivery_id" | "delivery" | "version" | "newest" | "signed" | "media" | "notes" | "submission"; id: never };
    get_newest_action: { parameters: "production_id"; columns: never; fields: never; id: never };
    list_actions_since: { parameters: "action" | "production_id" | "since"; columns: "detail"; fields: never; id: never };
    list_scenes_by_episode: { parameters: "production_id"; columns: "episode_id" | "is_shot" | "pages"; fields: never; id: never };
  }
}
