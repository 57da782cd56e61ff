// The statements of idempotency.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    get_idempotent_answer: { parameters: "a_day_ago" | "idempotency_key" | "key_id"; columns: "request_sha256" | "body" | "created_at"; fields: never; id: never };
    put_idempotent_answer: { parameters: "body" | "created_at" | "idempotency_key" | "key_id" | "request_sha256"; columns: never; fields: never; id: never };
    delete_idempotent_answers: { parameters: "a_day_ago"; columns: never; fields: never; id: never };
  }
}
