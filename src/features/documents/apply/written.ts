// What is told of an update that is written to what is written beside it, in the same transaction.
import type { ProductionId } from "../../../core/ids.ts";
import type { Store } from "../../../core/store/store.ts";
import type { Noun, SectionName } from "../sections/sections.ts";

export interface Written {
  readonly store: Store;
  readonly production_id: ProductionId;
  /** The time of the commit. */
  readonly now: string;
  /** The tables whose rows are others now. */
  readonly tables: Set<string>;
  /** The number of rows that were inserted. */
  readonly rows: number;
  /** The id of what a name or a reference means; null if there is none. Throws an Error for what was not checked. */
  id(noun: Noun, name: string): number;
  id(noun: Noun, name: string | undefined): number | null;
  /** The ids of the things that a document added to a section, in its order. */
  added(section: SectionName, file: string): number[];
}
