// tallylight import: imports production documents, each completely or not at all.
import * as v from "valibot";
import type { Command, Output, ParsedArgs } from "../../../core/command.ts";
import { hasData, makeData, openData } from "../../../core/data_directory.ts";
import { CliError, UsageError } from "../../../core/errors.ts";
import { detailOf } from "../../../core/inputs.ts";
import { closing } from "../../../core/store/files.ts";
import { cut } from "../../../core/wording.ts";
import { localAdmin } from "../../../graph/admin.ts";
import { asAdmin, productionOf } from "../../../graph/data_command.ts";
import { append } from "../../sequences/sequences.ts";
import { progressOn } from "../../work/progress.ts";
import { refuseTakenTitle } from "../changes/creating.ts";
import { flagSchema, type PaperworkFlags } from "../import_flags.ts";
import {
  bytesOfPaper,
  importerOf,
  loadPaperwork,
  type NewProduction,
  type Paper,
  type PlannedProduction,
  readInputFile,
  refusedProduction,
  textOfDocument,
} from "../importers.ts";
import { episodeProblem, isListKind, listKinds, scriptKinds } from "../kinds.ts";
import { createAll, updateFromFiles } from "../production_update.ts";
import { folderOf } from "../read/read.ts";
import { type Imported, type ReadDocument, readDocument } from "../read/whole.ts";
import { notImported, refusedFile } from "../refusals.ts";
import { rehearseData } from "./rehearsal.ts";
import { outputOf, requestOf } from "./update_commands.ts";

/** Throws CliError if two documents have one title. */
function refuseSameTitles(reads: readonly ReadDocument[]): void {
  const files = new Map<string, string>();
  for (const { file, title } of reads) {
    const other = files.get(title);
    if (other !== undefined) throw refusedFile(file, `production.title is that of ${other}, too: ${title}`);
    files.set(title, file);
  }
}

/** Throws CliError if the data directory has a production with the title of one of the documents. */
async function refuseTitles(reads: readonly ReadDocument[], folder: string): Promise<void> {
  if (!hasData(folder)) return;
  closing(await openData(folder), ({ store }) => {
    for (const read of reads) refuseTakenTitle(store, read);
  });
}

/**
 * Imports checked documents in one transaction, and returns the counts of each. A dry run imports into a temporary
 * directory: it only reads the real one, so it blocks no writer there.
 */
export async function importAll(
  reads: readonly ReadDocument[],
  args: ParsedArgs,
  dry_run: boolean,
): Promise<Imported[]> {
  const show = progressOn(process.stderr);
  refuseSameTitles(reads);
  if (dry_run) await refuseTitles(reads, args.data);
  return closing(await (dry_run ? rehearseData() : makeData(args.data)), ({ store, blobs }) =>
    createAll(localAdmin(store, args.now), blobs, reads, {
      progress: ({ file }, rows) => show(rows === undefined ? "" : `${file}: ${rows} rows`),
    }),
  );
}

/** The season of a new series. Throws UsageError for anything but a number from 1. */
function seasonOf(args: ParsedArgs): number | undefined {
  const text = args.text("season");
  if (text !== undefined && !/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`--season takes a number from 1, not ${cut(text)}`);
  return text === undefined ? undefined : Number(text);
}

/** The production of a whole document. */
const ofDocument = (file: string): PlannedProduction => ({
  file,
  make() {
    const read = readDocument(file, textOfDocument(file));
    return { read, warnings: read.made.plan.warnings };
  },
});

/** What makes the productions of files, in the order of their first files. */
async function plannedOf(args: ParsedArgs, flags: PaperworkFlags): Promise<PlannedProduction[]> {
  const files = args.positionals;
  const papers: Paper[] = [];
  const planned: PlannedProduction[] = [];
  for (const file of files)
    try {
      const importer = await importerOf(file, flags.as);
      if (importer === undefined) planned.push(ofDocument(file));
      else papers.push({ file, importer, bytes: bytesOfPaper(file) });
    } catch (error) {
      planned.push(refusedProduction(file, error));
    }
  if (papers.length > 0) {
    const options = { title: args.text("title"), now: args.now, season: seasonOf(args) };
    append(planned, (await loadPaperwork()).newProductions(papers, flags, options));
  }
  return planned.sort((one, other) => files.indexOf(one.file) - files.indexOf(other.file));
}

/** Reads and checks every file. Throws one CliError with the problems of all files. */
async function readAll(args: ParsedArgs, flags: PaperworkFlags): Promise<NewProduction[]> {
  const show = progressOn(process.stderr);
  const files = args.positionals;
  const reads: NewProduction[] = [];
  const refusals: CliError[] = [];
  for (const { file, make } of await plannedOf(args, flags)) {
    show(`${file}: reading and checking`);
    try {
      reads.push(make());
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { message, lines, problems } = error;
      refusals.push(new CliError(message, lines, problems.length > 0 ? problems : [{ file, sentence: message }]));
    } finally {
      show("");
    }
  }
  const [first, ...others] = refusals;
  if (first === undefined) return reads;
  if (others.length === 0) throw first;
  throw notImported(
    `${refusals.length} of ${files.length} documents were refused`,
    refusals.flatMap(({ problems }) => problems),
    refusals.flatMap(({ message, lines }) => [message, ...lines]),
  );
}

/** The flags of paperwork, by the names of the API. Throws UsageError with every value that is wrong. */
function paperworkFlags({ values }: ParsedArgs): PaperworkFlags {
  const result = v.safeParse(flagSchema, { ...values, new_episode: values["new-episode"] });
  if (result.success) return result.output;
  throw new UsageError(`--${detailOf(result.issues)}`);
}

/** Throws UsageError for a flag that does not go with the presence or absence of --production. */
function checkFlags({ values }: ParsedArgs): void {
  const has = (flag: string) => values[flag] !== undefined;
  const isUpdate = has("production");
  const problem = has("episode") && isListKind(values.as) ? episodeProblem(values.as) : undefined;
  if (problem !== undefined) throw new UsageError(`--${problem}`);
  if (!isUpdate && isListKind(values.as))
    throw new UsageError("--as needs --production: it applies only to a stored production");
  for (const flag of ["exact", "if-revision", "pages", "dates", "week", "new-episode"])
    if (!isUpdate && has(flag))
      throw new UsageError(`--${flag} needs --production: it applies only to a stored production`);
  if (isUpdate && has("season"))
    throw new UsageError("--season is only for a new production; do not use it with --production");
  if (isUpdate && has("title"))
    throw new UsageError("--title is only for a new production; do not use it with --production");
}

/** Reads every file, and updates the production of --production from them. */
const update = (args: ParsedArgs, flags: PaperworkFlags): Promise<Output> =>
  asAdmin(args, async (admin, blobs, write) => {
    const { id: production_id, title } = productionOf(admin.store, args); // before the files are read
    const given = await Promise.all(
      args.positionals.map((file) => readInputFile(file, { file, folder: folderOf(file), as: flags.as })),
    );
    const request = { ...requestOf(args), production_id };
    return outputOf(await updateFromFiles(admin, blobs, { given, flags }, request, write), title);
  });

async function run(args: ParsedArgs): Promise<Output> {
  const flags = paperworkFlags(args);
  checkFlags(args);
  if (args.text("production") !== undefined) return update(args, flags);
  const dry_run = args.has("dry-run");
  const made = await readAll(args, flags);
  const imported = await importAll(
    made.map(({ read }) => read),
    args,
    dry_run,
  );
  const documents = imported.map(({ production_id, ...counts }) =>
    dry_run ? { dry_run, ...counts } : { production_id, ...counts },
  );
  return {
    document: documents.length === 1 ? documents[0] : documents,
    lines: imported.map(({ production_id, title, scenes, assets, versions, media }) => {
      const counts = `${scenes} scenes, ${assets} assets, ${versions} versions, ${media} media`;
      return dry_run ? `${title} can be imported: ${counts}` : `${title} is production ${production_id}: ${counts}`;
    }),
    notes: made.flatMap(({ warnings }) => warnings.map((warning) => `warning: ${warning}`)),
  };
}

export const commands: readonly Command[] = [
  {
    words: "import",
    summary: "creates or updates a production from files",
    details: "Scripts, documents and lists, completely or not at all; with --production, updates one.",
    example: "tallylight import draft.fdx",
    positionals: ["FILE…"],
    flags: {
      "dry-run": { summary: "checks everything and prints the plan, but imports nothing" },
      production: { value: "ID", summary: "updates this stored production: documents may be partial" },
      exact: { summary: "removes what the documents do not list in the sections that they contain" },
      "if-revision": { value: "R", summary: "refuses if the production is at another revision" },
      as: {
        value: "KIND",
        choices: [...listKinds, ...scriptKinds],
        summary: `what CSV files are, where their headings do not tell: ${listKinds.join(", ")}; what a script in a text file is: ${scriptKinds.join(", ")}`,
      },
      map: {
        value: "MAP",
        many: true,
        summary: 'what a header means, "Set=slugline", or the name under which such pairs are kept',
      },
      dates: { value: "ORDER", summary: "the order of dates that are all digits: dmy, mdy or ymd" },
      encoding: {
        value: "NAME",
        summary: "the encoding of text files that are not UTF-8, such as windows-1251, shift_jis or macintosh",
      },
      week: { value: "YYYY-MM-DD", summary: "the week of a cost report" },
      episode: { value: "CODE", summary: "the episode of a script or a schedule" },
      "new-episode": { summary: "adds the episode that --episode names, if the series does not have it" },
      season: { value: "N", summary: "the season of a new series; 1 by default" },
      color: { value: "NAME", summary: "the revision colour of a script's draft" },
      pages: { summary: "the script has only the revised pages; its other scenes count as unchanged" },
      title: { value: "TEXT", summary: "the title of a new production, instead of the one on the script's title page" },
    },
    run,
  },
];
