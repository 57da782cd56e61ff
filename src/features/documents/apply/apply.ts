// Writes what a plan says in one transaction, of a production that is updated or created.

import type { ProductionId } from "../../../core/ids.ts";
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import { change } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { refuseFrozen } from "../../../core/store/transactions.ts";
import type { Turned } from "../changes/prepare.ts";
import type { ScriptEntry } from "../difference.ts";
import { type Changes, removeThings, writeChanges, writeMedia, writeOrders } from "../nouns/changes.ts";
import { type Entry, type SectionChanges, writeProduction } from "../nouns/rows.ts";
import { noProduction } from "../nouns/stored.ts";
import { type Ids, lastIdsOf, Writer } from "../nouns/writer.ts";
import type { Planned, PlannedChange, PlannedSlot, Restore } from "../plan/plan.ts";
import { type InputDocument, stageOne } from "../read/read.ts";
import { notImported } from "../refusals.ts";
import { isRecord, parsedItem, type Raw } from "../sections/form.ts";
import { hashOfFile, idIn, isReference } from "../sections/references.ts";
import { forSections, orderAt, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import type { Written } from "./written.ts";

export const touchNodes = change("touch_shown_nodes");

export interface ApplyOptions {
  /** The time of the update. */
  now: string;
  /** Is called with the number of rows written so far, after every few thousand rows. */
  progress?: ((rows: number) => void) | undefined;
  /** Records what was applied, in the same transaction. */
  record(planned: PreparedUpdate, writer: Writer): void;
}

/** The documents of an update, and what else is written in its transaction. */
export interface UpdateInput {
  documents: readonly InputDocument[];
  /** What is changed by the ids of things. The first document is empty then. */
  restore?: Restore;
  warnings?: readonly string[];
  /** The thing that is removed, by its id. The first document is empty then. */
  removal?: { section: SectionName; id: number };
  /** What makes the things by operations. The first document is empty then. */
  turn?: Turned;
  /** Set if something is written even if no document changes anything. */
  beside?: {
    write(planned: Pick<Planned, "plan">, written: Written): void;
    /** Changes of rows that no document has, for the change set, once they are written. */
    changes?: readonly PlannedChange[];
    /** What was done to the stored script, once it is written. */
    script?: readonly ScriptEntry[];
    /** What rows of the stored script refer to no longer, such as "scene 12". */
    frees?: ReadonlySet<string>;
  };
}

/** A plan with the documents that it was made of. */
export type PreparedUpdate = Planned & { reading: UpdateInput };

/** The changes of a plan with the ids of what is added, which the plan gets too, and `added` by reference. `next` gives the next id of a table. */
function changesToWrite(
  { production, slots, plan, target }: Planned,
  added: Map<string, number>,
  next: (table: string) => number,
): Changes {
  const lists = forSections((): Record<keyof SectionChanges, Entry[]> => ({ added: [], changed: [], removed: [] }));
  for (const { section, slot, change, item, stored } of slots) {
    const own = lists(section);
    const id = slot.id ?? next(sections[section].table);
    if (slot.id === undefined) added.set(slot.ref, id);
    const order = slot.order ?? orderAt(section, target.stored.last(section) + own.added.length);
    const list = slot.stored === undefined ? "added" : slot.gone ? "removed" : "changed";
    own[list].push({ id, item, order, row: slot.stored?.row, stored });
    if (change !== undefined) change.id = id;
  }
  const changing = new Set(slots.map(({ slot }) => slot));
  for (const section of new Set(slots.map((one) => one.section)))
    for (const slot of target.slots(section)) {
      const { stored } = slot;
      // A reference that was generated because two things share a label is stored before it could change.
      if (!stored?.hasGeneratedRef || changing.has(slot)) continue;
      const item = parsedItem(section, stored.raw);
      const { id, order, row } = stored;
      lists(section).changed.push({ id, item, order, row, stored: item });
    }
  for (const change of plan.changes) if (change.section === "production") change.id = plan.production_id;
  return { production, of: lists };
}

/** A value with another time in place of the one that the plan was made at. */
function retimed(value: unknown, from: string, to: string): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((one) => retimed(one, from, to));
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, retimed(one, from, to)]))
    : value;
}

/** Gives what has the time of the update that of its commit: in what is written, and in what the plan tells. */
function settleTimes({ slots, target }: Planned, now: string): void {
  const { now: from } = target.options;
  for (const planned of from === now ? [] : slots)
    for (const field of planned.slot.timed) {
      planned.item = { ...planned.item, [field]: retimed(planned.item[field], from, now) };
      const { change } = planned;
      const printed = change?.fields[field];
      if (printed !== undefined) printed.to = retimed(printed.to, from, now);
      if (change !== undefined && sections[planned.section].key?.includes(field))
        change.key = change.key.replace(from, now);
    }
}

/** The scenes and assets whose row in a list shows something of a thing that changes, by reference. */
function shownIn({ section, slot: { before = {}, item, gone } }: PlannedSlot): Iterable<string> {
  const referred = (thing: Raw) =>
    // As the schema has them.
    section === "schedule" ? ((thing.scenes ?? []) as string[]) : [thing.scene ?? thing.asset].filter(isReference);
  if (section !== "schedule" && section !== "department_notes" && section !== "notes") return [];
  const [was, is] = [new Set(referred(before)), new Set(gone ? [] : referred(item))];
  return section === "schedule" ? was.symmetricDifference(is) : was.union(is);
}

/** Moves the time of the last change of scenes and assets whose row in a list is another because of other things. */
function touchShown({ store, production_id, now, idOf }: Writer, { slots }: Planned): void {
  const renamed = (section: SectionName, field: string) =>
    slots.flatMap((one) => (one.section === section && one.fields.includes(field) ? (one.slot.id ?? []) : []));
  const nodes = slots.flatMap((one) => [...shownIn(one)].map(idOf));
  const [departments, episodes] = [renamed("departments", "slug"), renamed("episodes", "code")];
  if (nodes.length + departments.length + episodes.length === 0) return;
  // A text for each of three lists.
  const [of, in_departments, in_episodes] = [nodes, departments, episodes].map((ids) => JSON.stringify(ids)) as [
    string,
    string,
    string,
  ];
  touchNodes(store, { production_id, now, nodes: of, departments: in_departments, episodes: in_episodes });
}

/** What is told of the update to what is written beside it. */
export function writtenOf({ plan, slots }: Planned, writer: Writer): Written {
  const { store, production_id, now, tables, rows } = writer;
  return {
    ...{ store, production_id: production_id as ProductionId, now, tables, rows }, // that of the update
    id: writer.id.bind(writer) as Written["id"], // as the writer has it
    added(section, file) {
      const first = plan.changes.length - slots.length;
      const added = slots.flatMap((one, at) => {
        const place = one.slot.given.at(-1);
        if (one.section !== section || one.slot.stored !== undefined || place?.source.file !== file) return [];
        return [{ at: place.at, id: plan.changes[first + at]?.id as number }]; // an applied change has its id
      });
      return added.sort((one, other) => one.at - other.at).map(({ id }) => id);
    },
  };
}

/** Writes what was planned. Inside a write transaction. The plan gets the ids of what is added. */
export function apply(
  store: Store,
  blobs: Blobs,
  planned: PreparedUpdate,
  staged: ReadonlyMap<string, Staged>,
  { now, progress, record }: ApplyOptions,
): Writer {
  const { plan, production, reading } = planned;
  const last = lastIdsOf(store);
  const isNew = plan.production_id === noProduction;
  if (isNew) plan.production_id = last.next("productions");
  const { production_id } = plan;
  refuseFrozen(store, production_id);
  const added = new Map<string, number>();
  settleTimes(planned, now);
  const changes = changesToWrite(planned, added, last.next);
  const idOf = (reference: string) => added.get(reference) ?? idIn(reference);
  const ids: Ids = (noun, name) => {
    const reference = planned.target.names.of(noun).get(name);
    return reference === undefined ? undefined : idOf(reference);
  };
  const writer = new Writer(store, { production_id, now, ids, idOf, last, progress });
  if (isNew && production !== undefined) writeProduction(writer, production, isNew);
  removeThings(writer, changes);
  const moved = movedScenes(planned);
  if (moved.length > 0) writeOrders(writer, moved);
  writeChanges(writer, changes);
  if (!isNew) {
    if (production !== undefined) writeProduction(writer, production, isNew);
    touchShown(writer, planned);
  }
  writeMedia(writer, blobs, ({ file }) => staged.get(hashOfFile(file) as string) as Staged); // all of them are staged
  reading.beside?.write(planned, writtenOf(planned, writer));
  record(planned, writer);
  return writer;
}

/** The stored scenes whose position in the script order is another one. */
function movedScenes({ target }: Planned): { id: number; order: number }[] {
  if (!target.touched.includes("scenes")) return [];
  return target.slots("scenes").flatMap(({ stored, order }) => {
    return stored === undefined || order === undefined || order === stored.order ? [] : [{ id: stored.id, order }];
  });
}

/** The hashes of the media that a plan writes: also of bytes that the thing has already, under another label or once more. */
export const newMedia = ({ slots }: Planned): Set<string> =>
  new Set(
    slots.flatMap(({ slot }) => {
      const stored = Map.groupBy(mediaIn(slot.before), textOfMedium);
      return mediaIn(slot.item).flatMap((medium) =>
        // Only media with a hash are listed.
        stored.get(textOfMedium(medium))?.pop() === undefined ? [hashOfFile(medium.file) as string] : [],
      );
    }),
  );

const textOfMedium = (medium: Raw): string => JSON.stringify(Object.entries(medium).sort());

const mediaIn = (value: unknown): Raw[] => {
  if (typeof value !== "object" || value === null) return [];
  // An object that is no list.
  if (!Array.isArray(value) && hashOfFile((value as Raw).file) !== undefined) return [value as Raw];
  return Object.values(value).flatMap(mediaIn);
};

/** Stages the bytes that a plan needs and that are not staged yet. */
export async function stageNew(
  blobs: Blobs,
  documents: readonly InputDocument[],
  planned: Planned,
  staged: Map<string, Staged>,
): Promise<void> {
  for (const sha256 of newMedia(planned)) {
    if (staged.has(sha256)) continue;
    const given = documents.find(({ media }) => media.has(sha256))?.media.get(sha256);
    const found = given ?? { media: { file: blobs.fileOf(sha256) }, folder: "" }; // what an undo brings back is stored
    const one = await stageOne(blobs, found.media, found.folder);
    if (one.sha256 !== sha256) throw notImported(`${found.media.file} changed while it was read`);
    staged.set(sha256, one);
    await blobs.prepare([one]);
  }
}

/** Discards what was staged and not stored. */
export async function discardStaged(blobs: Blobs, staged: ReadonlyMap<string, Staged>): Promise<void> {
  for (const one of staged.values()) await blobs.discard(one);
  await blobs.removeUnneeded();
}

/** What a trigger refuses is no constraint of a table: it stays an internal error. */
const isConstraint = (error: unknown): error is Error =>
  // Whatever was thrown.
  /^SQLITE_CONSTRAINT(?!_TRIGGER)/.test(String((error as { code?: unknown } | null)?.code ?? ""));

/** The table and the column that the message of SQLite names, such as "vendors.name". */
function columnOf({ message }: Error): { table: string; column: string } | undefined {
  const [, table, column] = /^(\w+)\.(\w+)$/.exec(message.slice(message.lastIndexOf(" ") + 1)) ?? [];
  return table === undefined || column === undefined ? undefined : { table, column };
}

/** Does `work`, which writes changes of the `touched` sections. Throws CliError where the database refuses one of them. */
export async function explainFailure<T>(touched: readonly SectionName[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConstraint(error)) throw error;
    const found = columnOf(error);
    const has = (name: SectionName) =>
      found !== undefined && (sections[name].table === found.table || sections[name].tables.includes(found.table));
    const named = sectionNames.find((name) => touched.includes(name) && has(name));
    const where = named ?? (touched.join(", ") || "the production");
    const what = found === undefined ? "" : ` (${found.table}, ${found.column})`;
    const refusal = notImported(`the database does not allow what ${where} would become${what}`);
    throw Object.assign(refusal, { problems: [{ sentence: refusal.message }], cause: error });
  }
}
