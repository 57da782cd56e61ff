// What a feature adds to the program. It is data only: the modules that it names are loaded with their first use.
import type { Bytes } from "./answers.ts";
import type { BeginAttempt } from "./attempts.ts";
import type { Command } from "./command.ts";
import type { Config } from "./config.ts";
import type { App, Context, CopyOptions, ServedCopy } from "./context.ts";
import type { BackUpBefore } from "./directory_migration.ts";
import type { Transport } from "./http/request_context.ts";
import type { FindUpload } from "./http/request_files.ts";
import type { ResponseCache } from "./http/response_cache.ts";
import type { ProductionId } from "./ids.ts";
import type { Serving } from "./serving.ts";
import type { Blocks, SettingSchemas } from "./settings.ts";
import type { EventTypeRows } from "./store/event_types.ts";
import type { Store } from "./store/store.ts";

/** Loads a module of a feature, or a function of it: `() => import("…")`. The type is what the program asks of it. */
export type Load<Module> = () => Promise<Module>;

/** The argument of openTransport of a feature's route. */
export interface Opening {
  app: App;
  cache: ResponseCache;
}

/** A path that a feature answers by itself, besides its operations. */
export interface FeatureRoute {
  /** These paths and no others. */
  paths?: readonly string[];
  /** Every path that begins with this text. */
  below?: string;
  /** The route answers every path that nothing else answers. At most one feature may have such a route. */
  fallback?: true;
  /** Its paths are answered even if the directory is a copy that is too old. */
  always?: true;
  load: Load<{ openTransport(opening: Opening): Promise<Transport> | Transport }>;
  /** The route exists only with these settings; always by default. */
  when?: (config: Config) => boolean;
}

/** The commands of a file of a feature. */
export interface FeatureCommands {
  /** Their group in the help. */
  group: "Start" | "Production" | "Access" | "Storage" | "Running";
  /** Their first words. */
  words: readonly string[];
  load: Load<{ commands: readonly Command[] }>;
}

/** Work that a server does from time to time. */
export interface FeatureTimer {
  /** In milliseconds, after the start of the server and between two times. */
  first: number;
  every: number;
  load: Load<{ runTimer(app: App): Promise<void> | void }>;
}

/** What runs beside a server. */
export interface FeatureStart {
  /** `start` is called with the server before it listens, or later. */
  load: Load<{ start(serving: Serving): Promise<void> | void }>;
  /**
   * How many milliseconds after the server listens it is loaded, so that the server starts sooner; 0, the default, is
   * before it listens.
   */
  delay?: (app: App) => number;
  /** It is needed only if this returns true; always by default. */
  when?: (app: App) => boolean;
}

/** A figure of a running server, with one value for each set of labels. */
export interface Figure {
  /** Starts with `tallylight_`; without the suffix `_total`. */
  name: string;
  type: "counter" | "gauge";
  help: string;
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[];
}

/** What reads figures. */
export type FigureSource = () => readonly Figure[];

/** The figure with one value. `name` comes without `tallylight_`. */
export const figureOf = (type: Figure["type"], name: string, help: string, value: number): Figure => {
  return { name: `tallylight_${name}`, type, help, samples: [{ value }] };
};

/** Something of a running server that is as it should be, or not. docs/operating.md, "Health". */
export interface Condition {
  name: string;
  /** What is wrong, for the admin of the machine; undefined if nothing is. */
  problem: string | undefined;
  /** The same for everybody who may read events, without paths of the machine. */
  summary: string;
}

/** The result of one check of a data directory. `items` describes the individual problems. */
export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  items: string[];
}

/** Checks that `tallylight doctor` makes. docs/operating.md, "Doctor". */
export interface FeatureChecks {
  /** `checkData` is called with the data directory and its settings. */
  load: Load<{ checkData(data: string, config: Config | undefined): Finding[] | Promise<Finding[]> }>;
  /** They ask other servers: only with --online, and with settings that are valid. */
  online?: true;
}

/** The module that finds things by their names. */
export interface Lookup {
  idOf(
    store: Store,
    noun: "node" | "department" | "person" | "delivery" | "engagement",
    text: string,
    production_id?: ProductionId,
  ): number;
}

/** The module that knows typing errors. */
export interface Spelling {
  /** The known word that is closest to `word`; undefined if none is close, or if `word` is known. */
  closestWord(word: string, known: Iterable<string>): string | undefined;
}

/** A feature that others add to declares what they may add in a file contributions.ts, which extends this interface. */
export interface Feature {
  /** The name of its folder; with a slash for a part of a feature that needs another feature as well. */
  readonly name: string;
  /** The address of its feature.ts. */
  readonly url: string;
  /** The names of the features without which it does not work. */
  readonly needs?: readonly string[];
  /**
   * The files of its operations, by the first segment of their paths, below /admin/ by the first two, or as
   * `scenes/:id/script`. Each operation that a file exports is one of the API.
   */
  readonly operations?: Readonly<Record<string, readonly Load<object>[]>>;
  /** Its settings; their types are added to the interface Config of config.ts. */
  readonly settings?: (blocks: Blocks) => SettingSchemas;
  /** A sentence about settings of which each is valid, but not all of them together. */
  readonly settingsProblem?: (config: Config) => string | undefined;
  /** Its types of events; they are added to the interface EventTypes of store/event_types.ts. */
  readonly eventTypes?: EventTypeRows;
  /** The verbs of its activity entries about what is no event. */
  readonly otherVerbs?: readonly string[];
  readonly routes?: readonly FeatureRoute[];
  readonly commands?: readonly FeatureCommands[];
  /** What a server does from time to time, unless its directory cannot be written to. */
  readonly timers?: readonly FeatureTimer[];
  readonly starts?: readonly FeatureStart[];
  /** Its figures in GET /metrics: what reads them. */
  readonly figures?: Load<{ openFigures(app: App): FigureSource | Promise<FigureSource> }>;
  readonly checks?: FeatureChecks;
  /** What of it may be wrong in a running server. */
  readonly conditions?: Load<{ openConditions(app: App): () => Condition[] }>;
  /** Opens the copy of another directory, and says what a former primary is. */
  readonly copy?: Load<{
    openCopy(options: CopyOptions): ServedCopy;
    supersededSentence(folder: string): string | undefined;
  }>;
  /** Backs a data directory up before it is migrated to a version; returns the folder of the backup. */
  readonly backUpBefore?: Load<{ backUpBefore: BackUpBefore }>;
  /** Makes the link that begins the first production of a server, or says how to open the one that is there. */
  readonly beginning?: Load<{ beginning(app: App): Promise<{ link?: string; note: string } | undefined> }>;
  /** Says what a folder is that is no data directory, and what to do with it; undefined for any other folder. */
  readonly folder?: (path: string) => string | undefined;
  readonly spelling?: Load<Spelling>;
  /** Finds things by their names. */
  readonly lookup?: Load<Lookup>;
  /** Keeps the answers of requests with an Idempotency-Key. */
  readonly attempts?: Load<{ beginAttempt: BeginAttempt }>;
  /** Makes the script of a scene that the list of scenes sends of the stored one. */
  readonly sceneScripts?: Load<{ listedScript(stored: unknown): object | null }>;
  /** Makes smaller pictures of media. */
  readonly pictures?: Load<{
    pictureOf(context: Context, medium: Bytes, width: number): Promise<Bytes | undefined>;
    /** What browsers play in place of a film; undefined if there is none. */
    previewOf(context: Context, medium: Bytes): Promise<Bytes | undefined>;
  }>;
  /** Finds the uploads that a JSON body names. */
  readonly uploads?: Load<{ findUpload: FindUpload }>;
}
