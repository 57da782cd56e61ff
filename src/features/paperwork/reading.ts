// Reads files of other programs into the documents of an update, with the names and the drafts of the production.
import type { Problem } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import type { Store } from "../../core/store/store.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import { type Documents, refuseDocuments } from "../documents/apply/update.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import { type InputFile, isPaper, type NewProduction, type Paper, type PaperOptions } from "../documents/importers.ts";
import { isListKind } from "../documents/kinds.ts";
import { asSource } from "../documents/match/matching.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import { documentOfPaperwork, type InputDocument, unreadable } from "../documents/read/read.ts";
import { refusedFile } from "../documents/refusals.ts";
import { append } from "../sequences/sequences.ts";
import { departmentProblems } from "./departments.ts";
import { FormatError, warningsIn } from "./findings.ts";
import { keepMap, mapsOf, type Pairs } from "./header_maps.ts";
import {
  isList,
  isScript,
  type ListImporter,
  needsKind,
  otherKindOf,
  type PaperScript,
  type PlannedScript,
  type ScriptImporter,
} from "./importers.ts";
import { storedNames } from "./names.ts";
import { definedFields } from "./partial.ts";

const problemsOf = (file: string, { problems, more }: FormatError): Problem[] => [
  ...problems.map((problem) => ({ file, ...problem })),
  ...(more > 0 ? [{ file, sentence: `and ${more} more problems` }] : []),
];

/** The script of a file, or what is wrong with it. */
type ReadScript = { script: PaperScript } | { problems: Problem[] };

/** Reads a script. Problems that make it useless are problems of the file. */
function readScript({ file, importer, bytes }: Paper<ScriptImporter>): ReadScript {
  try {
    return { script: importer.read(bytes) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { problems: problemsOf(file, error) };
  }
}

/** What is wrong with the flags of an import for a file of another program. */
function* flagProblems(
  paper: Paper,
  stored: StoredProduction,
  codes: readonly string[],
  { episode, new_episode }: PaperworkFlags,
): Generator<string> {
  const isEpisodic = stored.production.format === "episodic";
  if (episode !== undefined && !isEpisodic)
    yield "--episode is only for an episodic production, and this production is not episodic";
  else if (episode !== undefined && !codes.includes(episode) && !(new_episode && isScript(paper))) {
    const advice = isScript(paper) ? "; --new-episode adds it" : "";
    yield `--episode names no episode: ${episode}; episodes are ${codes.join(", ") || "not listed yet"}${advice}`;
  }
  if (isScript(paper) && isEpisodic && episode === undefined)
    yield `--episode must name the episode of the script: ${codes.join(", ") || "none is listed yet"}`;
}

type ExtraWrites = NonNullable<UpdateInput["beside"]>;

/** What is written beside the documents, and then a map. An undo of that alone is recorded as well. */
function keepingMap(
  beside: ExtraWrites = { write: () => {}, script: [] },
  { production_id, keep, pairs }: { production_id: ProductionId; keep: string; pairs: Pairs },
): ExtraWrites {
  const { write } = beside;
  beside.write = (planned, writer) => {
    write(planned, writer);
    keepMap(writer.store, production_id, keep, pairs);
  };
  return beside;
}

/** Reads the files of one import. */
class ImportReading {
  readonly #store: Store;
  readonly #stored: StoredProduction;
  readonly #scripts: ReadonlyMap<InputFile, ReadScript>;
  readonly #options: PaperOptions;
  readonly #names: ReturnType<typeof storedNames>;
  readonly #maps: ReturnType<typeof mapsOf>;
  readonly #documents = new Map<InputFile, InputDocument>();
  readonly #warnings: string[] = [];
  #beside: PlannedScript["beside"];

  constructor(
    store: Store,
    stored: StoredProduction,
    scripts: ReadonlyMap<InputFile, ReadScript>,
    options: PaperOptions,
  ) {
    [this.#store, this.#stored, this.#scripts, this.#options] = [store, stored, scripts, options];
    this.#names = storedNames(stored);
    this.#maps = mapsOf(store, stored.production_id, options.flags.map);
  }

  /** Reads every file: scripts before lists, which may name their scenes. */
  readAll(given: readonly InputFile[]): UpdateInput {
    // What --map says of categories of tags: it is about lists if the import has one.
    const departments = given.some((one) => isPaper(one) && needsKind(one)) ? {} : this.#maps.pairs;
    const rank = (one: InputFile) => (!isPaper(one) ? 0 : this.#scripts.has(one) ? 1 : 2);
    for (const one of given.toSorted((one, other) => rank(one) - rank(other))) {
      const document = isPaper(one) ? this.#read(one, departments) : one;
      this.#documents.set(one, document);
      this.#names.add(document.document);
    }
    const { keep, pairs } = this.#maps;
    const { production_id } = this.#stored;
    return {
      documents: given.map((one) => this.#documents.get(one) as InputDocument), // each was read
      warnings: this.#warnings,
      ...definedFields({
        beside: keep === undefined ? this.#beside : keepingMap(this.#beside, { production_id, keep, pairs }),
      }),
    };
  }

  #read(paper: Paper, departments: Pairs): InputDocument {
    const { file } = paper;
    const other = otherKindOf(paper);
    if (other !== undefined) return unreadable(file, [{ file, sentence: other }]); // whatever the flags say
    const { episodes } = this.#names.known;
    const wrong = [...this.#maps.problems, ...flagProblems(paper, this.#stored, episodes, this.#options.flags)];
    if (isScript(paper)) append(wrong, departmentProblems(this.#stored, departments));
    const faults = wrong.map((sentence) => ({ file, sentence }));
    if (faults.length > 0) return unreadable(file, faults);
    if (isList(paper)) return this.#readList(paper);
    const script = this.#scripts.get(paper) as ReadScript; // each script was read
    if ("problems" in script) return unreadable(file, script.problems);
    return this.#planScript(file, script.script, departments);
  }

  #readList({ file, importer, bytes }: Paper<ListImporter>): InputDocument {
    const { flags } = this.#options;
    const { episode, dates, week } = flags;
    const as = isListKind(flags.as) ? flags.as : undefined;
    try {
      const kind = as ?? importer.kindOf?.(bytes);
      if (kind !== undefined) this.#options.allowList(kind);
      if (kind !== as) this.#warnings.push(`${file}: by its headings, it was read as a list: ${kind}`);
      const found = importer.read(bytes, {
        known: this.#names.known,
        map: this.#maps.pairs,
        as: kind as NonNullable<typeof kind>, // only a file whose format says what it lists has none
        ...definedFields({ episode, dates, week }),
      });
      append(this.#warnings, warningsIn(file, found.warnings));
      return documentOfPaperwork(found.document, file);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return unreadable(file, problemsOf(file, error));
    }
  }

  #planScript(file: string, script: PaperScript, departments: Pairs): InputDocument {
    const { episode, new_episode } = this.#options.flags;
    const plan = script.plan(this.#store, this.#stored, file, { ...this.#options, departments });
    const isBeside = ({ document }: InputDocument) =>
      document.scenes?.some((scene) => (scene.episode ?? undefined) === episode);
    const other = plan.orders_scenes ? undefined : [...this.#documents.values()].find(isBeside);
    if (other !== undefined) {
      const sentence = `a later draft is compared with the stored scenes, and ${other.file} has scenes of the same script: import one after the other`;
      return unreadable(file, [{ file, sentence }]);
    }
    this.#beside = plan.beside;
    append(this.#warnings, plan.warnings);
    const isNew = new_episode && episode !== undefined && !this.#names.known.episodes.includes(episode);
    const episodes = isNew ? { episodes: [{ code: episode, title: episode }] } : {};
    return documentOfPaperwork({ ...episodes, ...plan.document }, file, { orders_scenes: plan.orders_scenes });
  }
}

/** The documents of an update from files, of which some are of other programs. At most one may be a script. */
export function documentsOf(store: Store, given: readonly InputFile[], options: PaperOptions): Documents {
  const scripts = new Map<InputFile, ReadScript>();
  for (const paper of given.filter(isPaper).filter(isScript)) {
    const { file } = paper;
    const sentence = "an import has at most one script";
    scripts.set(paper, scripts.size === 0 ? readScript(paper) : { problems: [{ file, sentence }] });
  }
  return (stored) => new ImportReading(store, stored, scripts, options).readAll(given);
}

/** The production that a file makes. Throws CliError with every problem of the file, or if it makes none. */
export function newProduction(
  paper: Paper,
  flags: PaperworkFlags,
  options: { title: string | undefined; now: string },
): NewProduction {
  const { file } = paper;
  const onlyUpdates = "such a file can only update a stored production; add --production ID";
  if (!isScript(paper)) throw refusedFile(file, otherKindOf(paper) ?? onlyUpdates);
  const found = readScript(paper);
  if ("problems" in found) return refuseDocuments([asSource(unreadable(file, found.problems))]);
  return found.script.newProduction(file, flags, options);
}
