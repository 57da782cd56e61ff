// The table of the sections of a document: what their things are called, how other things name them, by which key they
// are matched, and how their fields behave.

import type { EventType, SubjectOf } from "../../../core/store/event_types.ts";
import { dayKey, type UnitDay } from "../../../graph/units.ts";
import { type Noun, namings, nouns, sceneName } from "../../names/name_rules.ts";
import type { ProductionDocument } from "./schema.ts";
import { furtherTables, nodeLinks, type Tables } from "./tables.ts";

export { type Noun, namings, nouns, refsOf, sceneName } from "../../names/name_rules.ts";

/** The name of `item` in references; undefined if a broken item has no name. */
export function nameOf(noun: Noun, item: unknown): string | undefined {
  if (noun === "vendor") return typeof item === "string" ? item : undefined;
  if (typeof item !== "object" || item === null) return undefined;
  const fields = item as Record<string, unknown>; // an object that is not null has fields
  const { field, refs } = { refs: false, ...namings[noun] };
  const name = (refs ? fields.ref : undefined) ?? fields[field];
  if (typeof name !== "string") return undefined;
  return noun === "scene" ? sceneName(name, fields.episode as string | undefined) : name; // an unsound one is not named
}

export type Production = ProductionDocument["production"];
type Lists = Omit<ProductionDocument, "document" | "document_version" | "production">;
/** A list of the document. */
export type SectionName = keyof Lists;
/** A section, or the production itself. */
export type AnySection = SectionName | "production";
export type Item<S extends SectionName> = Lists[S][number];

/** A thing of a section as an object: a plain text is a name. */
export type Thing<S extends SectionName> = Item<S> extends string ? { name: string } : Item<S>;
/** A field of a thing of a section, or of any section. */
export type FieldOf<S extends SectionName> = S extends SectionName ? keyof Thing<S> & string : never;

export interface Section<F extends string = string> extends Tables<F> {
  /** Its name in a sentence of the activity feed. */
  title: string;
  /** The noun of its things in events; kindOf gives it for sentences. */
  kind: SubjectOf<EventType> | "activity";
  /** What references to its things name, if there are any. */
  noun?: Noun;
  /** The fields that make the key of a thing that has no name. */
  key?: readonly F[];
  /** What a place calls a thing, before the first of the fields that has a value. */
  called: readonly [noun: string, ...fields: F[]];
  /** Further tables of which its things are made. */
  tables: readonly string[];
  /** Lists that are the other side of a list of another section, with which they are kept. */
  inverse?: readonly F[];
  /** The column with their places in an order that no field says. */
  place?: string;
  /** Its things are texts: their names. */
  plain?: true;
  /** Everything in it is recorded: it is added to, and nothing in it is changed or removed. */
  history?: true;
  /** Lists of its things that are recorded. */
  recorded: readonly F[];
  /** Why its things are neither taken back nor given back. */
  lasts?: string;
  /** The field that says when a thing ended, which lasts too. */
  end?: F;
  /** Lists of references whose order says nothing. */
  sets?: readonly F[];
  /** The fields that a listing shows, besides the key. Of a field that is a list, it shows the number of items. */
  listed: readonly F[];
}

/** What of a section does not follow from its name and from what references to its things name. */
type SectionOptions<S extends SectionName> = Omit<
  Section<FieldOf<S>>,
  "title" | "kind" | "noun" | "table" | "tables" | "recorded"
> &
  Partial<Pick<Section, "table">> &
  (S extends (typeof namings)[Noun]["list"] ? unknown : Pick<Section, "kind">);

/** Scenes have gaps between them, so that one can be inserted without moving the others. */
export const sceneGap = 1024;

const table: { readonly [S in SectionName]: SectionOptions<S> } = {
  episodes: {
    called: ["episode", "code"],
    order: "position",
    place: "position",
    listed: ["title"],
  },
  departments: { called: ["department", "slug", "name"], listed: ["name", "cluster", "privacy"] },
  people: { called: ["person", "name"], listed: ["role", "department", "is_hod", "active"] },
  ingredients: { called: ["ingredient", "ref", "label"], media: "ingredient_id", listed: ["kind", "label"] },
  scenes: {
    called: ["scene", "number"],
    table: "nodes",
    rest: { table: "scenes", key: "node_id" },
    order: "script_order",
    place: "script_order",
    parts: { assets: nodeLinks },
    sets: ["assets"],
    listed: ["slugline", "status", "revision_color"],
  },
  assets: {
    called: ["asset", "ref", "label"],
    table: "nodes",
    where: "kind <> 'scene'",
    parts: {
      costumes: nodeLinks,
      versions: {
        table: "versions",
        kind: "rows",
        by: "version",
        of: "node_id",
        order: "node_id, version",
        media: "version_id",
        parts: {
          ingredients: {
            table: "version_ingredients",
            kind: "set",
            of: "version_id",
            to: "ingredient_id",
            order: "version_id, ingredient_id",
          },
        },
        recorded: true,
      },
    },
    inverse: ["scenes"],
    sets: ["costumes", "scenes"],
    listed: ["label", "kind", "status", "department", "versions"],
  },
  schedule: {
    kind: "shoot_day",
    key: ["unit", "day_number"],
    called: ["day", "day_number"],
    table: "shoot_days",
    order: "day_number, unit",
    parts: {
      scenes: { table: "strips", kind: "list", of: "shoot_day_id", order: "shoot_day_id, position" },
      calls: { table: "day_calls", kind: "list", of: "shoot_day_id", order: "shoot_day_id, position" },
      banners: { table: "day_banners", kind: "list", of: "shoot_day_id", order: "shoot_day_id, position" },
      parts: { table: "day_parts", kind: "list", of: "shoot_day_id", order: "shoot_day_id, position" },
      lines: { table: "day_lines", kind: "list", of: "shoot_day_id", order: "shoot_day_id, position" },
    },
    listed: ["date", "general_call", "status", "scenes"],
  },
  vendors: { called: ["vendor"], plain: true, listed: [] },
  engagements: {
    called: ["engagement", "ref", "title"],
    parts: { grants: { table: "grants", kind: "rows", of: "engagement_id", recorded: true } },
    lasts: "engagements are ended, not undone",
    end: "ended_at",
    listed: ["vendor", "title", "ended_at", "grants"],
  },
  deliveries: {
    called: ["delivery", "ref", "title"],
    parts: {
      scenes: {
        table: "delivery_nodes",
        kind: "set",
        of: "delivery_id",
        where: "node_id IN (SELECT node_id FROM scenes)",
      },
      assets: {
        table: "delivery_nodes",
        kind: "set",
        of: "delivery_id",
        where: "node_id NOT IN (SELECT node_id FROM scenes)",
      },
      submissions: {
        table: "submissions",
        kind: "rows",
        of: "delivery_id",
        earlier: "answers",
        media: "work_item_id",
        recorded: true,
      },
    },
    media: "delivery_id",
    sets: ["scenes", "assets"],
    listed: ["title", "status", "kind", "due", "external_to", "sent_at"],
  },
  approvals: {
    called: ["approval", "title"],
    parts: {
      steps: { table: "approval_steps", kind: "list", of: "approval_id", order: "approval_id, position" },
      rounds: {
        table: "former_steps",
        kind: "list",
        of: "approval_id",
        round: "round",
        order: "approval_id, round, position",
      },
    },
    listed: ["title", "status", "mode", "due"],
  },
  department_notes: {
    kind: "department_note",
    key: ["department", "scene", "summary"],
    called: ["note of", "department"],
    listed: ["department", "scene", "summary"],
  },
  notes: {
    kind: "note",
    key: ["asset", "author", "created_at"],
    lasts: "a note stays recorded",
    called: ["note on", "asset"],
    history: true,
    listed: ["asset", "version", "author", "created_at", "text"],
  },
  purchase_orders: {
    kind: "purchase_order",
    key: ["account", "vendor", "description", "date"],
    called: ["order", "description"],
    listed: ["number", "account", "vendor", "description", "amount", "status", "date"],
  },
  cost_reports: {
    kind: "cost_report",
    key: ["week_of"],
    called: ["week of", "week_of"],
    parts: { lines: { table: "cost_report_lines", kind: "rows", by: "account", of: "cost_report_id" } },
    listed: ["active", "lines"],
  },
  script_changes: {
    kind: "script_change",
    key: ["episode", "scene_number", "kind", "detected_at"],
    lasts: "a script change stays recorded",
    history: true,
    called: ["change of scene", "scene_number"],
    listed: ["status", "kind", "scene_number", "revision_color", "summary"],
  },
  jobs: {
    kind: "job",
    key: ["created_at", "kind", "summary"],
    lasts: "a job stays recorded",
    called: ["job", "summary"],
    history: true,
    listed: ["kind", "status", "summary", "created_at"],
  },
  activity: {
    kind: "activity",
    key: ["created_at", "verb", "actor"],
    lasts: "an activity entry stays recorded",
    called: ["entry", "summary"],
    history: true,
    listed: ["created_at", "verb", "actor", "summary"],
  },
  storage: {
    kind: "storage_install",
    key: ["filespace"],
    lasts: "what the storage agent reported stays recorded",
    called: ["filespace", "filespace"],
    table: "storage_installs",
    parts: {
      files: {
        table: "asset_files",
        kind: "rows",
        by: "path",
        of: "install_id",
        order: "install_id, path",
        media: "asset_file_id",
        recorded: true,
      },
      moves: { table: "storage_tasks", kind: "rows", of: "install_id", recorded: true },
    },
    listed: ["active", "files", "moves"],
  },
};

/** In the document's order. */
export const sectionNames = Object.keys(table) as SectionName[]; // the keys of the table

function sectionOf(name: SectionName): Section {
  const options: Partial<Section> & Pick<Section, "called" | "listed"> = table[name];
  const parts = Object.entries(options.parts ?? {});
  const title = name.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
  const noun = nouns.find((one) => namings[one].list === name);
  const kind = (noun ?? options.kind) as Section["kind"]; // what has no noun has a kind of its own
  const recorded = parts.flatMap(([list, part]) => (part?.recorded ? [list] : []));
  return { title, table: name, tables: furtherTables(options), recorded, ...options, kind, ...(noun && { noun }) };
}

/** For code that treats every section alike. */
export const sections = Object.fromEntries(sectionNames.map((name) => [name, sectionOf(name)])) as Readonly<
  Record<SectionName, Section> // every section is in sectionNames
>;
export const isSection = (name: string): name is SectionName => Object.hasOwn(table, name);

/**
 * Whether the things of a section, their names too, are only for who has the scope read:money: no sentence or event
 * that others read has more than their number.
 */
export const hasMoney = (name: string): boolean => name === "purchase_orders" || name === "cost_reports";

/** What a thing of a section is called in a sentence: "shoot day". */
export const kindOf = (name: SectionName): string => sections[name].kind.replaceAll("_", " ");

/** The number and the unit of a sound thing of the schedule. */
export const unitDayOf = ({ unit, day_number }: Readonly<Record<string, unknown>>): UnitDay => ({
  unit: typeof unit === "string" ? unit : null,
  day_number: Number(day_number),
});

/**
 * The key of a thing of a section as people write it: the name by which documents refer to it, else the values of its
 * key fields. The key of a purchase order with a number is the number. Undefined if a field that it needs is absent.
 */
export function keyOf(name: SectionName, item: Readonly<Record<string, unknown>>): string | undefined {
  const { noun, key = [], plain } = sections[name];
  if (plain) return item.name as string | undefined; // withNames made it of a text
  if (noun !== undefined) return nameOf(noun, item);
  if (name === "purchase_orders" && typeof item.number === "string") return item.number;
  if (name === "schedule") return typeof item.day_number === "number" ? dayKey(unitDayOf(item)) : undefined;
  const isAbsent = (field: string) => (item[field] ?? undefined) === undefined;
  if (key.some((field) => field !== "episode" && isAbsent(field))) return undefined;
  return key.flatMap((field) => (isAbsent(field) ? [] : String(item[field]))).join(" / ");
}

/** Whether the things of a section are known by one key that no two of them share, although they have no names. */
export const isKeyed = (name: SectionName): boolean => name === "schedule" || sections[name].key?.length === 1;

/** Whether `was` can say what a thing of a section was called. What is recorded is called so forever. */
export const isRenamable = (name: SectionName): boolean => !sections[name].history;

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

/** Makes a value for each section, once. Returns the function that gives the value of a section. */
export function forSections<T>(make: (name: SectionName) => T): (name: SectionName) => T {
  const made = new Map(sectionNames.map((name) => [name, make(name)]));
  return (name) => made.get(name) as T; // it was made for every section
}
