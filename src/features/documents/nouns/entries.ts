// What an update writes: the things that are added, changed and removed, by section. Types only.
import type { FieldOf, Item, Production, SectionName } from "../sections/sections.ts";
import type { Row } from "./exporter.ts";

/** A thing that is written or removed, with its id. */
export interface Entry<S extends SectionName> {
  id: number;
  item: Item<S>;
  /** In a section that has an order, the value that it is sorted by; elsewhere 0. */
  order: number;
  /** The stored row with the ids of the rows that belong to it; undefined for a thing that is added. */
  row: Row | undefined;
  /** As it is stored; undefined for a thing that is added. */
  stored: Item<S> | undefined;
  /** The fields of a stored thing that differ. */
  fields: ReadonlySet<FieldOf<S>>;
}

export interface SectionChanges<S extends SectionName> {
  added: readonly Entry<S>[];
  changed: readonly Entry<S>[];
  removed: readonly Entry<S>[];
}

export interface Changes {
  /** The production itself, if it is new or changed. */
  production: Production | undefined;
  of<S extends SectionName>(section: S): SectionChanges<S>;
}
