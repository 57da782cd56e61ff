// Describes the sections of a document: how their things are read, what they are called, and by which key they are matched.
import { collectApprovals } from "./approvals.ts";
import { collectAssets, collectIngredients } from "./assets.ts";
import { type SectionName, sectionNames } from "./changes.ts";
import { collectDeliveries } from "./deliveries.ts";
import { collectEngagements, collectVendors } from "./engagements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { collectActivity, collectDepartmentNotes, collectJobs, collectNotes, collectScriptChanges } from "./feeds.ts";
import { collectCostReports, collectPurchaseOrders } from "./money.ts";
import { type Noun, nameOf, namings } from "./names.ts";
import { collectDepartments, collectEpisodes, collectPeople } from "./production.ts";
import { collectScenes, collectSchedule } from "./scenes.ts";
import { collectStorage } from "./storage.ts";

export interface Section {
  /** The noun of its things in events; kindOf gives it for sentences. */
  kind: string;
  /** What references to its things name, if there are any. */
  noun?: Noun;
  /** The fields that make the key of a thing that has no name. */
  key?: readonly string[];
  /** The table of its things. */
  table: string;
  /** Further tables of which its things are made. */
  tables?: readonly string[];
  /** Its things are texts: their names. */
  plain?: true;
  /** Everything in it is recorded: it is added to, and nothing in it is changed or removed. */
  history?: true;
  /** Lists of its things that are recorded: they are added to, and a document may have less than what is stored. */
  recorded?: readonly string[];
  /** Lists of references whose order says nothing. */
  sets?: readonly string[];
  collect(exporter: Exporter): Row[];
}

export const sections: Readonly<Record<(typeof sectionNames)[number], Section>> = {
  episodes: { kind: "episode", noun: "episode", table: "episodes", collect: collectEpisodes },
  departments: { kind: "department", noun: "department", table: "departments", collect: collectDepartments },
  people: { kind: "person", noun: "person", table: "people", collect: collectPeople },
  ingredients: {
    kind: "ingredient",
    noun: "ingredient",
    table: "ingredients",
    tables: ["media"],
    collect: collectIngredients,
  },
  scenes: {
    kind: "scene",
    noun: "scene",
    table: "nodes",
    tables: ["scenes", "node_links"],
    sets: ["assets"],
    collect: collectScenes,
  },
  assets: {
    kind: "asset",
    noun: "asset",
    table: "nodes",
    tables: ["node_links", "versions", "version_ingredients", "media"],
    recorded: ["versions"],
    sets: ["costumes"],
    collect: collectAssets,
  },
  schedule: {
    kind: "shoot_day",
    key: ["day_number"],
    table: "shoot_days",
    tables: ["strips"],
    collect: collectSchedule,
  },
  vendors: { kind: "vendor", noun: "vendor", table: "vendors", plain: true, collect: collectVendors },
  engagements: {
    kind: "engagement",
    noun: "engagement",
    table: "engagements",
    tables: ["grants"],
    recorded: ["grants"],
    collect: collectEngagements,
  },
  deliveries: {
    kind: "delivery",
    noun: "delivery",
    table: "deliveries",
    tables: ["delivery_nodes", "submissions", "media"],
    recorded: ["submissions"],
    sets: ["scenes", "assets"],
    collect: collectDeliveries,
  },
  approvals: {
    kind: "approval",
    noun: "approval",
    table: "approvals",
    tables: ["approval_steps", "former_steps"],
    collect: collectApprovals,
  },
  department_notes: {
    kind: "department_note",
    key: ["department", "scene", "summary"],
    table: "department_notes",
    collect: collectDepartmentNotes,
  },
  notes: {
    kind: "note",
    key: ["asset", "author", "created_at"],
    table: "notes",
    history: true,
    collect: collectNotes,
  },
  purchase_orders: {
    kind: "purchase_order",
    key: ["account", "vendor", "description", "date"],
    table: "purchase_orders",
    collect: collectPurchaseOrders,
  },
  cost_reports: {
    kind: "cost_report",
    key: ["week_of"],
    table: "cost_reports",
    tables: ["cost_report_lines"],
    collect: collectCostReports,
  },
  script_changes: {
    kind: "script_change",
    key: ["episode", "scene_number", "kind", "detected_at"],
    table: "script_changes",
    history: true,
    collect: collectScriptChanges,
  },
  jobs: { kind: "job", key: ["created_at", "kind", "summary"], table: "jobs", history: true, collect: collectJobs },
  activity: {
    kind: "activity",
    key: ["created_at", "verb", "actor"],
    table: "activity",
    history: true,
    collect: collectActivity,
  },
  storage: {
    kind: "storage_install",
    key: ["filespace"],
    table: "storage_installs",
    tables: ["asset_files", "storage_tasks", "media"],
    recorded: ["files", "moves"],
    collect: collectStorage,
  },
};

/** What a thing of a section is called in a sentence: "shoot day". */
export const kindOf = (name: SectionName): string => sections[name].kind.replaceAll("_", " ");

/**
 * The key of a thing of a section as people write it: the name by which documents refer to it, else the values of its key
 * fields. The key of a purchase order with a number is the number. Undefined if a field that it needs is absent.
 */
export function keyOf(name: SectionName, item: Readonly<Record<string, unknown>>): string | undefined {
  const { noun, key = [], plain } = sections[name];
  if (plain) return item.name as string | undefined;
  if (noun !== undefined) return nameOf(noun, item);
  if (name === "purchase_orders" && typeof item.number === "string") return item.number;
  const values = key.map((field) => item[field] ?? undefined);
  const optional = (field: string) => field === "episode";
  if (values.some((value, at) => value === undefined && !optional(key[at] as string))) return undefined;
  return values.filter((value) => value !== undefined).join(" / ");
}

/** Whether the things of a section have one key each, so that `was` can say what a thing was called. */
export const isRenamable = (name: SectionName): boolean =>
  sections[name].noun !== undefined || sections[name].key?.length === 1;

/** The fields by which a document names a thing of a section: those of its name, or those of its key. */
export function namingFields(name: SectionName, item: Readonly<Record<string, unknown>> = {}): readonly string[] {
  const { noun, key = [] } = sections[name];
  if (noun !== undefined) return [namings[noun].field, noun === "scene" ? "episode" : "ref"];
  return name === "purchase_orders" && typeof item.number === "string" ? ["number"] : key;
}

/** The values by which a document names a thing of a section. */
export const namingOf = (name: SectionName, item: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    namingFields(name, item).flatMap((field) => (item[field] === undefined ? [] : [[field, item[field]]])),
  );

/** Scenes have gaps between them, so that one can be inserted without moving the others. */
export const sceneGap = 1024;

/** What the thing at an index of its section is sorted by when the section is written as a whole. */
export const orderAt = (name: SectionName, index: number): number =>
  name === "scenes" ? (index + 1) * sceneGap : name === "episodes" ? index + 1 : 0;

/** A section's collected rows as the items of a document, but for their form. */
export const itemsOf = (name: SectionName, rows: readonly Row[]): unknown[] =>
  sections[name].plain ? rows.map((row) => row.name) : [...rows];

/** Makes a value for each section, once. Returns the function that gives the value of a section. */
export function forSections<T>(make: (name: SectionName) => T): (name: SectionName) => T {
  const made = new Map(sectionNames.map((name) => [name, make(name)]));
  return (name) => made.get(name) as T; // it was made for every section
}
