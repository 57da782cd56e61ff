// Reads files of other programs into the documents of an update, with the names and the drafts of the production.

import { type Problem, problemText } from "../../core/errors.ts";
import { isListKind, listKinds } from "../../core/inputs.ts";
import { append } from "../../core/sequences.ts";
import type { Store } from "../../core/store/database.ts";
import type { Reading } from "../documents/apply/apply.ts";
import type { Documents } from "../documents/apply/update.ts";
import type { PaperworkFlags } from "../documents/import_flags.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import { documentOfPaperwork, type GivenDocument, unreadable } from "../documents/read/read.ts";
import { departmentProblems } from "../scripts/breakdown_options.ts";
import type { Script } from "../scripts/script.ts";
import { planScript, type ScriptPlan, type Superseded } from "../scripts/script_import.ts";
import { recordedBeside } from "../scripts/script_undo.ts";
import { FormatError } from "./findings.ts";
import { isList, isScript, type ListPaper, needsKind, otherKindOf, type Paper, type ScriptPaper } from "./importers.ts";
import { keepMap, mapsOf } from "./maps.ts";
import { storedNames } from "./names.ts";
import { said } from "./partial.ts";

const problemsOf = (file: string, { problems, more }: FormatError): Problem[] => [
  ...problems.map((problem) => ({ file, ...problem })),
  ...(more > 0 ? [{ file, sentence: `and ${more} more problems` }] : []),
];

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

/** A file of an update: a document, or a file of another program. */
export type Given = GivenDocument | Paper;

/** What is wrong with the flags of an import for a file of another program. */
function* flagProblems(
  paper: Paper,
  stored: StoredProduction,
  codes: readonly string[],
  { as, episode }: PaperworkFlags,
): Generator<string> {
  const isEpisodic = stored.production.format === "episodic";
  if (needsKind(paper) && !isListKind(as)) yield `--as must say what the file is: ${listKinds.join(", ")}`;
  if (episode !== undefined && !isEpisodic)
    yield "--episode is only for an episodic production, and this production is not episodic";
  else if (episode !== undefined && !codes.includes(episode))
    yield `--episode names no episode: ${episode}; episodes are ${codes.join(", ") || "not listed yet"}`;
  else if (isScript(paper) && isEpisodic && episode === undefined)
    yield `--episode must name the episode of the script: ${codes.join(", ") || "none is listed yet"}`;
}

/** Reads every file: scripts before lists, which may name their scenes. */
function readAll(
  store: Store,
  stored: StoredProduction,
  given: readonly Given[],
  scripts: ReadonlyMap<Given, ReadScript>,
  { flags, now, superseded }: PaperworkOptions,
): Reading {
  const { episode, color, pages, dates, week } = flags;
  const as = isListKind(flags.as) ? flags.as : undefined;
  const { production_id } = stored;
  const { known, add } = storedNames(stored);
  const { pairs, keep, problems } = mapsOf(store, production_id, flags.map);
  // What --map says of categories of tags: it is about lists if the import has one.
  const departments = given.some((one) => "importer" in one && needsKind(one)) ? {} : pairs;
  const documents = new Map<Given, GivenDocument>();
  const warnings: string[] = [];
  let write: ScriptPlan["write"];

  const readList = ({ file, importer, bytes }: ListPaper): GivenDocument => {
    try {
      const found = importer.list(bytes, {
        ...{ known, map: pairs, as: as as NonNullable<typeof as> }, // a list without --as has a problem
        ...said({ episode, dates, week }),
      });
      append(warnings, warningsIn(file, found.warnings));
      return documentOfPaperwork(found.document, file);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return unreadable(file, problemsOf(file, error));
    }
  };
  const planned = (file: string, script: Script): GivenDocument => {
    const head = { file, color, departments, now };
    const plan = planScript(store, stored, script, { head, episode, pages, superseded });
    const isBeside = ({ document }: GivenDocument) =>
      document.scenes?.some((scene) => (scene.episode ?? undefined) === episode);
    const beside = plan.orders_scenes ? undefined : [...documents.values()].find(isBeside);
    if (beside !== undefined) {
      const sentence = `a later draft is compared with the stored scenes, and ${beside.file} has scenes of the same script: import one after the other`;
      return unreadable(file, [{ file, sentence }]);
    }
    write = plan.write;
    append(warnings, warningsIn(file, script.warnings));
    append(warnings, plan.warnings);
    return documentOfPaperwork(plan.document, file, { orders_scenes: plan.orders_scenes });
  };
  const read = (one: Given): GivenDocument => {
    if (!("importer" in one)) return one;
    const { file } = one;
    const other = otherKindOf(one);
    if (other !== undefined) return unreadable(file, [{ file, sentence: other }]); // whatever the flags say
    const wrong = [...problems, ...flagProblems(one, stored, known.episodes, flags)];
    if (isScript(one)) append(wrong, departmentProblems(stored, departments));
    const faults = wrong.map((sentence) => ({ file, sentence }));
    if (faults.length > 0) return unreadable(file, faults);
    if (isList(one)) return readList(one);
    const script = scripts.get(one) as ReadScript; // each script was read
    return "problems" in script ? unreadable(file, script.problems) : planned(file, script.script);
  };

  const rank = (one: Given) => (!("importer" in one) ? 0 : scripts.has(one) ? 1 : 2);
  for (const one of given.toSorted((one, other) => rank(one) - rank(other))) {
    const document = read(one);
    documents.set(one, document);
    add(document.document);
  }
  return {
    documents: given.map((one) => documents.get(one) as GivenDocument), // each was read
    warnings,
    ...((write !== undefined || keep !== undefined) && {
      beside: recordedBeside(store, production_id, (planned, writer) => {
        write?.(planned, writer);
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
