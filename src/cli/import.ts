// tallylight import: imports production documents, each completely or not at all.
import { localAdmin } from "../admin/admin.ts";
import { recordAction } from "../admin/audit.ts";
import { type Imported, importDocument, refuseTaken } from "../document/import.ts";
import { type ReadDocument, readDocument } from "../document/read.ts";
import { CliError } from "../errors.ts";
import { recordEvent } from "../store/events.ts";
import { type Command, type ParsedArgs, UsageError } from "./arguments.ts";
import { hasData, makeData, openData, rehearseData, using } from "./data.ts";
import { updateFromFiles } from "./update.ts";

/** Returns a function that replaces the current line on a terminal. It writes nothing if the stream is not a terminal. */
export function progressOn(stream: NodeJS.WriteStream): (line: string) => void {
  return (line) => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${line}`);
  };
}

/** Throws CliError if the data directory has a production with the title of one of the documents. */
async function refuseTitles(reads: readonly ReadDocument[], folder: string): Promise<void> {
  if (!hasData(folder)) return;
  await using(openData(folder), ({ store }) => {
    for (const read of reads) refuseTaken(store, read);
  });
}

/**
 * Imports checked documents one after the other, and returns the counts of each. A dry run imports into a temporary directory: it
 * only reads the real one, so it blocks no writer there.
 */
export async function importAll(
  reads: readonly ReadDocument[],
  args: ParsedArgs,
  dry_run: boolean,
): Promise<Imported[]> {
  const show = progressOn(process.stderr);
  const imported: Imported[] = [];
  if (dry_run) await refuseTitles(reads, args.data);
  await using(dry_run ? rehearseData() : makeData(args.data), async ({ store, blobs }) => {
    for (const read of reads) {
      const hook = (production_id: number) => {
        const { title } = read.document.production;
        const admin = localAdmin(store, args.now);
        recordAction(admin, { action: "production.imported", production_id, detail: { title } });
        const subject = { kind: "production", id: production_id } as const;
        const happening = { type: "production.added", subject, data: { key: title, fields: {} } } as const;
        recordEvent(store, { ...happening, production_id, actor: admin.label, activity_id: null }, args.now);
      };
      const progress = (rows: number) => show(`${read.file}: ${rows} rows`);
      const one = await importDocument(store, blobs, read, { now: args.now, progress, hook });
      show("");
      imported.push(one);
    }
  });
  return imported;
}

/** Reads and checks every file. Throws one CliError with the problems of all files. */
function readAll(files: readonly string[]): ReadDocument[] {
  const show = progressOn(process.stderr);
  const reads: ReadDocument[] = [];
  const refusals: CliError[] = [];
  for (const file of files) {
    show(`${file}: reading and checking`);
    try {
      reads.push(readDocument(file));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { message, lines, problems } = error;
      refusals.push(new CliError(message, lines, lines.length > 0 ? problems : [{ file, sentence: message }]));
    } finally {
      show("");
    }
  }
  const [first, ...others] = refusals;
  if (first === undefined) return reads;
  if (others.length === 0) throw first;
  throw new CliError(
    `${refusals.length} of ${files.length} documents were refused; nothing was imported`,
    refusals.flatMap(({ message, lines }) => [message, ...lines]),
    refusals.flatMap(({ problems }) => problems),
  );
}

async function run(args: ParsedArgs) {
  if (args.text("production") !== undefined) return updateFromFiles(args);
  for (const flag of ["exact", "if-revision"])
    if (args.has(flag) || args.text(flag) !== undefined)
      throw new UsageError(`--${flag} needs --production: it is about a stored production`, "tallylight import --help");
  const dry_run = args.has("dry-run");
  const reads = readAll(args.positionals);
  const imported = await importAll(reads, args, dry_run);
  const documents = imported.map(({ production_id, ...counts }) =>
    dry_run ? { dry_run, ...counts } : { production_id, ...counts },
  );
  return {
    document: documents.length === 1 ? documents[0] : documents,
    lines: imported.map(({ production_id, title, scenes, assets, versions, media }) => {
      const counts = `${scenes} scenes, ${assets} assets, ${versions} versions, ${media} media`;
      return dry_run ? `${title} can be imported: ${counts}` : `${title} is production ${production_id}: ${counts}`;
    }),
  };
}

const importCommand: Command = {
  words: "import",
  summary: "imports productions from documents, or updates one, completely or not at all",
  positionals: ["FILE…"],
  flags: {
    "dry-run": { summary: "checks everything and prints the plan, but imports nothing" },
    production: { value: "ID", summary: "updates this stored production: documents may be partial", id: true },
    exact: { summary: "removes what the documents do not list in the sections that they contain" },
    "if-revision": { value: "R", summary: "refuses if the production is at another revision" },
  },
  run,
};

export const commands: readonly Command[] = [importCommand];
