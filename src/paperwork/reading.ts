// Reads files of other programs into the documents of an update, with the names and the drafts of the production.
import type { Reading } from "../document/apply/apply.ts";
import type { Documents } from "../document/apply/update.ts";
import type { StoredProduction } from "../document/nouns/stored.ts";
import { documentOfPaperwork, type GivenDocument, unreadable } from "../document/read/read.ts";
import { type Problem, problemText } from "../errors.ts";
import { FormatError } from "../formats/findings.ts";
import { type PaperReading, said } from "../formats/partial.ts";
import type { Script } from "../formats/script.ts";
import { listKinds } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { departmentProblems } from "./breakdowns.ts";
import type { PaperworkFlags } from "./flags.ts";
import { isScript, type ListPaper, type Paper, type ScriptPaper } from "./importers.ts";
import { keepMap, type Maps, mapsOf } from "./maps.ts";
import { type StoredNames, storedNames } from "./names.ts";
import { planScript, type ScriptPlan, type Superseded } from "./script_import.ts";
import { recordedBeside } from "./script_undo.ts";

const problemsOf = (file: string, { problems, more }: FormatError): Problem[] => [
  ...problems.map((problem) => ({ file, ...problem })),
  ...(more > 0 ? [{ file, sentence: `and ${more} more problems` }] : []),
];

const needsKind = (paper: Paper): boolean => !isScript(paper) && paper.importer.needsKind;

/** The script of a file, or what is wrong with it. */
export type ReadScript = { script: Script } | { problems: Problem[] };

/** Reads a script. Problems that make it useless are problems of the file. */
export function readScript({ file, importer, bytes }: ScriptPaper): ReadScript {
  try {
    const script = importer.script(bytes);
    const { problems } = script;
    return problems.length > 0 ? { problems: problemsOf(file, new FormatError(problems)) } : { script };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { problems: problemsOf(file, error) };
  }
}

/** The warnings of a file as sentences. */
export const warningsIn = (file: string, warnings: readonly Problem[]): string[] =>
  warnings.map((warning) => problemText({ file, ...warning }));

export interface PaperworkOptions {
  flags: PaperworkFlags;
  now: string;
  /** Is called with each script change that is superseded, in the transaction. */
  superseded(change: Superseded): void;
}

/** The reading of the files of one import. */
class Import {
  readonly #store: Store;
  readonly #stored: StoredProduction;
  readonly #options: PaperworkOptions;
  readonly maps: Maps;
  readonly #hasLists: boolean;
  readonly #names: StoredNames;
  /** The documents that were read, which later files may name. */
  readonly #read: GivenDocument[] = [];
  readonly warnings: string[] = [];
  /** What the script writes. */
  write: ScriptPlan["write"];

  constructor(store: Store, stored: StoredProduction, given: readonly Given[], options: PaperworkOptions) {
    this.#store = store;
    this.#stored = stored;
    this.#options = options;
    this.#names = storedNames(stored);
    this.maps = mapsOf(store, stored.production_id, options.flags.map);
    this.#hasLists = given.some((one) => "importer" in one && needsKind(one));
  }

  /** Reads one file. */
  read(given: Given, script: ReadScript | undefined): GivenDocument {
    const document = "importer" in given ? this.#paper(given, script) : given;
    this.#read.push(document);
    this.#names.add(document.document);
    return document;
  }

  #paper(paper: Paper, script: ReadScript | undefined): GivenDocument {
    const { file } = paper;
    const problems = [...this.#flagProblems(paper)];
    if (problems.length > 0)
      return unreadable(
        file,
        problems.map((sentence) => ({ file, sentence })),
      );
    if (isScript(paper)) return this.#script(paper, script ?? readScript(paper));
    try {
      const { document, warnings } = this.#list(paper);
      this.warnings.push(...warningsIn(file, warnings));
      return documentOfPaperwork(document, file);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return unreadable(file, problemsOf(file, error));
    }
  }

  /** What is wrong with the flags of the import for one file. */
  *#flagProblems(paper: Paper): Generator<string> {
    const { as, episode } = this.#options.flags;
    const codes = this.#names.known.episodes;
    const isEpisodic = this.#stored.production.format === "episodic";
    yield* this.maps.problems;
    if (needsKind(paper) && as === undefined) yield `--as must say what the file is: ${listKinds.join(", ")}`;
    if (episode !== undefined && !isEpisodic)
      yield "--episode is only for an episodic production, and this production is not episodic";
    else if (episode !== undefined && !codes.includes(episode))
      yield `--episode names no episode: ${episode}; episodes are ${codes.join(", ") || "not listed yet"}`;
    else if (isScript(paper) && isEpisodic && episode === undefined)
      yield `--episode must name the episode of the script: ${codes.join(", ") || "none is listed yet"}`;
    if (isScript(paper)) yield* departmentProblems(this.#stored, this.#departments);
  }

  /** What --map says of categories of tags: it is about lists if the import has one. */
  get #departments() {
    return this.#hasLists ? {} : this.maps.pairs;
  }

  #list({ importer, bytes }: ListPaper): PaperReading {
    const { as, episode, dates, week } = this.#options.flags;
    return importer.list(bytes, {
      ...{ known: this.#names.known, map: this.maps.pairs, as: as as NonNullable<typeof as> }, // a list without --as has a problem
      ...said({ episode, dates, week }),
    });
  }

  #script({ file }: Paper, read: ReadScript): GivenDocument {
    if ("problems" in read) return unreadable(file, read.problems);
    const { flags, now, superseded } = this.#options;
    const { episode, color, pages } = flags;
    const plan = planScript(this.#store, this.#stored, read.script, {
      ...{ head: { file, color, departments: this.#departments, now }, episode, pages, superseded },
    });
    const beside = plan.orders_scenes ? undefined : this.#withScenes(episode);
    if (beside !== undefined) {
      const sentence = `a later draft is compared with the stored scenes, and ${beside.file} has scenes of the same script: import one after the other`;
      return unreadable(file, [{ file, sentence }]);
    }
    this.write = plan.write;
    this.warnings.push(...warningsIn(file, read.script.warnings), ...plan.warnings);
    return documentOfPaperwork(plan.document, file, { orders_scenes: plan.orders_scenes });
  }

  /** A document of the import that has scenes of the script or the episode. */
  #withScenes(episode: string | undefined): GivenDocument | undefined {
    return this.#read.find(({ document }) =>
      document.scenes?.some((scene) => (scene.episode ?? undefined) === episode),
    );
  }
}

/** A file of an update: a document, or a file of another program. */
export type Given = GivenDocument | Paper;

/** Reads every file: scripts before lists, which may name their scenes. */
function readAll(
  store: Store,
  stored: StoredProduction,
  given: readonly Given[],
  scripts: ReadonlyMap<Given, ReadScript>,
  options: PaperworkOptions,
): Reading {
  const reading = new Import(store, stored, given, options);
  const rank = (one: Given) => (!("importer" in one) ? 0 : scripts.has(one) ? 1 : 2);
  const documents = new Map<Given, GivenDocument>();
  for (const one of given.toSorted((one, other) => rank(one) - rank(other)))
    documents.set(one, reading.read(one, scripts.get(one)));
  const { keep, pairs } = reading.maps;
  const { production_id } = stored;
  return {
    documents: given.map((one) => documents.get(one) as GivenDocument), // each was read
    warnings: reading.warnings,
    ...((reading.write !== undefined || keep !== undefined) && {
      beside: recordedBeside(store, production_id, (planned, writer) => {
        reading.write?.(planned, writer);
        if (keep !== undefined) keepMap(writer.store, production_id, keep, pairs);
      }),
    }),
  };
}

/** The documents of an update from files, of which some are of other programs. At most one may be a script. */
export function documentsOf(store: Store, given: readonly Given[], options: PaperworkOptions): Documents {
  const papers = given.filter((one): one is Paper => "importer" in one);
  if (papers.length === 0) return given.filter((one): one is GivenDocument => !("importer" in one));
  const scripts = new Map<Given, ReadScript>();
  for (const paper of papers.filter(isScript)) {
    const { file } = paper;
    const sentence = "an import has at most one script";
    scripts.set(paper, scripts.size === 0 ? readScript(paper) : { problems: [{ file, sentence }] });
  }
  return (stored) => readAll(store, stored, given, scripts, options);
}
