// Creates a production from a checked document: its plan adds everything, and is applied like that of an update.
import { CliError } from "../errors.ts";
import type { Blobs, Staged } from "../store/blobs.ts";
import type { Store } from "../store/database.ts";
import { one } from "../store/statements.ts";
import { apply, discard, type Prepared } from "./apply.ts";
import { mediaOf, stageOne } from "./attachments.ts";
import { sectionNames } from "./changes.ts";
import { explained } from "./constraint.ts";
import { planNew } from "./plan.ts";
import type { ReadDocument } from "./read.ts";
import { fileOfHash, noProduction, StoredProduction } from "./stored.ts";
import type { Writer } from "./writer.ts";

export const productionOfTitle = one<{ title: string }, { id: number }>("import_find_title");

export interface ImportOptions {
  /** The time of the import. */
  now: string;
  /** Is called with the number of rows written so far, after every few thousand rows. */
  progress?: ((rows: number) => void) | undefined;
  /** Records what was applied, in the same transaction. */
  record?: (planned: Prepared, writer: Writer) => void;
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

/** Throws CliError if the database has a production of the document's title. */
export function refuseTaken(store: Store, { file, document }: ReadDocument): void {
  const { title } = document.production;
  const taken = productionOfTitle(store, { title });
  if (taken === undefined) return;
  const sentence = `production.title is taken: production ${taken.id} is "${title}" already; --production ${taken.id} updates it`;
  throw new CliError(`${file}: ${sentence}; nothing was imported`, [], [{ file, sentence }]);
}

/**
 * Stages the bytes of every medium, and puts their hash in the place of the bytes. `staged` is correct also if this throws. No
 * bytes are stored yet, so they are not hashed first.
 */
async function stageAll(blobs: Blobs, { document, folder }: ReadDocument, staged: Map<string, Staged>): Promise<void> {
  for (const media of mediaOf(document)) {
    const one = await stageOne(blobs, media, folder);
    if (staged.has(one.sha256)) await blobs.discard(one);
    else staged.set(one.sha256, one);
    delete media.base64;
    media.file = fileOfHash(one.sha256);
  }
  await blobs.prepare([...staged.values()]);
}

/**
 * Imports a document that readDocument has checked; it cannot be used again. Returns the production's id and counts. Throws CliError
 * if a production with this title exists. If it fails, no row and no bytes remain.
 */
export async function importDocument(
  store: Store,
  blobs: Blobs,
  read: ReadDocument,
  { now, progress, record = () => {} }: ImportOptions,
): Promise<Imported> {
  refuseTaken(store, read);
  const staged = new Map<string, Staged>();
  try {
    await stageAll(blobs, read, staged);
    const planned = planNew(new StoredProduction(store, noProduction), read.document, now);
    const beside = read.beside && {
      isStale: () => false,
      write: (_: unknown, writer: Writer) => read.beside?.(writer),
    };
    const prepared = { ...planned, reading: { documents: [], ...(beside && { beside }) } };
    return await explained(sectionNames, () =>
      store.writeSync(() => {
        refuseTaken(store, read);
        const writer = apply(store, blobs, prepared, staged, { now, progress, record });
        const { production, scenes, assets } = read.document;
        const versions = assets.reduce((sum, asset) => sum + asset.versions.length, 0);
        const { production_id, media, rows } = writer;
        const counts = { scenes: scenes.length, assets: assets.length, versions, media: media.length };
        return { production_id, title: production.title, ...counts, rows: rows + media.length };
      }),
    );
  } finally {
    await discard(blobs, staged);
  }
}
