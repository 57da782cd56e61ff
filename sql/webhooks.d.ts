// The statements of webhooks.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    create_webhook: { parameters: "now" | "position" | "production_id" | "secret" | "types" | "url"; columns: never; fields: never; id: "webhook" };
    list_webhooks: { parameters: "production_id"; columns: "id" | "production_id" | "url" | "types" | "secret" | "former_secret" | "former_until" | "paused_at" | "pause_reason" | "position" | "tries" | "refusals" | "replayed" | "next_try_at" | "created_at" | "set_aside"; fields: never; id: "webhook" };
    get_webhook: { parameters: "id"; columns: "id" | "production_id" | "url" | "types" | "secret" | "former_secret" | "former_until" | "paused_at" | "pause_reason" | "position" | "tries" | "refusals" | "replayed" | "next_try_at" | "created_at" | "set_aside"; fields: never; id: "webhook" };
    get_webhook_backlog: { parameters: "position" | "production_id" | "types" | "window"; columns: "backlog" | "oldest"; fields: never; id: never };
    list_due_webhooks: { parameters: "now"; columns: "id"; fields: never; id: "webhook" };
    settle_webhook: { parameters: "former" | "id" | "position" | "types"; columns: never; fields: never; id: never };
    postpone_webhook: { parameters: "former" | "id" | "next_try_at" | "refusals" | "tries"; columns: never; fields: never; id: never };
    pause_webhook: { parameters: "id" | "now" | "reason"; columns: never; fields: never; id: never };
    pause_webhooks: { parameters: "now" | "reason"; columns: never; fields: never; id: never };
    resume_webhook: { parameters: "id"; columns: never; fields: never; id: never };
    update_webhook: { parameters: "id" | "types" | "url"; columns: never; fields: never; id: never };
    move_webhook: { parameters: "id" | "position"; columns: never; fields: never; id: never };
    set_aside_event: { parameters: "event_id" | "now" | "reason" | "status" | "tries" | "webhook_id"; columns: never; fields: never; id: never };
    list_set_aside_events: { parameters: "after" | "id" | "limit" | "production_id"; columns: "place" | "document"; fields: "event_id" | "type" | "tries" | "status" | "reason" | "set_aside_at"; id: never };
    get_next_set_aside_event: { parameters: "after" | "webhook_id"; columns: "event_id" | "tries"; fields: never; id: never };
    delete_set_aside_event: { parameters: "event_id" | "webhook_id"; columns: never; fields: never; id: never };
    replay_set_aside_events: { parameters: "id" | "replayed"; columns: never; fields: never; id: never };
    rotate_webhook: { parameters: "former_until" | "id" | "secret"; columns: never; fields: never; id: never };
    delete_webhook: { parameters: "id"; columns: never; fields: never; id: never };
    record_delivery: { parameters: "event_id" | "milliseconds" | "next_try_at" | "now" | "outcome" | "reason" | "status" | "try" | "type" | "webhook_id"; columns: never; fields: never; id: never };
    delete_old_deliveries: { parameters: "kept" | "webhook_id"; columns: never; fields: never; id: never };
    list_webhook_deliveries: { parameters: "after" | "id" | "limit" | "production_id"; columns: "place" | "document"; fields: "id" | "event_id" | "type" | "try" | "outcome" | "status" | "reason" | "milliseconds" | "created_at" | "next_try_at"; id: never };
  }
}
