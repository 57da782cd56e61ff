// Reads and writes the rows of every section, in an order in which every row finds the rows that it refers to.
import type { Blobs, Staged } from "../../store/blobs.ts";
import { createMedia } from "../../store/media.ts";
import type { DocumentMedia } from "../read/attachments.ts";
import type { Changes, SectionName } from "../sections/sections.ts";
import { approvals } from "./approvals.ts";
import { assets, ingredients } from "./assets.ts";
import type { Rows } from "./columns.ts";
import { deliveries } from "./deliveries.ts";
import { engagements, vendors } from "./engagements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { activity, department_notes, jobs, notes, script_changes } from "./history.ts";
import { cost_reports, purchase_orders } from "./money.ts";
import { departments, episodes, people } from "./production.ts";
import { linkCalls, scenes, schedule } from "./scenes.ts";
import { storage } from "./storage.ts";
import type { Writer } from "./writer.ts";

const rows: { readonly [S in SectionName]: Rows<S> } = {
  ...{ episodes, departments, people, ingredients, scenes, assets, schedule, vendors, engagements, deliveries },
  ...{ approvals, department_notes, notes, purchase_orders, cost_reports, script_changes, jobs, activity, storage },
};

/** The order of writing; it is reversed for removing. The lists of an entry of two are written at its second place. */
const order = [
  ...["episodes", "departments", "people", "vendors", "engagements", "ingredients", "scenes", "assets"],
  ...["scenes", "schedule", "deliveries", "approvals", "engagements", "purchase_orders", "cost_reports"],
  ...["department_notes", "notes", "script_changes", "jobs", "activity", "storage"],
] as const satisfies readonly SectionName[];

/** The things of a section as they are stored, in the order of the document. */
export const collect = (exporter: Exporter, section: SectionName): Row[] => rows[section].collect(exporter);

/**
 * Removes what goes. An undo removes it before anything is written, because what comes back may have its unique name; references to
 * it are then checked at the commit.
 */
export function removeThings(writer: Writer, changes: Changes, isFirst: boolean): void {
  if (isFirst) writer.store.database.pragma("defer_foreign_keys = ON");
  const remove = <S extends SectionName>(section: S): void => {
    const { removed } = changes.of(section);
    if (removed.length > 0) rows[section].remove(writer, removed);
  };
  for (const section of [...new Set(order)].reverse()) remove(section);
}

/** Writes everything but the production's own row and the media. Inside a write transaction. */
export function writeChanges(writer: Writer, changes: Changes): void {
  const write = <S extends SectionName>(section: S, at: number): void => {
    const own = changes.of(section);
    if (own.added.length + own.changed.length + own.removed.length === 0) return;
    if (order.indexOf(section) === at) rows[section].write(writer, own);
    if (order.lastIndexOf(section) === at) rows[section].writeLists(writer, own);
  };
  order.forEach(write);
  writer.flush();
  linkCalls(writer);
}

/** Stores the media of the written rows. `stagedOf` returns the staged bytes of a media item. */
export function writeMedia(writer: Writer, blobs: Blobs, stagedOf: (media: DocumentMedia) => Staged): void {
  const { store, production_id, now } = writer;
  for (const { media, owner } of writer.media) {
    const { kind, label, created_by, created_at } = media;
    createMedia(store, blobs, stagedOf(media), { production_id, kind, label, created_by, created_at, ...owner }, now);
  }
}
