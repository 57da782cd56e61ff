// Reads files of other programs into the documents of an update, with the names and the drafts of the production.
import type { ProductionId } from "../../core/ids.ts";
import type { Store } from "../../core/store/store.ts";
import { sameName } from "../../core/wording.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import {
  type InputFile,
  isPaper,
  type NewProductionOptions,
  type Paper,
  type PaperOptions,
  type PlannedProduction,
  refusedProduction,
} from "../documents/importers.ts";
import { isListKind, type ListKind, rowOfKind } from "../documents/kinds.ts";
import { documentOfPaperwork, type InputDocument, unreadable } from "../documents/read/read.ts";
import { asSource, refuseDocuments } from "../documents/read/sources.ts";
import { refusedFile } from "../documents/refusals.ts";
import type { StoredProduction } from "../documents/stored.ts";
import type { Documents, UpdateInput } from "../documents/update_input.ts";
import { append } from "../sequences/sequences.ts";
import { inUtf8 } from "./bytes.ts";
import { departmentProblems } from "./departments.ts";
import { howToBegin, type TitledEpisode, titledEpisode, unknownEpisode } from "./episodes.ts";
import { FormatError, warningsIn } from "./findings.ts";
import { keepMap, mapsOf, type Pairs } from "./header_maps.ts";
import {
  type FiledScript,
  isList,
  isScript,
  type ListImporter,
  needsKind,
  otherKindOf,
  type PaperScript,
  type PlannedScript,
  type PlanOptions,
  type ScriptImporter,
} from "./importers.ts";
import { kindsIn } from "./known_names.ts";
import { storedNames } from "./names.ts";
import { definedFields } from "./partial.ts";

/** What is wrong with a file: the problems that were kept, and how many others there are. */
type Faults = Pick<FormatError, "problems" | "more">;
const unread = (file: string, { problems, more }: Faults): InputDocument =>
  unreadable(
    file,
    problems.map((problem) => ({ file, ...problem })),
    more,
  );

/** The script of a file, or what is wrong with it. */
type ReadScript = { script: PaperScript } | Faults;

/** Reads a script. Problems that make it useless are problems of the file. */
function readScript({ importer, bytes }: Paper<ScriptImporter>): ReadScript {
  try {
    return { script: importer.read(bytes) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return error;
  }
}

/** What is wrong with the flags of an import for a file of another program. */
function* flagProblems(
  paper: Paper,
  stored: StoredProduction,
  codes: readonly string[],
  { episode, new_episode }: Pick<PaperworkFlags, "episode" | "new_episode">,
  isTitled = false,
): Generator<string> {
  const isEpisodic = stored.production?.format === "episodic";
  if (episode !== undefined && !isEpisodic)
    yield "--episode is only for an episodic production, and this production is not episodic";
  else if (episode !== undefined && !codes.includes(episode) && !(new_episode && isScript(paper))) {
    const advice = isScript(paper) ? "; --new-episode adds it" : "";
    yield `${isTitled ? "the title page" : "--episode"} says ${episode}: ${unknownEpisode(codes, episode)}${advice}`;
  }
  if (isScript(paper) && isEpisodic && episode === undefined)
    yield `--episode must name the episode of the script: ${codes.join(", ") || "none is listed yet"}`;
}

type ExtraWrites = NonNullable<UpdateInput["beside"]>;

/** What is written beside the documents, and then a map. An undo of that alone is recorded as well. */
function keepingMap(
  beside: ExtraWrites = {},
  { production_id, keep, pairs }: { production_id: ProductionId; keep: string; pairs: Pairs },
): ExtraWrites {
  const { write } = beside;
  beside.write = (planned, writer) => {
    write?.(planned, writer);
    keepMap(writer.store, production_id, keep, pairs);
  };
  return beside;
}

/** What is written beside the documents for two scripts, one after the other. */
function both(one: ExtraWrites | undefined, other: ExtraWrites | undefined): ExtraWrites | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    operations(planning) {
      const operations = one.operations?.(planning) ?? [...planning.operations];
      return other.operations?.({ ...planning, operations }) ?? operations;
    },
    write(planned, written) {
      one.write?.(planned, written);
      other.write?.(planned, written);
    },
  };
}

/** The turns in which an import reads its files. */
const turns = ["document", "script", "script of a new episode", "first", "second", "last"] as const;

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
  /** What the scripts so far omit and add. */
  readonly #drafted: PlanOptions["drafted"] = { scenes: [], superseded: new Set() };
  /** The scripts that are read, by their episodes. */
  readonly #planned = new Map<string | undefined, string>();
  /** What the lists are, or why that is not clear. */
  readonly #kinds = new Map<Paper, ListKind | FormatError | undefined>();

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

  /**
   * What a list is: as the flags say, or by its headings. Undefined if its format says it, or if it is none.
   */
  #kindOf(paper: Paper): ListKind | FormatError | undefined {
    if (this.#kinds.has(paper)) return this.#kinds.get(paper);
    const { as } = this.#options.flags;
    let kind: ListKind | FormatError | undefined = isListKind(as) ? as : undefined;
    try {
      if (isList(paper) && otherKindOf(paper) === undefined)
        kind ??= paper.importer.kindOf?.(paper.bytes, kindsIn(this.#names.known.items("assets")));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      kind = error;
    }
    this.#kinds.set(paper, kind);
    return kind;
  }

  /** When a file is read: what others name comes before them. */
  #turnOf(one: InputFile): (typeof turns)[number] {
    if (!isPaper(one)) return "document";
    if (this.#scripts.has(one)) return this.#isOfStored(one) ? "script" : "script of a new episode";
    const kind = this.#kindOf(one);
    return isListKind(kind) ? rowOfKind(kind).turn : "last";
  }

  /** Whether the production has scenes of the episode of a script. Only these can go to another episode. */
  #isOfStored(paper: Paper): boolean {
    const code = this.#options.flags.episode ?? this.#titleOf(paper).code;
    return this.#stored.items("scenes").some(({ raw }) => raw.episode === code);
  }

  /** Reads every file. */
  readAll(given: readonly InputFile[]): UpdateInput {
    // What --map says of categories of tags: it is about lists if the import has one.
    const departments = given.some((one) => isPaper(one) && needsKind(one)) ? {} : this.#maps.pairs;
    const inTurns = Map.groupBy(given, (one) => this.#turnOf(one));
    for (const one of turns.flatMap((turn) => inTurns.get(turn) ?? [])) {
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
    const script = this.#scripts.get(paper);
    if (script !== undefined && "problems" in script) return unread(file, script); // before what its flags lack
    const { episodes } = this.#names.known;
    const titled = this.#titledOf(paper);
    const { episode: given, new_episode } = this.#options.flags;
    const episode = given ?? titled.code;
    const wrong = [
      ...this.#maps.problems,
      ...flagProblems(paper, this.#stored, episodes, { episode, new_episode }, given === undefined),
      ...this.#scriptProblems(paper, titled, episode),
    ];
    if (isScript(paper)) append(wrong, departmentProblems(this.#stored, departments));
    const faults = wrong.map((sentence) => ({ file, sentence }));
    if (faults.length > 0) return unreadable(file, faults);
    if (isList(paper)) return this.#readList(paper);
    if (script === undefined) throw new TypeError("a script was not read");
    return this.#planScript(file, script.script, departments, { ...titled, ...definedFields({ code: episode }) });
  }

  /** What the title page of a script says of its episode. */
  #titleOf(paper: Paper): TitledEpisode {
    const read = this.#scripts.get(paper);
    return titledEpisode(this.#names.known.episodes, read && "script" in read ? read.script.episode : undefined);
  }

  /** The episode on the title page of a script. On a single production it is said how that becomes a series. */
  #titledOf(paper: Paper): TitledEpisode {
    const titled = this.#titleOf(paper);
    if (this.#stored.production?.format === "episodic") return titled;
    const { code } = titled;
    if (code !== undefined)
      this.#warnings.push(
        `${paper.file}: the title page is of episode ${code}, and the production is no series; ${howToBegin(code, this.#stored.production_id)}`,
      );
    return {};
  }

  /** What is wrong with the episode of a script: two that disagree, or the same as that of another script. */
  *#scriptProblems(paper: Paper, titled: TitledEpisode, episode: string | undefined): Generator<string> {
    if (!isScript(paper)) return;
    const { episode: given } = this.#options.flags;
    if (given !== undefined && titled.code !== undefined && titled.code !== given)
      yield `the title page is of episode ${titled.code}, and --episode says ${given}`;
    const other = this.#planned.get(episode);
    if (other !== undefined)
      yield episode === undefined
        ? "an import has at most one script"
        : `${other} is a script of episode ${episode}, too`;
    this.#planned.set(episode, paper.file);
  }

  #readList(paper: Paper<ListImporter>): InputDocument {
    const { file, importer, bytes } = paper;
    const { as, episode, dates, week } = this.#options.flags;
    try {
      const kind = this.#kindOf(paper);
      if (kind instanceof FormatError) throw kind;
      if (kind !== undefined) this.#options.allowList(kind);
      if (kind !== as) this.#warnings.push(`${file}: by its headings, it was read as a list: ${kind}`);
      const found = importer.read(bytes, {
        known: this.#names.known,
        map: this.#maps.pairs,
        has_cast_list: [...this.#kinds.values()].includes("cast"),
        as: kind as NonNullable<typeof kind>, // only a file whose format says what it lists has none
        ...definedFields({ episode, dates, week }),
      });
      append(this.#warnings, warningsIn(file, found.warnings));
      return documentOfPaperwork(found.document, file, { origin: found.origin });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return unread(file, error);
    }
  }

  #planScript(file: string, script: PaperScript, departments: Pairs, titled: TitledEpisode): InputDocument {
    const { code: episode, title } = titled;
    const flags = { ...this.#options.flags, ...definedFields({ episode }) };
    const plan = script.plan(this.#store, this.#stored, file, {
      ...this.#options,
      flags,
      departments,
      drafted: this.#drafted,
    });
    const isBeside = ({ document }: InputDocument) =>
      document.scenes?.some((scene) => (scene.episode ?? undefined) === episode);
    const other = plan.orders_scenes ? undefined : [...this.#documents.values()].find(isBeside);
    if (other !== undefined) {
      const sentence = `a later draft is compared with the stored scenes, and ${other.file} has scenes of the same script: import one after the other`;
      return unreadable(file, [{ file, sentence }]);
    }
    this.#beside = both(this.#beside, plan.beside);
    append(this.#warnings, plan.warnings);
    const isKnown = episode !== undefined && this.#names.known.episodes.includes(episode);
    const named = this.#stored.items("episodes").find(({ raw }) => raw.code === episode);
    const isTitled = title !== undefined && (named === undefined || named.raw.title === episode);
    const isListed = episode !== undefined && (!isKnown || isTitled);
    const episodes = isListed ? { episodes: [{ code: episode, title: title ?? episode }] } : {};
    return documentOfPaperwork({ ...episodes, ...plan.document }, file, { orders_scenes: plan.orders_scenes });
  }
}

/** Texts in UTF-8, where somebody says in which encoding they are; what is wrong with one that is not in it. */
function asText(one: InputFile, encoding: string | undefined): InputFile {
  if (!isPaper(one) || !(isScript(one) || needsKind(one))) return one;
  try {
    return { ...one, bytes: inUtf8(one.bytes, encoding) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return unread(one.file, error);
  }
}

/**
 * The documents of an update from files, of which some are of other programs. Of scripts, each is of another episode.
 */
export function documentsOf(store: Store, sent: readonly InputFile[], options: PaperOptions): Documents {
  const given = sent.map((one) => asText(one, options.flags.encoding));
  const scripts = new Map<InputFile, ReadScript>();
  const files = given.flatMap((one): InputFile[] => {
    if (!isPaper(one) || !isScript(one)) return [one];
    const read = readScript(one);
    const parts = "script" in read ? (read.script.parts ?? []) : [];
    if (parts.length === 0) scripts.set(one, read);
    const papers = parts.map((script): Paper => {
      const paper = { ...one, file: `${one.file}, episode ${script.episode}` };
      scripts.set(paper, { script });
      return paper;
    });
    return parts.length === 0 ? [one] : papers;
  });
  return (stored) => new ImportReading(store, stored, scripts, options).readAll(files);
}

/** The script of a file. Throws CliError with every problem of the file, or if it is none. */
function scriptIn(given: Paper, flags: PaperworkFlags): FiledScript & Pick<Paper<ScriptImporter>, "importer"> {
  const paper = asText(given, flags.encoding);
  if (!isPaper(paper)) return refuseDocuments([asSource(paper)]);
  const { file } = paper;
  const onlyUpdates = "such a file can only update a stored production; add --production ID";
  if (!isScript(paper)) throw refusedFile(file, otherKindOf(paper) ?? onlyUpdates);
  const found = readScript(paper);
  if ("problems" in found) return refuseDocuments([asSource(unread(file, found))]);
  return { file, importer: paper.importer, script: found.script };
}

/**
 * What makes the productions of files, in the order of their first files: scripts of one title are the episodes of one
 * production. Each throws CliError with every problem of its files, or if they make none.
 */
export function newProductions(
  given: readonly Paper[],
  flags: PaperworkFlags,
  options: NewProductionOptions,
): PlannedProduction[] {
  const titled = new Map<string, ReturnType<typeof scriptIn>[]>();
  const made: PlannedProduction[] = [];
  for (const paper of given) {
    const { file } = paper;
    try {
      const one = scriptIn(paper, flags);
      const title = options.title ?? one.script.title;
      const beside = title === null ? undefined : titled.get(sameName(title));
      beside?.push(one);
      if (beside !== undefined) continue;
      const scripts = [one];
      if (title !== null) titled.set(sameName(title), scripts);
      made.push({ file, make: () => one.importer.newProduction(scripts, flags, options) });
    } catch (error) {
      made.push(refusedProduction(file, error));
    }
  }
  return made;
}
