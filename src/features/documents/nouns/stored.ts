// Reads a stored production for the comparison in an update: the things of each section in the form of documents, with their ids and
// keys. Sections are read when they are needed. All reads must be in one read transaction.
import type { Store } from "../../../core/store/store.ts";
import { formerNamesOf, signedNamesOf } from "../../names/former_names.ts";
import { greatest } from "../../sequences/sequences.ts";
import { agentTables } from "../revision.ts";
import { canonical, type Form, itemFormOf, itemSchemaOf, nounsIn, type Raw, respelled } from "../sections/form.ts";
import { fileOfHash, idIn, isReference, nounIn } from "../sections/references.ts";
import { documentSchema } from "../sections/schema.ts";
import {
  forSections,
  keyOf,
  type Noun,
  namingFields,
  namings,
  type SectionName,
  sections,
} from "../sections/sections.ts";
import { Exporter, type MediaRow, type Row } from "./exporter.ts";
import { openRows, type ThingReader } from "./rows.ts";

/** A stored thing. */
export interface StoredItem {
  readonly id: number;
  /** The row with the ids of the rows that belong to it. */
  readonly row: Row;
  /** In the form of documents, without what is absent. */
  readonly raw: Raw;
  /** What the section is sorted by: the script order of a scene, the position of an episode; elsewhere 0. */
  readonly order: number;
}

/** A stored thing of which only the columns of its own row are read, until the rest is needed. */
export class StoredThing implements StoredItem {
  readonly id: number;
  readonly order: number;
  readonly #section: SectionName;
  /** Undefined once the whole thing is read. */
  #reader: ThingReader | undefined;
  #row: Row;
  #raw: Raw | undefined;

  constructor(section: SectionName, columns: Row, reader: ThingReader) {
    this.id = columns.id as number; // every row of a section has one
    this.order = orderOf(section, columns);
    this.#section = section;
    this.#row = columns;
    this.#reader = reader;
  }

  get row(): Row {
    if (this.#reader !== undefined) this.#row = this.#reader.whole(this.#row);
    this.#reader = undefined;
    return this.#row;
  }

  /** With references to others in place of their names. */
  get raw(): Raw {
    this.#raw ??= shapeOf(this.#section, this.row);
    return this.#raw;
  }

  /** A field, as `raw` has it unless it has its default. */
  field(name: string): unknown {
    return (this.#reader === undefined ? this.#row[name] : this.#reader.field(this.#row, name)) ?? undefined;
  }

  /** Whether it has a reference that was generated, because another thing has the same label. */
  get hasGeneratedRef(): boolean {
    const isStored = this.#reader === undefined ? this.#row.stored_ref !== null : this.#row.ref !== null;
    return !isStored && this.field("ref") !== undefined;
  }
}

const shapes = forSections((name) => canonical(itemSchemaOf(name)));
const productionShape = canonical(documentSchema.entries.production);
/** A thing of a section, or the production itself, in canonical form. */
export const shapeOf = (name: SectionName | "production", item: Raw): Raw =>
  (name === "production" ? productionShape : shapes(name))(item) as Raw; // the shape of an object is an object

/** What an update compares documents with. */
export type Stored = Pick<
  StoredProduction,
  "production_id" | "productionThing" | "read" | "things" | "last" | "formerNames" | "ids" | "nameOf"
>;

/** The id of a production that is not stored yet. */
export const noProduction = -1;
/** A production that is not stored yet. */
export const emptyProduction: Stored = {
  production_id: noProduction,
  productionThing: {},
  read: () => new Set<string>(),
  things: () => [],
  last: () => 0,
  formerNames: () => [],
  ids: () => new Map(),
  nameOf: () => undefined,
};

export class StoredProduction {
  readonly #store: Store;
  readonly production_id: number;
  readonly #exporter: Exporter;
  readonly #things = new Map<SectionName, readonly StoredThing[]>();
  readonly #items = new Map<SectionName, readonly StoredItem[]>();
  readonly #byId = new Map<SectionName, ReadonlyMap<number, StoredThing>>();

  /** With an id, of the things of a section only the one with the id is read: for pages, which compare nothing. */
  constructor(store: Store, production_id: number, id?: number) {
    this.#store = store;
    this.production_id = production_id;
    const carry = ({ sha256 }: MediaRow) => ({ file: fileOfHash(sha256) });
    this.#exporter = new Exporter(store, production_id, carry, { id, byReference: true });
  }

  get production(): Raw {
    return this.#named(this.productionThing, itemFormOf("production"));
  }

  /** The production with references to others. */
  get productionThing(): Raw {
    return shapeOf("production", collectProduction(this.#exporter) ?? {});
  }

  #named(raw: Raw, form: Form): Raw {
    const nameOf = (text: string) => this.nameOf(nounIn(text), idIn(text)) as string; // the thing is stored
    return respelled(raw, form, (text) => (isReference(text) ? nameOf(text) : text));
  }

  /** The tables that were read if those sections were compared. */
  read(compared: readonly SectionName[]): ReadonlySet<string> {
    return tablesOf([...this.#things.keys()], compared);
  }

  /** The things of a section, with references to others. */
  things(name: SectionName): readonly StoredThing[] {
    let things = this.#things.get(name);
    if (things === undefined) {
      const { rows, reader } = openRows(this.#exporter, name);
      things = rows.map((row) => new StoredThing(name, row, reader));
      this.#things.set(name, things);
    }
    return things;
  }

  /** The things of a section as documents have them, with the names of others. */
  items(name: SectionName): readonly StoredItem[] {
    let items = this.#items.get(name);
    if (items === undefined) {
      const form = itemFormOf(name);
      items = this.things(name).map(({ id, row, raw, order }) => ({ id, row, raw: this.#named(raw, form), order }));
      this.#items.set(name, items);
    }
    return items;
  }

  /** A thing by its id, with the names of others. */
  rawOf(name: SectionName, id: number): Raw | undefined {
    const things = this.#byId.get(name) ?? new Map(this.things(name).map((one) => [one.id, one]));
    this.#byId.set(name, things);
    const thing = things.get(id);
    return thing && this.#named(thing.raw, itemFormOf(name));
  }

  /** The fields by which a document may name a thing, with the names of others; nothing else of it is read. */
  namingOf(name: SectionName, id: number): Raw {
    const thing = this.things(name).find((one) => one.id === id) as StoredThing; // `keys` has its id
    const fields = new Set([...namingFields(name), ...namingFields(name, { number: "" })]); // an order may lose its number
    const values = [...fields].map((field) => [field, thing.field(field)]).filter(([, value]) => value !== undefined);
    return this.#named(Object.fromEntries(values), itemFormOf(name));
  }

  /** The keys of the things of a section, with their ids. */
  keys(name: SectionName): { id: number; key: string }[] {
    const { noun } = sections[name];
    if (noun !== undefined) return [...this.ids(noun)].map(([key, id]) => ({ id, key }));
    return this.items(name).map(({ id, raw }) => ({ id, key: keyOf(name, raw) as string })); // every stored thing has one
  }

  /** The position of the last episode; in a section that has no positions 0. */
  last(name: SectionName): number {
    return name === "episodes" ? greatest(this.things(name).map(({ order }) => order)) : 0;
  }

  /** The names that things had before they were renamed, as far as the history goes back, with their ids. */
  formerNames(noun: Noun): { id: number; name: string }[] {
    const { list: section, field } = namings[noun];
    return formerNamesOf(this.#store, { production_id: this.production_id, section, field });
  }

  /** The names with which people signed, and those of removed people, with their ids; 0 where only the name is recorded. */
  signedNames(): { id: number; name: string }[] {
    return signedNamesOf(this.#store, { production_id: this.production_id });
  }

  /** The ids of the things of a noun by their names. */
  ids(noun: Noun): ReadonlyMap<string, number> {
    return this.#exporter.idsOf(noun);
  }

  /** The name of a thing of a noun. */
  nameOf(noun: Noun, id: number): string | undefined {
    return this.#exporter.nameOf(noun, id);
  }
}

/** The tables of sections, and of what the things of the `compared` sections name, without those that the storage agent changes. */
export function tablesOf(read: readonly SectionName[], compared: readonly SectionName[]): ReadonlySet<string> {
  const nouns = new Set(compared.flatMap((name) => [...nounsIn(itemFormOf(name))]));
  const lists = [...read, ...[...nouns].map((noun) => namings[noun].list)];
  const further = read.flatMap((name) => sections[name].tables);
  const scenes = nouns.has("scene") ? ["scenes", "episodes"] : [];
  const all = ["productions", ...lists.map((name) => sections[name].table), ...further, ...scenes];
  return new Set(all.filter((table) => !agentTables.has(table)));
}

const orderOf = (name: SectionName, row: Row): number => Number(row[sections[name].places?.column ?? ""] ?? 0);

/** The things of a section as they are stored, in the order of the document. */
export function collect(exporter: Exporter, section: SectionName): Row[] {
  const { rows, reader } = openRows(exporter, section);
  return rows.map(reader.whole);
}

/** The production itself; undefined if it is not stored yet. */
export function collectProduction(exporter: Exporter): Row | undefined {
  const { rows, reader } = openRows(exporter, "production");
  return rows.map(reader.whole)[0];
}
