// Every index of the schema has a reason: a statement whose query plan uses it, a uniqueness rule, or a foreign key.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const store = openStore(join(folder, "tallylight.db"));

/** A unique index may exist only to enforce a rule. */
const rule = Symbol("a rule");
/** SQLite searches the child rows when a parent row is deleted; EXPLAIN QUERY PLAN does not show that. */
const foreignKey = Symbol("a foreign key");
/** A trigger searches by all columns of the index. */
const trigger = Symbol("a trigger");

const reasons: Readonly<Record<string, string | typeof rule | typeof foreignKey | typeof trigger>> = {
  activity_gone: trigger,
  activity_newest: "list_activity",
  api_keys_prefix: "find_key",
  api_keys_token: "get_caller_by_key",
  approvals_delivery: "list_deliveries",
  approvals_node: "get_scene_bundle",
  approvals_status: "get_production",
  change_set_media_sha256: "delete_unneeded_blob",
  change_sets_created: "trim_change_sets",
  events_created: "list_removable_events",
  activity_created: "trim_activity",
  audit_created: "trim_audit",
  storage_events_received: "trim_storage_events",
  change_sets_production: "list_history",
  approvals_version: "settle_version_status",
  cost_reports_active: "get_purchase_orders",
  day_calls_node: foreignKey,
  delivery_nodes_node: "get_scene_bundle",
  department_notes_node: "get_scene_bundle",
  grants_target: "get_scene_bundle",
  events_production: foreignKey,
  former_tokens_key: foreignKey,
  former_tokens_prefix: "find_key",
  idempotent_answers_created: "delete_idempotent_answers",
  jobs_newest: "list_jobs",
  media_asset_file: "get_asset_file",
  media_delivery: foreignKey,
  media_ingredient: "get_character_bundle",
  media_path: "get_media_at_path",
  media_sha256: "delete_unneeded_blob",
  media_version: "get_scene_bundle",
  media_work_item: "get_submission",
  node_links_to: foreignKey,
  nodes_department: "get_department",
  nodes_kind: "get_production",
  notes_node: "list_notes",
  notes_version: "get_scene_bundle",
  oauth_tokens_expires: "sweep_oauth_tokens",
  oauth_tokens_family: "end_oauth_family",
  people_department: "get_department",
  people_name: rule,
  productions_title: "import_find_title",
  purchase_orders_number: rule,
  purchase_orders_vendor: "get_purchase_orders",
  scenes_number: rule,
  scenes_script_order: "export_scenes",
  script_scenes_node: "get_scene_script",
  script_scenes_order: "list_script_scenes",
  script_changes_status: "export_script_changes",
  sessions_key: foreignKey,
  sessions_token: "get_session",
  storage_installs_active: "get_active_install",
  storage_tasks_done: "get_last_moved",
  storage_tasks_moved: "list_moves_away",
  storage_tasks_pending: "list_storage_tasks",
  submissions_engagement: "list_reached_media",
  strips_node: "get_scene_bundle",
  submissions_newest: "list_submissions",
  submissions_of_production: "list_all_submissions",
  uploads_key: "count_uploads",
  vendors_name: "find_vendor",
  webhook_deliveries_webhook: "list_webhook_deliveries",
  webhook_set_aside_webhook: "list_set_aside_events",
  version_ingredients_ingredient: foreignKey,
};

interface Index {
  name: string;
  table: string;
  sql: string;
}
const declared = store.database
  .prepare("SELECT name, tbl_name AS 'table', sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
  .all() as Index[];

/** The query plan of a statement as text. */
function planOf(name: string, text = store.statement(name).source): string {
  const parameters = Object.fromEntries([...text.matchAll(/:(\w+)/g)].map(([, parameter]) => [parameter, null]));
  const rows = store.database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(parameters) as { detail: string }[];
  return rows.map(({ detail }) => detail).join("\n");
}

const indexes = suite("indexes");

indexes("of the schema are exactly those with a reason in this file", () => {
  assert.equal(declared.map(({ name }) => name).sort(), Object.keys(reasons).sort());
});

for (const { name, table, sql } of declared)
  indexes(`${name} is used for its reason`, () => {
    const reason = reasons[name];
    if (typeof reason === "string") assert.match(planOf(reason), new RegExp(`INDEX ${name}\\b`));
    else if (reason === rule) assert.match(sql, /^CREATE UNIQUE INDEX/);
    else if (reason === trigger) {
      const [, column] = /\((\w+)\)/.exec(sql) ?? [];
      const triggers = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE ?";
      assert.ok(
        store.database.prepare(triggers).get(`% ${table} %WHERE ${column} = %`),
        `no trigger searches ${table}.${column}`,
      );
      assert.match(planOf(name, `DELETE FROM ${table} WHERE ${column} = 1`), new RegExp(`INDEX ${name}\\b`));
    } else {
      const [, column] = /\((\w+)/.exec(sql) ?? [];
      const keys = store.database.pragma(`foreign_key_list(${table})`) as { from: string }[];
      assert.ok(
        keys.some(({ from }) => from === column),
        `${table}.${column} refers to nothing`,
      );
    }
  });

indexes("the grants of a production are read once for all script changes, and then found by their targets", () => {
  const plan = planOf("list_script_changes");
  assert.is(plan.match(/MATERIALIZE showing/g)?.length, 1, plan);
  assert.equal(plan.match(/^(?:SCAN|SEARCH) g\b.*(?<!AUTOMATIC COVERING INDEX \(\w+=\?\))$/gm), ["SCAN g"], plan);
});

/** What an edit form reads of a thing: the statements, and the columns by which it asks for their rows. */
const ofThing: readonly [name: string, column: string][] = [
  ...["episodes", "departments", "people", "scenes", "assets", "shoot_days", "deliveries", "approvals"].map(
    (section) => [`export_${section}`, "id"] as [string, string],
  ),
  ...([
    ["export_department_notes", "id"],
    ["export_node_links", "from_node_id"],
  ] as [string, string][]),
  ...([
    ["export_versions", "node_id"],
    ["export_version_ingredients", "version_id"],
  ] as [string, string][]),
  ...["strips", "day_calls", "day_banners"].map((rows) => [`export_${rows}`, "shoot_day_id"] as [string, string]),
  ...["delivery_nodes", "submissions"].map((rows) => [`export_${rows}`, "delivery_id"] as [string, string]),
  ...["approval_steps", "former_steps"].map((rows) => [`export_${rows}`, "approval_id"] as [string, string]),
  ...["version_id", "delivery_id", "work_item_id"].map((owner) => ["export_media", owner] as [string, string]),
];

indexes("find the rows of one thing, however many the production has", () => {
  for (const [name, column] of ofThing) {
    const plan = planOf(name, store.statement(name, column).source);
    assert.not.match(plan, /\bSCAN\b/, `${name} ${plan}`);
    assert.match(plan, /INTEGER PRIMARY KEY|=\? AND |\(\w+=\?\)/, `${name} ${plan}`);
  }
});

indexes.after(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

indexes.run();
