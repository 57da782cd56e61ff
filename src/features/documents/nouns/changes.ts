// Writes the changes of an update: what goes, what is added and changed in every section, what follows from it, and the media.
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import { change, many } from "../../../core/store/statements.ts";
import { createMedia } from "../../../graph/media_rows.ts";
import { settleVersion } from "../../../graph/version_status.ts";
import type { DocumentMedia } from "../read/read.ts";
import { type Production, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { columnOfNoun, firstNamed } from "./columns.ts";
import { removeRows, type SectionChanges, writeLists, writeRows } from "./rows.ts";
import type { Writer } from "./writer.ts";

/** What an update writes. */
export interface Changes {
  /** The production itself, if it is new or changed. */
  production: Production | undefined;
  of(section: SectionName): SectionChanges;
}

export const forgetInActivity = change("forget_node_in_activity");
/** What is done before a thing is removed. Without their engagement, sessions would show everything. */
export const endSessions = change("delete_sessions_as");
const leaving = { scenes: forgetInActivity, assets: forgetInActivity, engagements: endSessions };
const leavingOf: { [S in SectionName]?: (typeof leaving)[keyof typeof leaving] } = leaving;

/**
 * Removes what goes, before anything is written, because what is added may have its unique name. References to it are checked at the
 * commit.
 */
export function removeThings(writer: Writer, changes: Changes): void {
  const { store, production_id } = writer;
  store.database.pragma("defer_foreign_keys = ON");
  for (const section of sectionNames.toReversed()) {
    const { removed } = changes.of(section);
    if (removed.length === 0) continue;
    const leave = leavingOf[section];
    writer.flush();
    for (const { id } of leave === undefined ? [] : removed) leave?.(store, { production_id, id });
    removeRows(writer, section, removed);
  }
}

/**
 * Writes everything but the production's own row and the media, in the order of the document. Inside a write transaction. What shares a table
 * refers to each other: the lists of scenes and assets follow the rows of both.
 */
export function writeChanges(writer: Writer, changes: Changes): void {
  const isChanged = (section: SectionName) => Object.values(changes.of(section)).some(({ length }) => length > 0);
  for (const [, group] of Map.groupBy(sectionNames.filter(isChanged), (section) => sections[section].table)) {
    for (const section of group) writeRows(writer, section, changes.of(section));
    for (const section of group) {
      const { added, changed } = changes.of(section);
      writeLists(writer, section, [...added, ...changed]);
    }
    if (group.includes("approvals")) settleVersions(writer, changes.of("approvals"));
  }
  writer.flush();
  linkCalls(writer);
}

/**
 * The versions that written approvals are about have the status that these decide; one whose approval is pending again, as an undo makes it, has
 * its former one.
 */
function settleVersions(writer: Writer, { added, changed }: SectionChanges): void {
  const { store, production_id, now } = writer;
  writer.flush();
  writer.tables.add("versions");
  for (const { id, item, stored } of [...added, ...changed]) {
    if (item.version === undefined) continue;
    const isDecidedNow = stored !== undefined && stored.status !== item.status;
    if (item.version_status !== undefined && !isDecidedNow) continue;
    const isSame = stored?.asset === item.asset && stored?.version === item.version;
    const former = isSame && item.version_status === undefined ? stored?.version_status : undefined;
    if (typeof former === "string") writer.update({ table: "approvals", key: "id" }, id, { version_status: former });
    settleVersion(store, { production_id, approval_id: id, now }, former !== undefined);
  }
}

/** Gives stored scenes another position in the script order. */
export function writeOrders(writer: Writer, moved: readonly { id: number; order: number }[]): void {
  const scenes = { table: "scenes", key: "node_id" };
  for (const { id } of moved) writer.update(scenes, id, { script_order: -id });
  for (const { id, order } of moved) writer.update(scenes, id, { script_order: order });
}

type UnlinkedCall = { shoot_day_id: number; position: number; who: string };
export const unlinkedCalls = many<{ production_id: number }, UnlinkedCall>("list_unlinked_calls");
const linkCall = change("link_call");
/** What a call may name, in this order, and in which column. */
const callable = (["asset", "person", "department"] as const).map((noun) => [noun, columnOfNoun(noun)] as const);

/** Links the calls that name what was added or renamed since they were written. */
function linkCalls(writer: Writer): void {
  const { store, production_id } = writer;
  const none = { node_id: null, person_id: null, department_id: null };
  for (const { who, ...call } of unlinkedCalls(store, { production_id })) {
    const [column, id] = firstNamed(callable, (noun) => writer.ids(noun, who)) ?? [];
    if (column === undefined || id === undefined) continue;
    linkCall(store, { production_id, ...call, ...none, [column]: id });
    writer.tables.add("day_calls");
  }
}

/** Stores the media of the written rows. `stagedOf` returns the staged bytes of a media item. */
export function writeMedia(writer: Writer, blobs: Blobs, stagedOf: (media: DocumentMedia) => Staged): void {
  const { store, production_id, now } = writer;
  for (const { media, owner } of writer.media) {
    const { kind, label, created_by, created_at } = media;
    const row = { production_id, kind, label, created_by, created_at, ...owner };
    createMedia(store, blobs, stagedOf(media), row, now, 1);
  }
}
