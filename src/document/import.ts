// Writes a checked document into the database: the complete production in one transaction, or nothing.
import { CliError } from "../errors.ts";
import type { Blobs, Staged } from "../store/blobs.ts";
import type { Store } from "../store/database.ts";
import { one } from "../store/statements.ts";
import { type DocumentMedia, stageMedia } from "./attachments.ts";
import type { Changes, Entry, Item, SectionName } from "./changes.ts";
import { sectionNames } from "./changes.ts";
import { explained } from "./constraint.ts";
import { nameOf, nouns } from "./names.ts";
import { writeNewProduction } from "./production.ts";
import type { ReadDocument } from "./read.ts";
import type { ProductionDocument } from "./schema.ts";
import { orderAt, sections } from "./sections.ts";
import { writeChanges, writeMedia } from "./write.ts";
import { type Ids, lastIdsOf, Writer } from "./writer.ts";

export const productionOfTitle = one<{ title: string }, { id: number }>("import_find_title");

export interface ImportOptions {
  /** The timestamp with which new bytes are recorded. */
  now: string;
  /** Is called with the number of rows written so far, after every few thousand rows. */
  progress?: (rows: number) => void;
  /** Other writes of the same transaction, such as the audit entry. */
  hook?: (production_id: number) => void;
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
 * Imports a document that readDocument has checked. Returns the production's id and counts. Throws CliError if a production with this
 * title exists. If it fails, no row and no bytes remain.
 */
export async function importDocument(
  store: Store,
  blobs: Blobs,
  read: ReadDocument,
  { now, progress, hook }: ImportOptions,
): Promise<Imported> {
  refuseTaken(store, read);
  const staged = new Map<DocumentMedia, Staged>();
  try {
    await stageMedia(blobs, read.document, read.folder, staged);
    await blobs.prepare([...staged.values()]);
    return await explained(sectionNames, () =>
      store.writeSync(() => {
        const imported = writeDocument(store, blobs, read, staged, now, progress);
        hook?.(imported.production_id);
        return imported;
      }),
    );
  } finally {
    for (const one of staged.values()) await blobs.discard(one);
    await blobs.removeUnneeded();
  }
}

/** The ids that a new production's things get, in the document's order, by name. */
function allocate(document: ProductionDocument, next: (table: string) => number): { ids: Ids; changes: Changes } {
  const ids = new Map(nouns.map((noun) => [noun, new Map<string, number>()]));
  const lists = new Map<SectionName, Entry<SectionName>[]>();
  for (const name of sectionNames) {
    const { noun, table } = sections[name];
    const items: readonly Item<SectionName>[] = document[name];
    const entries = items.map((item, at) => ({ id: next(table), item, order: orderAt(name, at), row: undefined }));
    if (noun !== undefined) for (const { id, item } of entries) ids.get(noun)?.set(nameOf(noun, item) as string, id);
    lists.set(name, entries);
  }
  const changes: Changes = {
    production: document.production,
    // Each section's entries were made of that section's items.
    of: <S extends SectionName>(name: S) => ({ added: lists.get(name) as Entry<S>[], changed: [], removed: [] }),
  };
  return { ids: (noun, name) => ids.get(noun)?.get(name), changes };
}

function writeDocument(
  store: Store,
  blobs: Blobs,
  read: ReadDocument,
  staged: ReadonlyMap<DocumentMedia, Staged>,
  now: string,
  progress: ImportOptions["progress"],
): Imported {
  refuseTaken(store, read);
  let rows = 0;
  let told = 0;
  const wrote = (written: number): void => {
    rows += written;
    if (rows - told < 10_000) return;
    told = rows;
    progress?.(rows);
  };
  const last = lastIdsOf(store);
  const production_id = last.next("productions");
  const { ids, changes } = allocate(read.document, last.next);
  const writer = new Writer(store, { production_id, now, ids, last, wrote });
  writeNewProduction(writer, read.document.production);
  writeChanges(writer, changes);
  writeMedia(writer, blobs, (media) => staged.get(media) as Staged); // every medium of the document was staged
  read.beside?.(writer);
  const { production, scenes, assets } = read.document;
  const versions = assets.reduce((sum, asset) => sum + asset.versions.length, 0);
  const { length: media } = writer.media;
  return {
    production_id,
    title: production.title,
    scenes: scenes.length,
    assets: assets.length,
    versions,
    media,
    rows: rows + media,
  };
}
