// The statements of callers.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_caller_by_key: { parameters: "now" | "token_sha256"; columns: "key_id" | "label" | "production_id" | "engagement_id" | "person_id" | "scopes" | "expires_at" | "has_left"; fields: never; id: never };
    get_caller_by_former_token: { parameters: "now" | "token_sha256"; columns: "key_id" | "label" | "production_id" | "engagement_id" | "person_id" | "scopes" | "expires_at" | "has_left"; fields: never; id: never };
    get_caller_by_key_id: { parameters: "key_id" | "now"; columns: "key_id" | "label" | "production_id" | "engagement_id" | "person_id" | "scopes" | "expires_at" | "has_left"; fields: never; id: never };
    get_access_token: { parameters: "now" | "token_sha256"; columns: "key_id" | "scopes" | "expires_at"; fields: never; id: never };
    get_live_sign_in: { parameters: "key_id" | "now" | "token_sha256"; columns: "family"; fields: never; id: never };
    touch_key: { parameters: "a_minute_ago" | "key_id" | "now"; columns: never; fields: never; id: never };
  }
}
