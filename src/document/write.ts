// Writes changes of a production into the database, in an order in which every row finds the rows that it refers to.
import type { Blobs, Staged } from "../store/blobs.ts";
import { createMedia } from "../store/media.ts";
import { removeApprovals, writeApprovals } from "./approvals.ts";
import {
  removeAssets,
  removeIngredients,
  writeAssets,
  writeCostumes,
  writeIngredients,
  writeVersions,
} from "./assets.ts";
import type { DocumentMedia } from "./attachments.ts";
import type { Changes } from "./changes.ts";
import { removeDeliveries, writeDeliveries } from "./deliveries.ts";
import { removeEngagements, writeEngagements, writeGrants } from "./engagements.ts";
import { writeFeeds } from "./feeds.ts";
import { writeMoney } from "./money.ts";
import { removePeople, writeDepartments, writeEpisodes, writePeople } from "./production.ts";
import { removeScenes, writeSceneAssets, writeSceneNodes, writeScenes, writeSchedule } from "./scenes.ts";
import { writeStorage } from "./storage.ts";
import type { Writer } from "./writer.ts";

const steps: readonly ((writer: Writer, changes: Changes) => void)[] = [
  writeEpisodes,
  writeDepartments,
  writePeople,
  writeEngagements,
  writeIngredients,
  writeSceneNodes,
  writeScenes,
  writeAssets,
  writeSceneAssets,
  writeCostumes,
  writeVersions,
  writeSchedule,
  writeDeliveries,
  writeApprovals,
  writeGrants,
  writeMoney,
  writeFeeds,
  writeStorage,
];

const removals: typeof steps = [
  removeApprovals,
  removeDeliveries,
  removeAssets,
  removeIngredients,
  removeEngagements,
  removePeople,
];

/**
 * Removes what an undo takes back before anything is written, because what comes back may have its unique name. References to it are
 * checked at the commit.
 */
export function removeFirst(writer: Writer, changes: Changes): void {
  writer.store.database.pragma("defer_foreign_keys = ON");
  for (const step of [removeScenes, ...removals]) step(writer, changes);
}

/** Writes everything but the production's own row and the media. Inside a write transaction. */
export function writeChanges(writer: Writer, changes: Changes, areRemoved = false): void {
  for (const step of [...steps, ...(areRemoved ? [] : removals)]) step(writer, changes);
  writer.flush();
}

/** Stores the media of the written rows. `stagedOf` returns the staged bytes of a media item. */
export function writeMedia(writer: Writer, blobs: Blobs, stagedOf: (media: DocumentMedia) => Staged): void {
  const { store, production_id, now } = writer;
  for (const { media, owner } of writer.media) {
    const { kind, label, created_by, created_at } = media;
    createMedia(store, blobs, stagedOf(media), { production_id, kind, label, created_by, created_at, ...owner }, now);
  }
}
