// Defines what an importer of scripts or of lists has. Features export theirs by extension.
import type { Store } from "../../core/store/store.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import type { Importer, NewProduction, NewProductionOptions, Paper, PaperOptions } from "../documents/importers.ts";
import type { ListKind } from "../documents/kinds.ts";
import type { Raw } from "../documents/sections/form.ts";
import type { StoredProduction } from "../documents/stored.ts";
import type { UpdateInput } from "../documents/update_input.ts";
import { mismatchOf } from "./bytes.ts";
import type { Pairs } from "./header_maps.ts";
import type { ListOptions, PaperReading } from "./partial.ts";

/** The first rows of a file as a kind of list reads them, below the names of the columns that it reads. */
export interface KindReading {
  kind: ListKind;
  table: readonly (readonly string[])[];
}

/** How lists are read. */
export interface ListImporter extends Importer {
  readonly kind: "list";
  /**
   * What the file lists by its headings, where the format does not say it. `kinds` are those of the production's
   * assets. Throws FormatError with the choices if that is not clear.
   */
  kindOf?(bytes: Uint8Array, kinds?: ReadonlySet<string>): ListKind;
  /** The first rows as each of some kinds would read them. */
  readAs?(bytes: Uint8Array, kinds: readonly ListKind[]): KindReading[];
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array, options: ListOptions & { as: ListKind }): PaperReading;
}

/** How scripts are read. */
export interface ScriptImporter extends Importer {
  readonly kind: "script";
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array): PaperScript;
  /** The production that scripts of one title make. Throws CliError if they make none. */
  newProduction(scripts: readonly FiledScript[], flags: PaperworkFlags, options: NewProductionOptions): NewProduction;
}

/** A script with its file. */
export interface FiledScript {
  file: string;
  script: PaperScript;
}

export interface PlanOptions extends PaperOptions {
  /** What the scripts of the import before this one omit and add, and the ids of the changes that they supersede. */
  drafted: { scenes: DraftedScene[]; superseded: Set<number> };
  /** The departments that are given for categories of tags. */
  departments: Pairs;
}

/** A scene that a draft of an episode omits or adds. */
export interface DraftedScene {
  kind: "omitted" | "added";
  /** Its change; null if that is no row yet, or if the omission was approved. */
  change_id: number | null;
  node_id: number | null;
  episode_id: number;
  episode: string;
  number: string;
  text: string | null;
  color: string;
  /** The file, and its place among the questions that this raises. */
  file: string;
  raised: number;
}

/** What a script does to a stored production. */
export interface PlannedScript {
  document: Record<string, Raw[]>;
  /** Whether the document lists scenes in the order of the script: those of a first draft. */
  orders_scenes: boolean;
  warnings: readonly string[];
  /** What is written beside the document. */
  beside: UpdateInput["beside"];
}

/** A script that was read. */
export interface PaperScript {
  /** The line Episode of its title page. */
  readonly episode: string | undefined;
  readonly title: string | null;
  /** The scripts of a file of several episodes, each with its code. */
  readonly parts?: readonly PaperScript[];
  /** Plans what it does, in the transaction of `stored`. */
  plan(store: Store, stored: StoredProduction, file: string, options: PlanOptions): PlannedScript;
}

export const isScript = (paper: Paper): paper is Paper<ScriptImporter> => paper.importer.kind === "script";
export const isList = (paper: Paper): paper is Paper<ListImporter> => paper.importer.kind === "list";

/** Whether the file does not say what it lists. */
export const needsKind = (paper: Paper): boolean => isList(paper) && paper.importer.kindOf !== undefined;

/**
 * Why the bytes cannot be those of such a file, whatever the flags say: they are none, or a known file of another kind.
 */
export const otherKindOf = ({ importer, bytes }: Pick<Paper, "importer" | "bytes">): string | undefined =>
  mismatchOf(importer.kind === "script" ? "a script" : "such a file", bytes);
