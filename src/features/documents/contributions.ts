// What other features add to documents: readers and writers of files, and what is kept of updates. Types only.
import type { FeatureFile } from "../../core/feature.ts";
import type { ListKind } from "./kinds.ts";

declare module "../../core/feature.ts" {
  interface Feature {
    readonly importers?: FeatureImporters;
    readonly exporters?: FeatureExporters;
    readonly scriptExporters?: FeatureScriptExporters;
    /** The module that makes documents of what importers read; it exports documentsOf and newProduction. */
    readonly paperwork?: FeatureFile;
    /** The module that keeps what updates changed; it exports recordChangeSet and changesOf. */
    readonly changeSets?: FeatureFile;
    /** The module that keeps what drafts ask true after an update; it exports followUpdate. */
    readonly scriptFollowing?: FeatureFile;
    /** The module that takes back what an update did to the stored script; it exports undoScript. */
    readonly scriptUndo?: FeatureFile;
  }
}

/** The files of other programs that a feature reads. */
export interface FeatureImporters {
  kind: "script" | "list";
  extensions: readonly string[];
  /** The module; it exports importers, by extension. */
  file: FeatureFile;
}

/** The lists that a feature writes. */
export interface FeatureExporters {
  kinds: readonly ListKind[];
  /** The module; it exports listOfProduction. */
  file: FeatureFile;
}

/** The formats in which a feature writes the script. */
export interface FeatureScriptExporters {
  formats: readonly string[];
  /** The module; it exports scriptOfProduction. */
  file: FeatureFile;
}
