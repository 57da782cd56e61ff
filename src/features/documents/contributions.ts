// What other features add to documents: readers and writers of files, and what is kept of updates. Types only.
import type { Load } from "../../core/feature.ts";
import type { Store } from "../../core/store/store.ts";
import type { Delimiter } from "../csv/csv.ts";
import type { Importer, PaperworkModule } from "./importers.ts";
import type { ListKindRow } from "./kinds.ts";
import type { ChangeSets, ScriptFollowing } from "./recording.ts";

declare module "../../core/feature.ts" {
  interface Feature {
    readonly importers?: FeatureImporters;
    /** The kinds of lists; the feature has an importer for them, and `exporters`. */
    readonly listKinds?: Readonly<Record<string, ListKindRow>>;
    readonly exporters?: Load<ListExporter>;
    readonly scriptExporters?: FeatureScriptExporters;
    /** Makes documents of what importers read. */
    readonly paperwork?: Load<PaperworkModule>;
    /** Keeps what updates changed. */
    readonly changeSets?: Load<ChangeSets>;
    /** Keeps what drafts ask true after an update. */
    readonly scriptFollowing?: Load<ScriptFollowing>;
  }
}

/** The files of other programs that a feature reads. */
export interface FeatureImporters {
  kind: "script" | "list";
  extensions: readonly string[];
  /** They are by extension. */
  load: Load<{ importers: Readonly<Record<string, Importer>> }>;
}

/** What writes lists. */
interface ListExporter {
  listOfProduction(
    store: Store,
    production_id: number,
    kind: string,
    form?: { delimiter?: Delimiter | undefined; episode?: string | undefined },
  ): string;
}

/** The formats in which a feature writes the script. */
export interface FeatureScriptExporters {
  formats: readonly string[];
  load: Load<{
    scriptOfProduction(
      store: Store,
      production: { id: number; title: string },
      format: string,
      episode: string | undefined,
    ): string;
  }>;
}
