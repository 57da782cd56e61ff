// Creates a production from a whole document: an update of nothing. Its bytes are staged before its rows are written, in one transaction.
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import type { Store } from "../../../core/store/store.ts";
import type { NewProduction } from "../changes/creation.ts";
import { engine } from "../engine.ts";
import { asSource } from "../match/matching.ts";
import { emptyProduction } from "../nouns/stored.ts";
import type { Writer } from "../nouns/writer.ts";
import { type Plan, type Planned, planUpdate } from "../plan/plan.ts";
import { parseDocument, textOf } from "../read/json.ts";
import { checkedPartial, type DocumentMedia, folderOf, stageOne } from "../read/read.ts";
import { refusedFile } from "../refusals.ts";
import { eachMedium, itemFormOf } from "../sections/form.ts";
import { fileOfHash } from "../sections/references.ts";
import type { ProductionDocument } from "../sections/schema.ts";
import { sectionNames } from "../sections/sections.ts";
import { type ApplyOptions, apply, discardStaged, explainFailure, type UpdateInput } from "./apply.ts";
import { productionOfTitle, refuseDocuments, type WritePlan } from "./update.ts";

/** A sound document of a whole production with what it becomes. */
export interface ReadDocument {
  file: string;
  title: string;
  /** What the `file` paths of its media start from. */
  folder: string;
  plan: Plan;
  /** Undefined if operations make it. */
  planned?: Planned;
  /** What operations make it of. */
  made?: NewProduction;
  /** What else is written in the transaction of the import. */
  beside?: UpdateInput["beside"];
}

export interface Imported {
  production_id: number;
  title: string;
  scenes: number;
  assets: number;
  versions: number;
  media: number;
  /** The number of all written rows. */
  rows: number;
}

/**
 * Reads and checks the document in `file`. Throws CliError: one sentence for a file that is missing, too large,
 * not UTF-8 or not JSON; otherwise a line for each problem with its place and the names of what stands there, such as
 * "scenes[12] (scene 5A).status must be one of …".
 */
export const readDocument = (file: string, text = textOf(file)): ReadDocument =>
  checkedDocument(parseDocument(text, file), file, folderOf(file));

/** A parsed document. Throws CliError with every problem. */
export function checkedDocument(parsed: unknown, file: string, folder: string): ReadDocument {
  const sources = [asSource({ file, media: new Map(), ...checkedPartial(parsed, folder, true) })];
  if (engine.parts !== undefined) {
    const made = engine.parts.newProduction(sources);
    return { file, folder, made, title: String(made.update.production.next.title), plan: made.plan };
  }
  const planned = planUpdate(emptyProduction, sources, {
    is_new: true,
    exact: false,
    dry_run: false,
    now: "",
    surroundings: () => ({ bindings: [], titled: undefined }),
    turnaround: () => 0,
    restore: undefined,
  });
  if (planned?.production === undefined) return refuseDocuments(sources);
  return { file, title: planned.production.title, folder, planned, plan: planned.plan };
}

/** Throws CliError if the database has a production of the document's title. */
export function refuseTakenTitle(store: Store, { file, title }: ReadDocument): void {
  const taken = productionOfTitle(store, { title });
  if (taken === undefined) return;
  const where = `production ${taken.id}`;
  throw refusedFile(file, `production.title is taken: ${where} is "${title}" already; --${where} updates it`);
}

/**
 * Stages the bytes of every medium, and puts their hash in the place of the bytes. `staged` is correct also if this throws. No
 * bytes are stored yet, so they are not hashed first.
 */
async function stageAll(blobs: Blobs, { planned, folder }: ReadDocument, staged: Map<string, Staged>): Promise<void> {
  const all: DocumentMedia[] = [];
  for (const { section, item } of planned?.slots ?? [])
    eachMedium(item, itemFormOf(section), "", (medium) => all.push(medium as DocumentMedia)); // as the schema has it
  for (const media of all) {
    const one = await stageOne(blobs, media, folder);
    if (staged.has(one.sha256)) await blobs.discard(one);
    else staged.set(one.sha256, one);
    delete media.base64;
    media.file = fileOfHash(one.sha256);
  }
  await blobs.prepare([...staged.values()]);
}

/** `write` runs the transaction. */
type ImportOptions = Omit<ApplyOptions, "record"> & Partial<ApplyOptions> & { write?: WritePlan };

/**
 * Imports a document that readDocument has checked; it cannot be used again. Returns the production's id and counts. Throws CliError
 * if a production with this title exists. If it fails, no row and no bytes remain.
 */
export async function importDocument(
  store: Store,
  blobs: Blobs,
  read: ReadDocument,
  { now, progress, record = () => {}, write = async (work) => store.writeSync(() => work()) }: ImportOptions,
): Promise<Imported> {
  const { planned } = read;
  if (planned === undefined) {
    if (engine.parts === undefined) throw new Error("the document was read for another engine");
    return engine.parts.createByOperations(store, blobs, read, {
      now,
      ...(progress && { progress }),
      write,
      record: () => {},
    });
  }
  refuseTakenTitle(store, read);
  const staged = new Map<string, Staged>();
  try {
    await stageAll(blobs, read, staged);
    const prepared = { ...planned, reading: { documents: [], ...(read.beside && { beside: read.beside }) } };
    let writer: Writer | undefined;
    await explainFailure(sectionNames, () =>
      write((at = now) => {
        refuseTakenTitle(store, read);
        writer = apply(store, blobs, prepared, staged, { now: at, progress, record });
        return planned.plan;
      }),
    );
    const { production_id, media, rows } = writer as Writer; // it was written
    const counts = { ...countsOf(planned), media: media.length };
    return { production_id, title: read.title, ...counts, rows: rows + media.length };
  } finally {
    await discardStaged(blobs, staged);
  }
}

function countsOf({ slots }: Planned): Pick<Imported, "scenes" | "assets" | "versions"> {
  const assets = slots.filter(({ section }) => section === "assets").map(({ item }) => item); // parsed as assets
  // They were chosen by their section.
  const versions = (assets as ProductionDocument["assets"]).reduce((sum, asset) => sum + asset.versions.length, 0);
  return { scenes: slots.filter(({ section }) => section === "scenes").length, assets: assets.length, versions };
}
