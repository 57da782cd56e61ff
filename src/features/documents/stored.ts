// Reads a stored production in the form of documents: the things of its sections, with their ids. Sections are read
// when they are needed. All reads must be in one read transaction.
import type { Store } from "../../core/store/store.ts";
import { Names } from "./changes/names.ts";
import { mediumOf, type Row, Rows, type StoredRows } from "./changes/rows.ts";
import { storedOrder } from "./changes/update.ts";
import { fileOfHash, type Raw } from "./sections/form.ts";
import { type AnySection, type Noun, namingFields, type SectionName, sections } from "./sections/sections.ts";

/** A stored thing. */
export interface StoredItem {
  readonly id: number;
  /** In the form of documents, without what is absent. */
  readonly raw: Raw;
  /** What the section is sorted by: the script order of a scene, the position of an episode; elsewhere 0. */
  readonly order: number;
}

/** A medium of a document: its bytes are named by their hash, unless `carry` says where they are. */
export type MediumRow = Row & { sha256: string; path: string; label: string };
export type MediaLocation = (row: MediumRow) => { file: string } | { base64: string };

/** The fields of a stored medium, with where its bytes are in place of their hash. */
const carried = (carry: MediaLocation) => (row: Row) => {
  const { sha256: _, ...medium } = mediumOf(row);
  return { ...medium, ...carry(row as MediumRow) }; // every medium has these columns
};

export class StoredProduction {
  readonly production_id: number;
  readonly #rows: Rows;
  readonly #names: Names;
  readonly #items = new Map<SectionName, readonly StoredItem[]>();

  /** `carry` says where the bytes of a medium are. */
  constructor(
    store: Store,
    production_id: number,
    carry: MediaLocation = ({ sha256 }) => ({ file: fileOfHash(sha256) }),
  ) {
    this.production_id = production_id;
    this.#rows = new Rows(store, production_id, carried(carry));
    this.#names = new Names(this.#rows);
  }

  /** The production itself; undefined if there is none. */
  get production(): Raw | undefined {
    const stored = this.#rows.load("production", [this.production_id]).get(this.production_id);
    return stored && this.#rawOf("production", stored);
  }

  #rawOf(name: AnySection, stored: StoredRows): Raw {
    return this.#names.namedThing(name, this.#names.thingOf(name, stored));
  }

  /** The things of a section as documents have them. */
  items(name: SectionName): readonly StoredItem[] {
    const items =
      this.#items.get(name) ??
      [...this.#rows.load(name)].map(([id, stored]) => ({
        id,
        raw: this.#rawOf(name, stored),
        order: storedOrder({ section: name, stored }) ?? 0,
      }));
    this.#items.set(name, items);
    return items;
  }

  /** A thing by its id, which is read alone. With `shown`, it has the lists of these fields alone. */
  rawOf(name: SectionName, id: number, shown?: ReadonlySet<string>): Raw | undefined {
    const stored = this.#rows.load(name, [id], shown).get(id);
    return stored && this.#rawOf(name, stored);
  }

  /** The fields by which a document may name a thing. */
  namingOf(name: SectionName, id: number): Raw {
    const raw = this.rawOf(name, id) ?? {};
    // an order may lose its number
    const fields = new Set([...namingFields(name), ...namingFields(name, { number: "" })]);
    return Object.fromEntries([...fields].flatMap((field) => (raw[field] === undefined ? [] : [[field, raw[field]]])));
  }

  /** The keys of the things of a section, with their ids. */
  keys(name: SectionName): { id: number; key: string }[] {
    const { noun } = sections[name];
    if (noun !== undefined) return [...this.ids(noun)].map(([key, id]) => ({ id, key }));
    return this.items(name).map(({ id, raw }) => ({ id, key: this.#names.keyOf(name, raw) ?? "" }));
  }

  /** The ids of the things of a noun by their names. */
  ids(noun: Noun): ReadonlyMap<string, number> {
    return this.#names.of(noun).ids;
  }

  /** The name of a thing of a noun. */
  nameOf(noun: Noun, id: number): string | undefined {
    return this.#names.nameOf(noun, id);
  }
}
