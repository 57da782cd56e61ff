// Every index of the schema has a reason: a statement whose query plan uses it, a uniqueness rule, or a foreign key.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import type { Store } from "../../src/core/store/store.ts";
import { Rows } from "../../src/features/documents/changes/rows.ts";
import { type SectionName, sectionNames } from "../../src/features/documents/sections/sections.ts";
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
  change_operations_thing: "list_later_operations",
  change_sets_created: "trim_change_sets",
  events_created: "list_removable_events",
  activity_created: "trim_activity",
  audit_created: "trim_audit",
  storage_events_received: "trim_storage_events",
  change_sets_production: "list_history",
  approvals_version: "settle_version_status",
  approval_steps_version: foreignKey,
  former_steps_version: foreignKey,
  cost_reports_active: "get_purchase_orders",
  day_calls_node: foreignKey,
  day_issues_production: foreignKey,
  day_issues_age: "trim_day_issues",
  delivery_nodes_node: "get_scene_bundle",
  department_notes_node: "get_scene_bundle",
  grants_target: "get_scene_bundle",
  engagements_vendor: "add_searched",
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
  scenes_script_order: rule,
  script_scenes_node: "get_scene_script",
  script_scenes_order: "list_script_scenes",
  script_changes_status: "list_pending_changes",
  script_changes_moved: "list_scene_moves",
  sessions_key: foreignKey,
  sessions_token: "get_session",
  storage_installs_active: "get_active_install",
  storage_tasks_done: "put_asset_files",
  storage_tasks_moved: "put_asset_files",
  storage_tasks_pending: "list_storage_tasks",
  submissions_engagement: "list_reached_media",
  strips_node: "get_scene_bundle",
  submissions_newest: "list_submissions",
  submissions_of_production: "list_all_submissions",
  nodes_external_id: "find_asset_by_external_id",
  versions_external_id: "find_version_by_external_id",
  submissions_external_id: "find_submission_by_external_id",
  uploads_key: "count_uploads",
  vendors_name: "find_vendor",
  webhook_deliveries_webhook: "list_webhook_deliveries",
  webhook_set_aside_webhook: "list_set_aside_events",
  submissions_answers: foreignKey,
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
  const names = declared.map(({ name }) => name).sort();
  const without = names.filter((name) => !Object.hasOwn(reasons, name));
  assert.equal(without, [], "name above what each is for: a statement, a rule, a foreign key or a trigger");
  assert.equal(names, Object.keys(reasons).sort());
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

/** The statements that read one thing of a section with its lists, which are asked for even where nothing is stored. */
function textsOf(section: SectionName): string[] {
  const texts: string[] = [];
  const answer = { all: () => [{ id: 1, node_id: 1, production_id: 1 }], raw: () => answer, pluck: () => answer };
  const noting = (text: string) => {
    if (/pragma_table_info/.test(text)) return store.database.prepare(text);
    texts.push(text.replaceAll("?", ":value"));
    return answer;
  };
  new Rows({ database: { prepare: noting } } as unknown as Store, 1).load(section, [1]); // nothing else is asked
  return texts;
}

// Nobody edits the moves of a filespace by a form.
for (const section of sectionNames.filter((name) => name !== "storage"))
  indexes(`find the rows of one of the ${section}, however many the production has`, () => {
    const texts = textsOf(section);
    assert.ok(texts.length > 0);
    for (const text of texts) {
      const plan = planOf(section, text);
      assert.not.match(plan, /\bSCAN (?!json_each)/, `${text} ${plan}`);
    }
  });

indexes.after(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

indexes.run();
