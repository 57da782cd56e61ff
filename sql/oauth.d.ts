// The statements of oauth.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    create_oauth_client: { parameters: "client_id" | "name" | "now" | "redirect_uris"; columns: never; fields: never; id: never };
    get_oauth_client: { parameters: "before" | "client_id"; columns: "client_id" | "name" | "redirect_uris" | "used_at"; fields: never; id: never };
    use_oauth_client: { parameters: "client_id" | "now"; columns: never; fields: never; id: never };
    sweep_oauth_clients: { parameters: "before" | "max"; columns: never; fields: never; id: never };
    sweep_idle_oauth_clients: { parameters: "before"; columns: never; fields: never; id: never };
    get_oauth_signer: { parameters: "key_id"; columns: "production" | "vendor"; fields: never; id: never };
    create_oauth_code: { parameters: "client_id" | "code_challenge" | "code_sha256" | "expires_at" | "family" | "key_id" | "redirect_uri" | "resource" | "scopes"; columns: never; fields: never; id: never };
    get_oauth_code: { parameters: "code_sha256"; columns: "client_id" | "key_id" | "redirect_uri" | "code_challenge" | "resource" | "scopes" | "family" | "expires_at" | "used_at"; fields: never; id: never };
    use_oauth_code: { parameters: "code_sha256" | "now"; columns: never; fields: never; id: never };
    sweep_oauth_codes: { parameters: "before"; columns: never; fields: never; id: never };
    trim_oauth_codes: { parameters: "key_id" | "max"; columns: never; fields: never; id: never };
    trim_oauth_families: { parameters: "key_id" | "max"; columns: never; fields: never; id: never };
    trim_oauth_family: { parameters: "family" | "max"; columns: never; fields: never; id: never };
    create_oauth_token: { parameters: "client_id" | "created_at" | "expires_at" | "family" | "key_id" | "kind" | "resource" | "scopes" | "token_sha256"; columns: never; fields: never; id: never };
    get_newest_oauth_token: { parameters: "family" | "key_id"; columns: "created_at"; fields: never; id: never };
    get_oauth_token: { parameters: "token_sha256"; columns: "kind" | "family" | "client_id" | "key_id" | "resource" | "scopes" | "expires_at" | "used_at" | "revoked_at"; fields: never; id: never };
    use_oauth_token: { parameters: "now" | "token_sha256"; columns: never; fields: never; id: never };
    end_oauth_token: { parameters: "now" | "token_sha256"; columns: never; fields: never; id: never };
    end_oauth_family: { parameters: "family" | "now"; columns: never; fields: never; id: never };
    sweep_oauth_tokens: { parameters: "before"; columns: never; fields: never; id: never };
  }
}
