// Makes an update of the operations of a change set turned round: what it added goes, what it changed is as before, and
// what it removed comes back with its id. Finds what was changed again since.
import { isDeepStrictEqual } from "node:util";
import type { JsonText } from "../../core/answers.ts";
import { each } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { nothingMoved, type Ordered } from "../documents/changes/plan.ts";
import {
  isOfSection,
  isScriptTable,
  type RowOperation,
  type SectionOperation,
} from "../documents/changes/row_operation.ts";
import type { Row, StoredRows } from "../documents/changes/rows.ts";
import { placeBack } from "../documents/changes/scene_order.ts";
import { losesDecisions } from "../documents/changes/steps.ts";
import { calledIn, type Item, placeColumn, storedOrder, type Update } from "../documents/changes/update.ts";
import { layoutOf, type Raw } from "../documents/sections/form.ts";
import { type Noun, namings, type SectionName, sectionNames, sections } from "../documents/sections/sections.ts";
import { append } from "../sequences/sequences.ts";
import {
  type Against,
  conflictsOf,
  fieldOfColumn,
  formerPlaces,
  hasPlace,
  isOfScript,
  laterChanges,
  recordedKeys,
} from "./conflicts.ts";
import { patch } from "./patching.ts";
import { asIsNow, calledInScript, scriptConflicts } from "./stored_scripts.ts";
import { goneReferences, takenValues } from "./taken_values.ts";

const operationsOfSet = each<{ id: number }, { document: JsonText<RowOperation> }, RowOperation>("list_operations");

/** The operations of a change set turned round, the last one first. */
export const turnedOperations = (store: Store, id: number): RowOperation[] =>
  Array.from(operationsOfSet(store, { id }), ({ document }): RowOperation => JSON.parse(document));

/** Whether an operation makes a thing come or go, or changes one of its columns. */
const changesAny = ({ field, from, to }: SectionOperation, columns: readonly string[]): boolean =>
  field === "" && (from === null || to === null || columns.some((column) => column in to));

/** A thing with the operations on it. */
interface Patched {
  own: readonly SectionOperation[];
  /** Its rows after them; undefined if it goes. */
  next: StoredRows | undefined;
}

export class Turning {
  readonly #store: Store;
  readonly #update: Update;
  readonly #against: Against;
  operations: RowOperation[];
  /** The moves of the scenes that it puts back. */
  placed: Ordered = nothingMoved;
  readonly conflicts: string[] = [];
  /** Whether a script raised the script changes of the set, which go with it. */
  readonly #isOfScript: boolean;
  readonly #recordedKey: ReturnType<typeof recordedKeys>;

  constructor(store: Store, update: Update, against: Against) {
    [this.#store, this.#update, this.#against] = [store, update, against];
    this.#recordedKey = recordedKeys(store, against);
    const turned = turnedOperations(store, against.id).map((one) => asIsNow(store, one));
    this.operations = turned.flatMap((one) => this.#withoutNumber(one));
    this.#isOfScript = this.operations.some(({ section }) => isScriptTable(section));
  }

  /** The operation without the place of a scene that was only numbered again; none if it has nothing else. */
  #withoutNumber(one: RowOperation): RowOperation[] {
    const { table, id, from, to } = one;
    if (table !== "scenes" || from === null || to === null || Array.isArray(from) || Array.isArray(to)) return [one];
    if (!hasPlace(to) || this.#against.movedIn(this.#against.id, id)) return [one];
    const { script_order: _from, ...before } = from;
    const { script_order: _to, ...after } = to;
    return Object.keys(after).length === 0 ? [] : [{ ...one, from: before, to: after }];
  }

  /** Makes the things of the update, and finds what stands against it. */
  run(): void {
    const update = this.#update;
    const [source] = update.sources;
    if (source === undefined) return;
    source.was_stored = true;
    for (const [section, operations] of Map.groupBy(this.operations.filter(isOfSection), (one) => one.section)) {
      if (section === "production") this.#turnProduction(operations);
      else this.#turnSection(section, operations);
    }
    this.#findTaken();
    this.#rename();
    for (const section of this.#patched.keys()) {
      this.#makeThings(section);
      this.#patched.delete(section);
    }
    this.#placeScenes();
    const ofScript = this.operations.filter(({ section }) => isOfScript(section));
    append(this.conflicts, scriptConflicts(this.#store, ofScript, this.#against));
    // The rows of the lists of a thing that was removed name it, too: that is said already.
    if (this.conflicts.length === 0) this.#findGone();
  }

  /** The things of each section as they will be, with the operations on each. */
  readonly #patched = new Map<SectionName, Map<number, Patched>>();

  #turnProduction(operations: readonly SectionOperation[]): void {
    const { production, names, sources } = this.#update;
    this.#findConflicts(operations, true);
    const next = operations.reduce<StoredRows | undefined>(patch, production.stored);
    if (next !== undefined) production.next = names.thingOf("production", next);
    if (production.next.format === "single") this.#findEpisodes();
    const [source] = sources;
    if (source !== undefined) production.given.push(source);
  }

  /** The episodes that came since: a single production has none. */
  #findEpisodes(): void {
    const own = new Set(this.operations.flatMap(({ section, id }) => (section === "episodes" ? [id] : [])));
    for (const id of this.#update.items("episodes", "all").keys())
      if (!own.has(id)) {
        const since = laterChanges(this.#store, this.#against, "episodes", id)("") ?? "";
        this.conflicts.push(`${this.#called({ section: "episodes", id })} was added since${since}`);
      }
  }

  #turnSection(section: SectionName, operations: readonly SectionOperation[]): void {
    const update = this.#update;
    const byThing = Map.groupBy(operations, ({ id }) => id);
    const items = update.items(section, [...byThing.keys()]);
    const patched = new Map<number, Patched>();
    for (const [id, own] of byThing) {
      const item = items.get(id);
      const isAdded = own.some(
        ({ table, field, from }) => field === "" && table === sections[section].table && from === null,
      );
      if (item !== undefined || isAdded)
        patched.set(id, { own, next: own.reduce<StoredRows | undefined>(patch, item?.stored) });
      if (item === undefined && isAdded) update.add(section, id).returns = true;
      if (item?.stored !== undefined && patched.get(id)?.next === undefined) this.#findRest(item, own);
      this.#findConflicts(own, item !== undefined || isAdded);
    }
    this.#patched.set(section, patched);
  }

  /** What was added to the lists of a thing since, which would go with it. */
  #findRest({ section, id, stored }: Item, operations: readonly SectionOperation[]): void {
    const { tables, fields } = layoutOf(section);
    const inLists = operations.filter(
      ({ field, table }) => field !== "" || (table !== tables.table && table !== tables.rest?.table),
    );
    const rest = inLists.reduce<StoredRows | undefined>(patch, stored);
    const since = laterChanges(this.#store, this.#against, section, id);
    for (const { name, part } of fields) {
      if (part !== undefined && (rest?.lists[name] ?? []).length > 0)
        this.conflicts.push(`${this.#called({ section, id })}: ${name} was changed since${since(name) ?? ""}`);
    }
    if ((rest?.media.length ?? 0) > 0)
      this.conflicts.push(`${this.#called({ section, id })}: media was changed since${since("media") ?? ""}`);
  }

  /** What is unique and would come back though something else has it by now. */
  #findTaken(): void {
    for (const { operation, column, holder } of takenValues(
      this.#store.database,
      this.operations.filter(isOfSection),
    )) {
      const { section, field } = operation;
      if (section === "production") continue; // its title has a check of its own
      const id = Number(holder.id ?? holder.node_id);
      if (field === "") this.#takenBy({ section, id: operation.id }, fieldOfColumn(section, column) ?? column, id);
      else this.conflicts.push(`${this.#called(operation)}: ${column} of its ${field} is that of another one by now`);
    }
  }

  #takenBy({ section, id }: Pick<Item, "section" | "id">, field: string, holder: number): void {
    this.#update.items(section, [holder]);
    const since = laterChanges(this.#store, this.#against, section, holder)("") ?? "";
    this.conflicts.push(
      `${this.#called({ section, id })}: ${field} is that of ${this.#called({ section, id: holder })} by now${since}`,
    );
  }

  /** What would refer to something again that was removed since. */
  #findGone(): void {
    for (const { operation, column, table, id } of goneReferences(this.#store.database, this.operations)) {
      const { section, field } = operation;
      const thing = isOfSection(operation) && !isOfScript(section) ? this.#called(operation) : undefined;
      const named = sectionNames
        .filter((name) => sections[name].table === table)
        .flatMap((name) => {
          const since = laterChanges(this.#store, this.#against, name, id)("");
          return since === undefined
            ? []
            : [`${calledIn(name, this.#recordedKey(name, id))} was removed since${since}`];
        });
      const [gone = `${field || column} names what was removed since`] = named;
      this.conflicts.push(`${thing ?? calledInScript(this.#store, operation)}: ${gone}`);
    }
  }

  /** Gives things the names that they will have. */
  #rename(): void {
    const { names } = this.#update;
    const named: { section: SectionName; id: number; row: Row }[] = [];
    for (const [section, patched] of this.#patched) {
      const { noun } = sections[section];
      if (noun === undefined) continue;
      const columns = noun === "scene" ? ["number", "episode_id"] : [namings[noun].field, "ref"];
      for (const [id, { own, next }] of patched) {
        if (!own.some((one) => changesAny(one, columns))) continue;
        names.of(noun).leave(id);
        if (next !== undefined) named.push({ section, id, row: next.row });
      }
    }
    for (const { section, id, row } of named) {
      const { noun } = sections[section];
      const item =
        section === "scenes" ? { number: row.number, episode: row.episode_id ?? undefined } : withoutNull(row);
      const name = noun && names.nameIn(section, item);
      if (noun !== undefined && name !== undefined) {
        this.#findAlike({ section, id }, noun, name, row);
        names.of(noun).set(id, name);
      }
      if (section === "episodes") names.renameScenes();
    }
  }

  /** Another form of the name that a thing gets back, which no index of the database says to be the same. */
  #findAlike(thing: Pick<Item, "section" | "id">, noun: Noun, name: string, row: Row): void {
    const isLabel = "refs" in namings[noun] && row.ref === null;
    if (noun === "scene" || isLabel) return;
    const names = this.#update.names.of(noun);
    const [other] = names.alike(name).filter((one) => one !== name);
    const holder = other === undefined ? undefined : names.idOf(other);
    if (holder !== undefined && holder !== thing.id)
      this.#takenBy(thing, "refs" in namings[noun] ? "ref" : namings[noun].field, holder);
  }

  #makeThings(section: SectionName): void {
    const update = this.#update;
    const [source] = update.sources;
    const column = placeColumn(section);
    if (source === undefined) return;
    update.touched.set(section, source);
    const list: Raw[] = [];
    source.document[section] = list;
    for (const [id, { own, next: stored }] of this.#patched.get(section) ?? []) {
      const item = update.items(section).get(id);
      if (item === undefined) continue;
      item.next = stored && update.names.thingOf(section, stored);
      if (stored !== undefined && column !== undefined) item.order = Number(stored.row[column]);
      const at = list.push(update.names.namedThing(section, item.next ?? item.before ?? {})) - 1;
      item.places.push({ source, section, at });
      this.#checkRecorded(item, own);
    }
  }

  /** Puts scenes back where they stood among the others. */
  #placeScenes(): void {
    const update = this.#update;
    let former: Map<number, number | null> | undefined;
    const own = this.operations.filter(({ table, to }) => table === "scenes" && hasPlace(to)).map(({ id }) => id);
    const { moved, others } = placeBack(update, new Set(own), (id, place) => {
      former ??= new Map(formerPlaces(this.#store, this.#against).map((one) => [one.scene, one.place]));
      const before = former.get(id);
      return before === null ? undefined : (before ?? place);
    });
    this.placed = { moves: { scenes: moved }, warnings: [] };
    const scenes = update.items("scenes");
    this.operations = [
      ...this.operations.map((one) => {
        const item = one.table === "scenes" ? scenes.get(one.id) : undefined;
        if (item === undefined) return one;
        return { ...one, from: placedAt(one.from, storedOrder(item)), to: placedAt(one.to, item.order) };
      }),
      ...others.flatMap(({ section, id, stored, next, order }) =>
        update.operations.of(section, id, { before: stored, next, order }),
      ),
    ];
  }

  #called({ section, id }: Pick<SectionOperation, "section" | "id">): string {
    if (section === "production") return "the production";
    const item = this.#update.items(section).get(id);
    const key = item && this.#update.names.keyOf(section, item.before ?? {});
    return calledIn(section, key ?? this.#recordedKey(section, id));
  }

  /** Finds what stands against the operations on a thing. */
  #findConflicts(operations: readonly SectionOperation[], isStored: boolean): void {
    const [first] = operations;
    if (first === undefined || isOfScript(first.section)) return;
    const ends = isStored
      ? conflictsOf(this.#store, operations, this.#against)
      : [` was removed since${laterChanges(this.#store, this.#against, first.section, first.id)("") ?? ""}`];
    for (const end of ends) this.conflicts.push(`${this.#called(first)}${end}`);
  }

  /** Why what a set did to a thing is never taken back: it is recorded. */
  #whyNever({ section, before, next }: Item, operations: readonly RowOperation[]): string | undefined {
    const { lasts, end, recorded } = sections[section];
    const ends = end !== undefined && !isDeepStrictEqual(before?.[end], next?.[end]);
    const isRaised = section === "script_changes" && this.#isOfScript;
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

/** The cells of a scene with its place as it is now, or will be. */
const placedAt = <T extends RowOperation["from"]>(cells: T, place: number | undefined): T =>
  hasPlace(cells) ? { ...cells, script_order: place ?? null } : cells;

const withoutNull = (row: Row): Raw => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
