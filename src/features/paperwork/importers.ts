// Defines what an importer of scripts or of lists has. Features export theirs by extension.
import type { Store } from "../../core/store/store.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import type { Importer, NewProduction, Paper, PaperOptions } from "../documents/importers.ts";
import type { ListKind } from "../documents/kinds.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Raw } from "../documents/sections/form.ts";
import { mismatchOf } from "./bytes.ts";
import type { Pairs } from "./header_maps.ts";
import type { ListOptions, PaperReading } from "./partial.ts";

/** How lists are read. */
export interface ListImporter extends Importer {
  readonly kind: "list";
  /** What the file lists by its headings, where the format does not say it. Throws FormatError if that is not clear. */
  kindOf?(bytes: Uint8Array): ListKind;
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array, options: ListOptions & { as: ListKind }): PaperReading;
}

/** How scripts are read. */
export interface ScriptImporter extends Importer {
  readonly kind: "script";
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array): PaperScript;
}

export interface PlanOptions extends PaperOptions {
  /** The departments that are given for categories of tags. */
  departments: Pairs;
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
  /** Plans what it does, in the transaction of `stored`. */
  plan(store: Store, stored: StoredProduction, file: string, options: PlanOptions): PlannedScript;
  /** The production that it makes. Throws CliError if it makes none. */
  newProduction(
    file: string,
    flags: PaperworkFlags,
    options: { title: string | undefined; now: string },
  ): NewProduction;
}

export const isScript = (paper: Paper): paper is Paper<ScriptImporter> => paper.importer.kind === "script";
export const isList = (paper: Paper): paper is Paper<ListImporter> => paper.importer.kind === "list";

/** Whether the file does not say what it lists. */
export const needsKind = (paper: Paper): boolean => isList(paper) && paper.importer.kindOf !== undefined;

/** Why the bytes cannot be those of such a file, whatever the flags say: they are none, or a known file of another kind. */
export const otherKindOf = ({ importer, bytes }: Pick<Paper, "importer" | "bytes">): string | undefined =>
  mismatchOf(importer.kind === "script" ? "a script" : "such a file", bytes);
