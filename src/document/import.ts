// Writes a checked document into the database: the whole production in one transaction, or nothing of it.
import { CliError } from "../errors.ts";
import type { Blobs, Staged } from "../store/blobs.ts";
import type { Store } from "../store/database.ts";
import { createMedia } from "../store/media.ts";
import { one } from "../store/statements.ts";
import { insertApprovals } from "./approvals.ts";
import { insertAssets, insertCostumes, insertIngredients, insertVersions } from "./assets.ts";
import { type DocumentMedia, stageMedia } from "./attachments.ts";
import { insertDeliveries } from "./deliveries.ts";
import { insertEngagements, insertGrants } from "./engagements.ts";
import { insertFeeds } from "./feeds.ts";
import { Importer } from "./importer.ts";
import { insertMoney } from "./money.ts";
import { insertProduction } from "./production.ts";
import type { ReadDocument } from "./read.ts";
import { insertSceneAssets, insertScenes, insertSchedule } from "./scenes.ts";
import { insertStorage } from "./storage.ts";

const productionOfTitle = one<{ title: string }, { id: number }>("import_find_title");

export interface ImportOptions {
  /** The moment that new bytes are recorded under. */
  now: string;
  /** Told the rows written so far, every few thousand. */
  progress?: (rows: number) => void;
  /** What else belongs into the same transaction, such as the audit entry. */
  hook?: (production_id: number) => void;
}

export interface Imported {
  production_id: number;
  title: string;
  scenes: number;
  assets: number;
  versions: number;
  media: number;
  /** Every row written, those of the smaller nouns included. */
  rows: number;
}

/** What a row refers to stands before it: the foreign keys are checked row by row. */
const inserts = [
  insertProduction,
  insertEngagements,
  insertIngredients,
  insertScenes,
  insertAssets,
  insertSceneAssets,
  insertCostumes,
  insertVersions,
  insertSchedule,
  insertDeliveries,
  insertApprovals,
  insertGrants,
  insertMoney,
  insertFeeds,
  insertStorage,
];

/** Throws CliError if the database has a production of the document's title. */
export function refuseTaken(store: Store, { file, document }: ReadDocument): void {
  const { title } = document.production;
  const taken = productionOfTitle(store, { title });
  if (taken === undefined) return;
  const sentence = `production.title is taken: production ${taken.id} is "${title}" already`;
  throw new CliError(`${file}: ${sentence}; nothing was imported`, [], [{ file, sentence }]);
}

/**
 * Imports a document that readDocument found sound; answers the production's id and counts. Throws CliError if a
 * production of this title exists. If it fails, no row and no bytes remain.
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
    return store.writeSync(() => {
      const imported = writeDocument(store, blobs, read, staged, now, progress);
      hook?.(imported.production_id);
      return imported;
    });
  } finally {
    for (const one of staged.values()) await blobs.discard(one);
    await blobs.removeUnneeded();
  }
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
  const importer = new Importer(store, read.document, (written) => {
    rows += written;
    if (rows - told < 10_000) return;
    told = rows;
    progress?.(rows);
  });
  for (const insert of inserts) insert(importer);
  importer.flush();
  const { production_id } = importer;
  for (const { media, owner } of importer.media) {
    const { kind, label, created_by, created_at } = media;
    const bytes = staged.get(media) as Staged;
    createMedia(store, blobs, bytes, { production_id, kind, label, created_by, created_at, ...owner }, now);
    rows++;
  }
  const { production, scenes, assets } = read.document;
  const versions = assets.reduce((sum, asset) => sum + asset.versions.length, 0);
  const { length: media } = importer.media;
  return {
    production_id,
    title: production.title,
    scenes: scenes.length,
    assets: assets.length,
    versions,
    media,
    rows,
  };
}
