// What a feature adds to the program. It is data only: the files that it names are loaded with their first use.
import type { Config } from "./config.ts";
import type { App } from "./context.ts";
import type { ListKind } from "./inputs.ts";
import type { Blocks, SettingSchemas } from "./settings.ts";

/** A file of a feature, relative to its feature.ts. */
export type FeatureFile = `./${string}`;

/** A path that a feature answers by itself, besides its operations. */
export interface FeatureRoute {
  /** These paths and no others. */
  paths?: readonly string[];
  /** Every path that begins with this text. */
  below?: string;
  /** Whether the route answers every path that no other answers. At most one feature may have it. */
  rest?: true;
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
  /** The module; it exports start, which is called with the server before it listens. */
  file: FeatureFile;
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

/** Something of a running server that is as it should be, or not. */
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

/** Checks that `tallylight doctor` makes. */
export interface FeatureChecks {
  /** The module; it exports checkData, which is called with the data directory and its settings and returns findings. */
  file: FeatureFile;
  /** They ask other servers: only with --online, and with settings that are valid. */
  online?: true;
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

/** Whom a page is for. */
export type PageReach = "production" | "engagement" | "edit" | "admin";

/** A page for people, or something that pages load besides their own text. */
export interface FeaturePage {
  /** Segments that begin with a colon are ids. */
  path: string;
  /**
   * production: only for production-wide keys, otherwise 404. engagement: also for keys of an engagement. edit and admin: only for
   * sessions with that scope; 403 for others, 404 for keys of an engagement.
   */
  reach: PageReach;
  file: FeatureFile;
  /** The name of the function that shows the page. */
  show?: string;
  /** The name of the function that does what a form of the page asks for. */
  submit?: string;
  /** The name of the function that sends something else than a page, such as a still. */
  send?: string;
  /** Its entry in the navigation: the smaller the place, the nearer to the beginning. */
  menu?: { label: string; place: number; phone?: true };
  /** Its entry among the settings. */
  setting?: { label: string; place: number; about: string };
  /** The path of the entry of the navigation that is marked while the page is open; by default that of its first segment. */
  section?: string;
  /** Whether forms may have files. */
  files?: true;
  /** The most bytes of a form without files; 256 KiB by default. */
  form_limit?: number;
  /** The most bytes of all files of a form; by default each has the configured limit. */
  files_limit?: number;
  /** The HTTP status of the page if it shows a refused form; 422 by default. */
  refused_status?: number;
}

/**
 * The places in the pages that other features fill, each with the type of the function that fills it. The feature with the pages adds them
 * to this interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the pages extend it by declaration merging
export interface PagePlaces {}

/** The function that fills a place: the module, and the name under which it exports the function. */
export interface FeaturePart {
  file: FeatureFile;
  name: string;
}

export interface Feature {
  /** The name of its folder; with a slash for a part of a feature that needs another feature as well. */
  readonly name: string;
  /** The address of its feature.ts. */
  readonly url: string;
  /** The names of the features without which it does not work. */
  readonly needs?: readonly string[];
  /**
   * The files of its operations, by the first segment of their paths; below /admin/ by the first two. Each operation that a file exports is
   * one of the API.
   */
  readonly operations?: Readonly<Record<string, readonly FeatureFile[]>>;
  /** Its settings; their types are added to the interface Config of config.ts. */
  readonly settings?: (blocks: Blocks) => SettingSchemas;
  /** A sentence about settings of which each is valid, but not all of them together. */
  readonly settingsProblem?: (config: Config) => string | undefined;
  readonly routes?: readonly FeatureRoute[];
  readonly commands?: readonly FeatureCommands[];
  readonly pages?: readonly FeaturePage[];
  /** What it adds to places in the pages of other features. */
  readonly places?: { readonly [P in keyof PagePlaces]?: FeaturePart };
  /** The files that its pages load, by their names: the parts of each. A part that does not begin with a dot is a file of a package. */
  readonly files?: Readonly<Record<string, readonly string[]>>;
  /** What a server does from time to time, unless its directory cannot be written to. */
  readonly timers?: readonly FeatureTimer[];
  readonly starts?: readonly FeatureStart[];
  /** The module with its figures in GET /metrics; it exports openFigures, which is called with the application and returns what reads them. */
  readonly figures?: FeatureFile;
  readonly checks?: FeatureChecks;
  /** The module with what of it may be wrong in a running server; it exports openConditions, which is called with the application. */
  readonly conditions?: FeatureFile;
  /** The module that opens the copy of another directory; it exports openCopy. */
  readonly copy?: FeatureFile;
  /** Says what a folder is that is no data directory, and what to do with it; undefined for any other folder. */
  readonly folder?: (path: string) => string | undefined;
  /** The module that makes smaller pictures of media; it exports pictureOf. */
  readonly pictures?: FeatureFile;
  /** The module with the uploads that a JSON body names; it exports findUpload. */
  readonly uploads?: FeatureFile;
  readonly importers?: FeatureImporters;
  readonly exporters?: FeatureExporters;
  readonly scriptExporters?: FeatureScriptExporters;
  /** The module that makes documents of what importers read; it exports documentsOf and newProduction. */
  readonly paperwork?: FeatureFile;
  /** The module that keeps what updates changed; it exports recordChangeSet and changesOf. */
  readonly changeSets?: FeatureFile;
  /** The module that takes back what an update did to the stored script; it exports undoScript. */
  readonly scriptUndo?: FeatureFile;
}
