// The statements of activity.sql: their parameters, the columns that they return or insert, the fields of the JSON that they build,
// and what the column id, or the row that they insert, is an id of.
// Made by `npm run statements`; `npm run types` holds it current.
export {};
declare module "../src/core/store/statements.ts" {
  interface Statements {
    list_activity: { parameters: "after" | "after_tie" | "before" | "episode_id" | "from" | "limit" | "node_id" | "production_id" | "since" | "until" | "verb" | "verbs"; columns: "place" | "tie" | "document"; fields: "id" | "verb" | "summary" | "actor" | "actor_person_id" | "node_id" | "delivery_id" | "work_item_id" | "submission_id" | "created_at"; id: never };
    get_activity_place: { parameters: "before" | "production_id"; columns: "place"; fields: never; id: never };
    has_activity_verb: { parameters: "production_id" | "verb"; columns: never; fields: never; id: never };
    create_activity: { parameters: "actor" | "actor_person_id" | "created_at" | "delivery_id" | "node_id" | "production_id" | "summary" | "verb" | "work_item_id"; columns: never; fields: never; id: "activity" };
  }
}
