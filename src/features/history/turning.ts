// Makes an update of the operations of a change set turned round: what it added goes, what it changed is as before, and what it removed comes back with
// its id. Finds what was changed again since.
import { isDeepStrictEqual } from "node:util";
import { composed } from "../../core/store/composed.ts";
import { many } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { type AnySection, canonical, layoutOf } from "../documents/changes/layout.ts";
import { rowsAt } from "../documents/changes/replay.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Row, StoredRows } from "../documents/changes/rows.ts";
import { losesDecisions } from "../documents/changes/steps.ts";
import { calledIn, type Item, placeColumn, type Update } from "../documents/changes/update.ts";
import type { ScriptEntry } from "../documents/difference.ts";
import type { Raw } from "../documents/sections/form.ts";
import { type SectionName, sections } from "../documents/sections/sections.ts";
import { type Against, conflictsOf, laterChanges } from "./conflicts.ts";
import { copyOf, patch } from "./patching.ts";

type StoredOperation = {
  section: AnySection;
  thing: number;
  field: string;
  of_table: string;
  key: string;
  before: string;
  after: string;
};
const operationsOfSet = many<{ id: number }, StoredOperation>("list_operations");
/** The operations of a change set turned round, the last one first. */
export const turnedOperations = (store: Store, id: number): RowOperation[] =>
  operationsOfSet(store, { id }).map(({ section, thing, field, of_table, key, before, after }) => ({
    ...{ section, id: thing, field, table: of_table },
    ...{ key: JSON.parse(key), from: JSON.parse(after), to: JSON.parse(before) }, // as they were recorded
  }));

export class Turning {
  readonly #store: Store;
  readonly #update: Update;
  readonly #against: Against;
  readonly operations: RowOperation[];
  readonly conflicts: string[] = [];
  /** Those of the script changes that the set raised: the feature of scripts says what stands against their undo. */
  readonly #raised: ReadonlySet<number>;

  constructor(store: Store, update: Update, against: Against) {
    [this.#store, this.#update, this.#against] = [store, update, against];
    const entries = against.script ?? [];
    this.#raised = new Set(entries.flatMap(({ table, id }) => (table === "script_changes" ? [id] : [])));
    this.operations = [
      ...this.#placed(turnedOperations(store, against.id).map((one) => this.#present(one))),
      ...entries.flatMap((entry) => this.#ofEntry(entry)),
    ];
  }

  /** A raised script change goes as it is now. */
  #present(operation: RowOperation): RowOperation {
    if (!this.#isRaised(operation)) return operation;
    const [row = null] = rowsAt(this.#store.database, operation.table, operation.key);
    return { ...operation, from: row };
  }

  /** A decision changed the row of a script change. */
  #ofEntry({ table, id, from }: ScriptEntry): RowOperation[] {
    if (table !== "script_changes" || from === null) return [];
    const [row] = rowsAt(this.#store.database, table, { id });
    if (row === undefined) return [];
    const now = Object.fromEntries(Object.keys(from).map((column) => [column, row[column] ?? null]));
    return [{ section: "script_changes", id, field: "", table, key: { id }, from: now, to: { ...from } }];
  }

  /** A scene that comes back to a place that another one has by now stands before that one. */
  #placed(operations: readonly RowOperation[]): RowOperation[] {
    const isPlaced = ({ table, to }: RowOperation) => table === "scenes" && to !== null && "script_order" in to;
    const own = operations.filter(isPlaced).map(({ id }) => id);
    if (own.length === 0) return [...operations];
    const sql =
      "SELECT script_order AS place FROM scenes WHERE production_id = ? AND node_id NOT IN (SELECT value FROM json_each(?))";
    const others = composed<{ place: number }>(this.#store.database, sql).all(
      this.#against.production_id,
      JSON.stringify(own),
    );
    const taken = new Set(others.map(({ place }) => place));
    return operations.map((one) => {
      const { to } = one;
      if (!isPlaced(one) || to === null || Array.isArray(to)) return one;
      let place = Number(to.script_order);
      while (taken.has(place)) place--;
      taken.add(place);
      return { ...one, to: { ...to, script_order: place } };
    });
  }

  /** Makes the things of the update, and finds what stands against it. */
  run(): void {
    const update = this.#update;
    const [source] = update.sources;
    if (source === undefined) return;
    source.was_stored = true;
    for (const [section, operations] of Map.groupBy(this.operations, (one) => one.section)) {
      if (section === "production") this.#turnProduction(operations);
      else this.#turnSection(section, operations);
    }
    this.#rename();
    for (const [section, operations] of Map.groupBy(this.operations, (one) => one.section))
      if (section !== "production") this.#makeThings(section, operations);
  }

  readonly #patched = new Map<SectionName, Map<number, StoredRows | undefined>>();

  #turnProduction(operations: readonly RowOperation[]): void {
    const { production, rows, sources } = this.#update;
    this.#findConflicts(operations, true);
    const next = operations.reduce<StoredRows | undefined>(patch, production.stored);
    const { tables, fields } = layoutOf("production");
    if (next !== undefined) production.next = canonical(fields, rows.thing(tables, fields, next));
    const [source] = sources;
    if (source !== undefined) production.given.push(source);
  }

  #turnSection(section: SectionName, operations: readonly RowOperation[]): void {
    const update = this.#update;
    const byThing = Map.groupBy(operations, ({ id }) => id);
    const items = update.items(section, [...byThing.keys()]);
    const patched = new Map<number, StoredRows | undefined>();
    for (const [id, own] of byThing) {
      const item = items.get(id);
      const isAdded = own.some(
        ({ table, field, from }) => field === "" && table === sections[section].table && from === null,
      );
      if (item !== undefined || isAdded)
        patched.set(id, own.reduce<StoredRows | undefined>(patch, item?.stored && copyOf(item.stored)));
      if (item === undefined && isAdded) update.add(section, id).returns = true;
      if (item?.stored !== undefined && patched.has(id) && patched.get(id) === undefined) this.#findRest(item, own);
      this.#findConflicts(own, item !== undefined || isAdded);
    }
    this.#patched.set(section, patched);
  }

  /** What was added to the lists of a thing since, which would go with it. */
  #findRest({ section, id, stored }: Item, operations: readonly RowOperation[]): void {
    const { tables, fields } = layoutOf(section);
    const inLists = operations.filter(
      ({ field, table }) => field !== "" || (table !== tables.table && table !== tables.rest?.table),
    );
    const rest = inLists.reduce<StoredRows | undefined>(patch, stored && copyOf(stored));
    const since = laterChanges(this.#store, this.#against, section, id);
    for (const { name, part, item } of fields) {
      const rows = part === undefined ? [] : (rest?.lists[name] ?? []);
      const own =
        part?.table === "delivery_nodes"
          ? rows.filter(({ row }) => this.#update.rows.fits(item?.noun, row[part.to]))
          : rows;
      if (own.length > 0)
        this.conflicts.push(`${this.#called({ section, id })}: ${name} was changed since${since(name) ?? ""}`);
    }
    if ((rest?.media.length ?? 0) > 0)
      this.conflicts.push(`${this.#called({ section, id })}: media was changed since${since("media") ?? ""}`);
  }

  /** Gives things the names that they will have. */
  #rename(): void {
    const { names } = this.#update;
    const named: { section: SectionName; id: number; row: Row }[] = [];
    for (const [section, patched] of this.#patched) {
      const { noun } = sections[section];
      if (noun === undefined) continue;
      for (const [id, next] of patched) {
        const former = names.of(noun).byId.get(id);
        if (former !== undefined && names.of(noun).ids.get(former) === id) names.of(noun).leave(former);
        if (next !== undefined) named.push({ section, id, row: next.row });
      }
    }
    for (const { section, id, row } of named) {
      const { noun } = sections[section];
      const item =
        section === "scenes" ? { number: row.number, episode: row.episode_id ?? undefined } : withoutNull(row);
      const name = noun && names.nameIn(section, item);
      if (noun !== undefined && name !== undefined) names.of(noun).set(id, name);
      if (section === "episodes") names.renameScenes();
    }
  }

  #makeThings(section: SectionName, operations: readonly RowOperation[]): void {
    const update = this.#update;
    const [source] = update.sources;
    const { tables, fields } = layoutOf(section);
    const column = placeColumn(section);
    if (source === undefined) return;
    update.touched.set(section, source);
    const list: Raw[] = [];
    source.document[section] = list;
    for (const [id, stored] of this.#patched.get(section) ?? []) {
      const item = update.items(section).get(id);
      if (item === undefined) continue;
      item.next = stored === undefined ? undefined : canonical(fields, update.rows.thing(tables, fields, stored));
      if (stored !== undefined && column !== undefined) item.order = Number(stored.row[column]);
      const at = list.push(update.names.namedThing(section, item.next ?? item.before ?? {})) - 1;
      item.places.push({ source, section, at });
      this.#checkRecorded(
        item,
        operations.filter((one) => one.id === id),
      );
    }
  }

  #called({ section, id }: Pick<RowOperation, "section" | "id">): string {
    if (section === "production") return "the production";
    const item = this.#update.items(section).get(id);
    const key = item && this.#update.names.keyOf(section, item.before ?? {});
    return calledIn(section, key ?? this.#recordedKey(section, id));
  }

  /** What the change set calls a thing that is not stored. */
  #recordedKey(section: AnySection, id: number): string {
    const sql =
      "SELECT c.value ->> '$.key' AS key FROM change_sets s, json_each(s.changes) c WHERE s.id = ? AND c.value ->> '$.section' = ? AND c.value ->> '$.id' = ?";
    return composed<{ key: string }>(this.#store.database, sql).get(this.#against.id, section, id)?.key ?? String(id);
  }

  /** Finds what stands against the operations on a thing. */
  #findConflicts(operations: readonly RowOperation[], isStored: boolean): void {
    const [first] = operations;
    if (first === undefined || this.#isRaised(first)) return;
    const ends = isStored
      ? conflictsOf(this.#store, operations, this.#against)
      : [` was removed since${laterChanges(this.#store, this.#against, first.section, first.id)("") ?? ""}`];
    for (const end of ends) this.conflicts.push(`${this.#called(first)}${end}`);
  }

  #isRaised = ({ section, id }: Pick<RowOperation, "section" | "id">): boolean =>
    section === "script_changes" && this.#raised.has(id);

  /** Why what a set did to a thing is never taken back: it is recorded. */
  #whyNever({ section, before, next, id }: Item, operations: readonly RowOperation[]): string | undefined {
    const { lasts, end, recorded } = sections[section];
    const ends = end !== undefined && !isDeepStrictEqual(before?.[end], next?.[end]);
    const isRaised = this.#isRaised({ section, id });
    if (lasts !== undefined && !isRaised && (before === undefined || next === undefined || ends)) return lasts;
    const list = operations.find(({ field }) => recorded.includes(field));
    if (list !== undefined) return `its ${list.field} stay recorded`;
    const isDecided = section === "approvals" && before !== undefined && next !== undefined;
    return isDecided && losesDecisions(before, next) ? "its decisions stay recorded" : undefined;
  }

  #checkRecorded(item: Item, operations: readonly RowOperation[]): void {
    const why = this.#whyNever(item, operations);
    if (why !== undefined) this.conflicts.push(`${this.#called(item)} cannot be undone: ${why}`);
  }
}

const withoutNull = (row: Row): Raw => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
