// The statements of keys.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_keys: { parameters: "now" | "production_id"; columns: "id" | "label" | "prefix" | "scopes" | "production_id" | "production" | "engagement_id" | "vendor" | "person_id" | "person" | "person_left" | "created_at" | "expires_at" | "revoked_at" | "last_used_at" | "engagement_ended_at" | "live" | "former_tokens"; fields: never; id: "key" };
    find_key: { parameters: "id" | "now" | "prefix" | "token_sha256"; columns: "id" | "label" | "prefix" | "scopes" | "production_id" | "production" | "engagement_id" | "vendor" | "person_id" | "person" | "person_left" | "created_at" | "expires_at" | "revoked_at" | "last_used_at" | "engagement_ended_at" | "live" | "former_tokens"; fields: never; id: "key" };
    create_key: { parameters: "engagement_id" | "expires_at" | "label" | "now" | "person_id" | "prefix" | "production_id" | "scopes" | "token_sha256"; columns: never; fields: never; id: "key" };
    list_keys_of: { parameters: "engagement_id" | "label" | "person_id" | "production_id"; columns: "id"; fields: never; id: "key" };
    is_person_of_admin_key: { parameters: "now" | "person_id" | "production_id"; columns: "found"; fields: never; id: never };
    end_former_token: { parameters: "key_id" | "prefix"; columns: never; fields: never; id: never };
    revoke_key: { parameters: "id" | "now"; columns: never; fields: never; id: never };
  }
}
