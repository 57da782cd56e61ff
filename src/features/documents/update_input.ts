// What is given to an update: its documents, what is written beside them, and how its transaction runs.
import type { ProductionId } from "../../core/ids.ts";
import type { Store } from "../../core/store/store.ts";
import type { Turned } from "./changes/prepare.ts";
import type { RowOperation } from "./changes/row_operation.ts";
import type { Plan, PlannedChange } from "./planned.ts";
import type { InputDocument } from "./read/read.ts";
import type { Noun, SectionName } from "./sections/sections.ts";
import type { StoredProduction } from "./stored.ts";

/** What is told of an update to what is written beside its documents. */
export interface Told {
  /** The id of what a name or a reference means; null if there is none. Throws an Error for what was not checked. */
  id(noun: Noun, name: string): number;
  id(noun: Noun, name: string | undefined): number | null;
  /** The ids of the things that a document added to a section, in its order. */
  added(section: SectionName, file: string): number[];
}

/** What is told before anything is written. */
export interface Planning extends Told {
  readonly store: Store;
  readonly production_id: ProductionId;
  /** The time of the update. */
  readonly now: string;
  /** The next id of a table. */
  next(table: string): number;
  /** The operations of the documents. */
  readonly operations: readonly RowOperation[];
}

/** What is told of an update that is written to what is written beside it, in the same transaction. */
export interface Written extends Told {
  readonly store: Store;
  readonly production_id: ProductionId;
  /** The time of the commit. */
  readonly now: string;
  /** The tables whose rows are others now. */
  readonly tables: Set<string>;
  /** The number of rows that were inserted. */
  readonly rows: number;
}

/** The documents of an update, and what else is written in its transaction. */
export interface UpdateInput {
  documents: readonly InputDocument[];
  warnings?: readonly string[];
  /** The thing that is removed, by its id. The first document is empty then. */
  removal?: { section: SectionName; id: number };
  /** What makes the things by operations. The first document is empty then. */
  turn?: Turned;
  /** The texts of scenes that come into another episode are moved by what is written beside the documents. */
  keeps_texts?: true;
  /** The documents make a series of a single production. */
  begins_series?: true;
  /** Set if something is written even if no document changes anything. */
  beside?: {
    /** All operations of the update: those of the documents, and those on rows that documents do not say. */
    operations?(planning: Planning): RowOperation[];
    /** Writes what is not taken back, and tells of it. */
    write?(planned: { plan: Plan }, written: Written): void;
    /** Changes of rows that no document says, for the change set, once they are written. */
    changes?: readonly PlannedChange[];
  };
}

/** Documents, or a function that reads them from what is stored. It may be called again, each time in a transaction. */
export type Documents = readonly InputDocument[] | ((stored: StoredProduction) => UpdateInput);

/**
 * Runs the writing transaction. `work` takes the time of the commit, by default that of the request, and a clock that
 * tells how it goes on; it returns the plan that it applied, undefined if the plan must be made again.
 */
export type WritePlan = (work: (at?: string, clock?: () => string) => Plan | undefined) => Promise<Plan | undefined>;
