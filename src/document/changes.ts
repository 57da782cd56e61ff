// Holds the changes that an import writes: the things that are added, changed and removed, by section.
import type { Row } from "./exporter.ts";
import type { ProductionDocument } from "./schema.ts";

export type Production = ProductionDocument["production"];
type Lists = Omit<ProductionDocument, "document" | "document_version" | "production">;
/** A list of the document. */
export type SectionName = keyof Lists;
/** In the document's order. sections.ts describes them. */
export const sectionNames = [
  "episodes",
  "departments",
  "people",
  "ingredients",
  "scenes",
  "assets",
  "schedule",
  "vendors",
  "engagements",
  "deliveries",
  "approvals",
  "department_notes",
  "notes",
  "purchase_orders",
  "cost_reports",
  "script_changes",
  "jobs",
  "activity",
  "storage",
] as const satisfies readonly SectionName[];
export const isSection = (name: string): name is SectionName => (sectionNames as readonly string[]).includes(name);
export type Item<S extends SectionName> = Lists[S][number];

/** A thing of a section as an object: a plain text is a name. */
export type Thing<S extends SectionName> = Item<S> extends string ? { name: string } : Item<S>;
/** A field of a thing of a section, or of any section. */
export type FieldOf<S extends SectionName> = S extends SectionName ? keyof Thing<S> & string : never;

/** A thing that is added or removed, with its id. */
export interface Entry<S extends SectionName> {
  id: number;
  item: Item<S>;
  /** In a section that has an order, the value that it is sorted by; elsewhere 0. */
  order: number;
  /** The stored row with the ids of the rows that belong to it; undefined for a thing that is added. */
  row: Row | undefined;
}

/** A stored thing that changes. */
export interface Change<S extends SectionName> extends Entry<S> {
  stored: Item<S>;
  /** The fields that differ. */
  fields: ReadonlySet<FieldOf<S>>;
}

export interface SectionChanges<S extends SectionName> {
  added: readonly Entry<S>[];
  changed: readonly Change<S>[];
  removed: readonly Entry<S>[];
}

export interface Changes {
  /** The production itself, if it is new or changed. */
  production: Production | undefined;
  of<S extends SectionName>(section: S): SectionChanges<S>;
}
