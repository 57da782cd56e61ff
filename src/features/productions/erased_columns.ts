// Where erasing a person replaces the name. Columns that are not here are looked at afterwards, and named if they still
// have it.

/** The columns of each table that name people: who acted, and sentences about it. */
export const actorColumns: Readonly<Record<string, readonly string[]>> = {
  activity: ["actor", "summary"],
  events: ["actor"],
  audit: ["actor"],
  change_sets: ["actor", "summary", "source"],
  versions: ["created_by"],
  submissions: ["created_by", "decided_by"],
  media: ["created_by"],
  jobs: ["created_by", "summary"],
  notes: ["author"],
  script_changes: ["decided_by"],
  approval_steps: ["signed_as"],
  former_steps: ["signed_as"],
  api_keys: ["label"],
  nodes: ["performer"],
  day_calls: ["who"],
  page_marks: ["marked_by"],
  day_issues: ["issued_by"],
};
/** Columns of texts that people wrote. */
export const textColumns: Readonly<Record<string, readonly string[]>> = {
  approvals: ["title"],
  approval_steps: ["note"],
  former_steps: ["note"],
  notes: ["text"],
  versions: ["note", "variant"],
  submissions: ["title", "note", "decision_note"],
  department_notes: ["summary"],
  shoot_days: ["notes", "location"],
  day_calls: ["note"],
  day_banners: ["text"],
  day_parts: ["text"],
  day_lines: ["label", "text"],
  script_changes: ["note", "summary"],
  purchase_orders: ["description", "account", "number"],
  deliveries: ["title", "external_to"],
  departments: ["name", "cluster", "mission"],
  engagements: ["title"],
  script_drafts: ["file"],
  nodes: ["label"],
  ingredients: ["label"],
  media: ["label"],
  vendors: ["name"],
  productions: ["logline"],
  episodes: ["title"],
  import_maps: ["name"],
  uploads: ["file_name"],
  storage_tasks: ["note"],
};
/** Columns of JSON, in which names are values or parts of values. */
export const jsonColumns: Readonly<Record<string, readonly string[]>> = {
  audit: ["detail"],
  events: ["data"],
  change_sets: ["changes", "script"],
  change_operations: ["before", "after"],
  deliveries: ["spec"],
  departments: ["key_roles"],
  page_marks: ["content"],
  day_issues: ["bundle"],
};

/** Every column in which a name is looked for, as table.column. */
export const erasedColumns: readonly string[] = [actorColumns, textColumns, jsonColumns].flatMap((columns) =>
  Object.entries(columns).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
);
