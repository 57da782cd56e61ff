// The statements of engagements.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_engagements: { parameters: "id" | "now" | "production_id"; columns: "id" | "production_id" | "vendor" | "title" | "active" | "created_at" | "ended_at"; fields: never; id: "engagement" };
    list_grants: { parameters: "engagement_id" | "now"; columns: "id" | "engagement_id" | "verb" | "target" | "target_id" | "target_name" | "created_at" | "expires_at" | "revoked_at" | "live"; fields: never; id: "grant" };
    get_grant: { parameters: "id" | "now"; columns: "id" | "engagement_id" | "verb" | "target" | "target_id" | "target_name" | "created_at" | "expires_at" | "revoked_at" | "live"; fields: never; id: "grant" };
    find_vendor: { parameters: "name" | "production_id"; columns: "id" | "name"; fields: never; id: "vendor" };
    create_vendor: { parameters: "name" | "production_id"; columns: never; fields: never; id: "vendor" };
    find_engagement: { parameters: "now" | "production_id" | "title" | "vendor_id"; columns: "id"; fields: never; id: "engagement" };
    create_engagement: { parameters: "now" | "production_id" | "title" | "vendor_id"; columns: never; fields: never; id: "engagement" };
    end_engagement: { parameters: "id" | "now" | "production_id"; columns: never; fields: never; id: never };
    find_grant_target: { parameters: "delivery_id" | "department_id" | "node_id"; columns: "production_id"; fields: never; id: never };
    create_grant: { parameters: "delivery_id" | "department_id" | "engagement_id" | "expires_at" | "node_id" | "now" | "production_id" | "verb"; columns: never; fields: never; id: "grant" };
    list_same_grants: { parameters: "delivery_id" | "department_id" | "engagement_id" | "node_id" | "now" | "verb"; columns: "id" | "expires_at"; fields: never; id: "grant" };
    set_grant_expiry: { parameters: "expires_at" | "id" | "production_id"; columns: never; fields: never; id: never };
    find_grant: { parameters: "id"; columns: "id" | "production_id" | "engagement_id" | "verb" | "node_id" | "department_id" | "delivery_id" | "expires_at" | "revoked_at"; fields: never; id: "grant" };
    revoke_grant: { parameters: "id" | "now" | "production_id"; columns: never; fields: never; id: never };
  }
}
