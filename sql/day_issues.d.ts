// The statements of day_issues.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_issued_day: { parameters: "production_id" | "shoot_day_id"; columns: "day_number" | "unit"; fields: never; id: never };
    get_last_day_issue: { parameters: "production_id" | "shoot_day_id"; columns: "number" | "issued_at" | "issued_by" | "bundle"; fields: never; id: never };
    get_issuer: { parameters: "person_id" | "production_id"; columns: "name"; fields: never; id: never };
    issue_day: { parameters: "bundle" | "issued_at" | "issued_by" | "number" | "production_id" | "shoot_day_id"; columns: never; fields: never; id: never };
    list_day_issues: { parameters: "after" | "limit" | "production_id" | "shoot_day_id"; columns: "place" | "document"; fields: "number" | "issued_at" | "issued_by"; id: never };
    get_day_issue: { parameters: "number" | "production_id" | "shoot_day_id"; columns: never; fields: "number" | "issued_at" | "issued_by" | "bundle"; id: never };
    trim_day_issues: { parameters: "before" | "limit"; columns: never; fields: never; id: never };
  }
}
