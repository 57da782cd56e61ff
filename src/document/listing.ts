// Lists the things of one section of a stored production: their ids, the keys by which documents refer to them, and their main
// fields.
import type { Store } from "../store/database.ts";
import type { SectionName } from "./changes.ts";
import { Exporter, type Row } from "./exporter.ts";
import { keyOf, sections } from "./sections.ts";

/** The fields that a listing shows, besides the key. Of a field that is a list, it shows the number of items. */
const mainFields: Readonly<Record<SectionName, readonly string[]>> = {
  episodes: ["title"],
  departments: ["name", "cluster", "privacy"],
  people: ["role", "department", "is_hod", "active"],
  ingredients: ["kind", "label"],
  scenes: ["slugline", "status", "revision_color"],
  assets: ["label", "kind", "status", "department", "versions"],
  schedule: ["date", "general_call", "status", "scenes"],
  vendors: [],
  engagements: ["vendor", "title", "ended_at", "grants"],
  deliveries: ["title", "status", "kind", "due", "external_to", "sent_at"],
  approvals: ["title", "status", "mode", "due"],
  department_notes: ["department", "scene", "summary"],
  notes: ["asset", "version", "author", "created_at", "text"],
  purchase_orders: ["number", "account", "vendor", "description", "amount", "status", "date"],
  cost_reports: ["active", "lines"],
  script_changes: ["status", "kind", "scene_number", "revision_color", "summary"],
  jobs: ["kind", "status", "summary", "created_at"],
  activity: ["created_at", "verb", "actor", "summary"],
  storage: ["active", "files", "moves"],
};

const shown = (value: unknown): unknown => (Array.isArray(value) ? value.length : (value ?? null));

export type ListedRow = { id: number; key: string } & Row;

/** The fields of the rows of a section, in order. */
export const listedFields = (name: SectionName): string[] => ["id", "key", ...mainFields[name]];

/** The things of a section in the order of the document, all as of one moment. */
export const listSection = (store: Store, production_id: number, name: SectionName): ListedRow[] =>
  store.database.transaction(() => {
    const exporter = new Exporter(store, production_id, () => ({ file: "" }));
    return sections[name].collect(exporter).map((row) => ({
      id: row.id as number, // every row of a section has an id
      key: keyOf(name, row) as string, // every stored thing has one
      ...Object.fromEntries(mainFields[name].map((field) => [field, shown(row[field])])),
    }));
  })();
