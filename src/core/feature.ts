// What a feature adds to the program. It is data only: the files that it names are loaded with their first use.
import type { Config } from "./config.ts";
import type { App } from "./context.ts";
import type { Blocks, SettingSchemas } from "./settings.ts";
import type { EventTypeRows } from "./store/event_types.ts";

/** A file of a feature, relative to its feature.ts. */
export type FeatureFile = `./${string}`;

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
  /** The module; it exports openTransport. */
  file: FeatureFile;
  /** The route exists only with these settings; always by default. */
  when?: (config: Config) => boolean;
}

/** The commands of a file of a feature. */
export interface FeatureCommands {
  /** Their group in the help. */
  group: "Start" | "Production" | "Access" | "Storage" | "Running";
  /** Their first words. */
  words: readonly string[];
  /** The module; it exports commands. */
  file: FeatureFile;
}

/** Work that a server does from time to time. */
export interface FeatureTimer {
  /** In milliseconds, after the start of the server and between two times. */
  first: number;
  every: number;
  /** The module; it exports runTimer, which is called with the application. */
  file: FeatureFile;
}

/** What runs beside a server. */
export interface FeatureStart {
  /** The module; it exports start, which is called with the server before it listens, or later. */
  file: FeatureFile;
  /** How many milliseconds after the server listens it is loaded, so that the server starts sooner; 0, the default, is before it listens. */
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
  /** The module; it exports checkData, which is called with the data directory and its settings and returns findings. */
  file: FeatureFile;
  /** They ask other servers: only with --online, and with settings that are valid. */
  online?: true;
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
   * The files of its operations, by the first segment of their paths, below /admin/ by the first two, or as `scenes/:id/script`. Each operation that a file exports is
   * one of the API.
   */
  readonly operations?: Readonly<Record<string, readonly FeatureFile[]>>;
  /** Its settings; their types are added to the interface Config of config.ts. */
  readonly settings?: (blocks: Blocks) => SettingSchemas;
  /** A sentence about settings of which each is valid, but not all of them together. */
  readonly settingsProblem?: (config: Config) => string | undefined;
  /** Its types of events; they are added to the interface EventTypes of store/event_types.ts. */
  readonly eventTypes?: EventTypeRows;
  /** The verbs of its activity entries about what is no event. */
  readonly activityVerbs?: readonly string[];
  readonly routes?: readonly FeatureRoute[];
  readonly commands?: readonly FeatureCommands[];
  /** What a server does from time to time, unless its directory cannot be written to. */
  readonly timers?: readonly FeatureTimer[];
  readonly starts?: readonly FeatureStart[];
  /** The module with its figures in GET /metrics; it exports openFigures, which is called with the application and returns what reads them. */
  readonly figures?: FeatureFile;
  readonly checks?: FeatureChecks;
  /** The module with what of it may be wrong in a running server; it exports openConditions, which is called with the application. */
  readonly conditions?: FeatureFile;
  /** The module that opens the copy of another directory; it exports openCopy, and supersededSentence about a former primary. */
  readonly copy?: FeatureFile;
  /** The module that backs a data directory up before it is migrated; it exports backUpBefore. */
  readonly backUpBefore?: FeatureFile;
  /** The module that makes the link with which the first production of a server is begun; it exports beginLink, which is called with the application. */
  readonly beginning?: FeatureFile;
  /** Says what a folder is that is no data directory, and what to do with it; undefined for any other folder. */
  readonly folder?: (path: string) => string | undefined;
  /** The module that knows typing errors; it exports closestWord. */
  readonly spelling?: FeatureFile;
  /** The module that finds things by their names; it exports idOf. */
  readonly lookup?: FeatureFile;
  /** The module that keeps the answers of requests with an Idempotency-Key; it exports beginAttempt (see attempts.ts). */
  readonly attempts?: FeatureFile;
  /** The module that makes smaller pictures of media; it exports pictureOf. */
  readonly pictures?: FeatureFile;
  /** The module with the uploads that a JSON body names; it exports findUpload. */
  readonly uploads?: FeatureFile;
}
