// A data directory into which a test imports files of other programs, and decides what their drafts change.
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import "../../src/features.ts";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { exportDocument } from "../../src/features/documents/export/export.ts";
import { noFlags, type PaperworkFlags } from "../../src/features/documents/import_flags.ts";
import { type Importer, type InputFile, importerOf } from "../../src/features/documents/importers.ts";
import { updateFromFiles } from "../../src/features/documents/production_update.ts";
import { documentOfPaperwork } from "../../src/features/documents/read/read.ts";
import { problemText } from "../../src/features/documents/refusals.ts";
import { newProductions } from "../../src/features/paperwork/reading.ts";
import { decideScriptChanges } from "../../src/features/scripts/deciding.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { listScriptChanges, type ScriptChange } from "../../src/graph/script_changes.ts";
import { joined, now, stateOf } from "./small_document.ts";
import { folderWith, type Opened, openData } from "./template.ts";

type Json = any; // documents are taken apart field by field

export interface PaperFile {
  name: string;
  text: string | Uint8Array;
}

interface Options extends Partial<PaperworkFlags> {
  dry_run?: boolean;
  exact?: boolean;
  now?: string;
  /** The time of the commit, if that is another one. */
  committed?: string;
}

/** A file of an import: paperwork by its extension, otherwise the JSON text of a partial document. */
export const givenFile = async ({ name, text }: PaperFile): Promise<InputFile> => {
  const importer = await importerOf(name);
  if (importer === undefined) return documentOfPaperwork(JSON.parse(String(text)), name, { orders_scenes: true });
  return { file: name, importer, bytes: Buffer.from(text) };
};

/** Opens a data directory with the production of a document, of its text, or of first drafts. */
export async function openImports(
  first: string | object | PaperFile | PaperFile[],
  flags: Partial<PaperworkFlags> = {},
) {
  const fixtures = typeof first === "string" ? [first] : [];
  const data = openData(await folderWith(fixtures, now));
  if (typeof first !== "string") await importDocument(data.store, data.blobs, await readOf(first, flags), { now });
  return importsInto(data);
}

/** The imports into the production of a data directory. */
export function importsInto({ store, blobs }: Pick<Opened, "store" | "blobs">) {
  const write = async <T>(work: () => T): Promise<T> => store.writeSync(work);
  const production_id = store.database.prepare("SELECT id FROM productions").pluck().get() as number;
  const importFiles = async (
    files: PaperFile | PaperFile[],
    { dry_run = false, exact = false, now: time = now, committed, ...own }: Options = {},
  ) =>
    updateFromFiles(
      localAdmin(store, time),
      blobs,
      { given: await Promise.all([files].flat().map(givenFile)), flags: { ...noFlags, ...own } },
      { production_id, exact, dry_run },
      (work) => write(() => work(committed)),
    );
  const decide =
    (decision: "approved" | "dismissed") =>
    (ids?: number[], more: object = {}) => {
      const pending = "SELECT id FROM script_changes WHERE production_id = ? AND status = 'pending' ORDER BY id";
      const all = () => store.database.prepare(pending).pluck().all(production_id) as number[];
      const request = { ids: ids ?? all(), production_id, decision, ...more };
      return decideScriptChanges(localAdmin(store, now), blobs, request, write);
    };
  return {
    store,
    blobs,
    production_id,
    import: importFiles,
    export: async (): Promise<Json> => JSON.parse(await joined(exportDocument(store, blobs, production_id))),
    approve: decide("approved"),
    dismiss: decide("dismissed"),
    changes(status: "pending" | "approved" | "dismissed" | "all" = "pending"): ScriptChange[] {
      const reach = { production_id, engagement_id: null, now };
      return JSON.parse(listScriptChanges.statement(store, { ...reach, status, all_episodes: true }).text).reverse();
    },
    rows: (sql: string): Json[] => store.database.prepare(sql).all(),
    /** The problems for which an import is refused; nothing is written then. */
    async problems(files: PaperFile | PaperFile[], options: Options = {}): Promise<string[]> {
      const before = stateOf(store, production_id);
      try {
        await importFiles(files, options);
      } catch (error) {
        assert.instance(error, CliError);
        assert.is(stateOf(store, production_id), before, "nothing was written");
        return (error as CliError).problems.map(problemText);
      }
      throw new Error("the import was not refused");
    },
  };
}

async function readOf(first: object, flags: Partial<PaperworkFlags>) {
  if (!Array.isArray(first) && !("text" in first)) return checkedDocument(structuredClone(first), "document.json", "");
  const files = [first as PaperFile | PaperFile[]].flat(); // it has a text
  const papers = await Promise.all(
    files.map(async ({ name, text }) => {
      const importer = (await importerOf(name)) as Importer; // a first document that is text is a script
      return { file: name, importer, bytes: Buffer.from(text) };
    }),
  );
  const [planned, ...others] = newProductions(papers, { ...noFlags, ...flags }, { title: undefined, now });
  assert.is(others.length, 0, "one production");
  if (planned === undefined) throw new Error("no script was given");
  return planned.make().read;
}

/** A Fountain file of scenes: each a slugline, and what is below it. */
export const script = (scenes: readonly string[], name = "draft.fountain"): PaperFile => ({
  name,
  text: ["Title: The Test", "", ...scenes.flatMap((scene) => [scene, ""])].join("\n"),
});
