// The state of exporting one production from the database: its rows, and the names of its things in the document.
import { listAt } from "../../sequences.ts";
import type { Store } from "../../store/database.ts";
import { many, type Only, type Returning } from "../../store/statements.ts";
import { type Noun, namings, nouns, refsOf, sceneName } from "../sections/sections.ts";

export type Row = Record<string, unknown>;

/** A statement that returns rows of one production. */
export type Exported<T> = (store: Store, parameters: { production_id: number }, only?: Only) => T[];

/** Declares a statement that returns rows for a document. */
export const exported = <T = Row>(name: Returning<{ production_id: number }, T>): Exported<T> =>
  many<{ production_id: number }, T>(name);

const exportMedia = exported<MediaRow>("export_media");

/** A thing with what names it. Things that may share a label have a ref, or get one. */
interface NamedRow {
  id: number;
  label: string;
  ref: string | null;
  /** Of a scene or an asset. */
  kind: string | null;
  /** The code of the episode of a scene. */
  episode: string | null;
}
const exportNames = many<{ production_id: number; noun: Noun }, NamedRow>("export_names");

/** The things of a noun with their names in references, the oldest first if several may share a label. */
export function namedRows(store: Store, production_id: number, noun: Noun): (NamedRow & { name: string })[] {
  const rows = exportNames(store, { production_id, noun });
  if (!("refs" in namings[noun])) return rows.map((row) => ({ ...row, name: sceneName(row.label, row.episode) }));
  const refs = refsOf(rows.sort((one, other) => one.id - other.id));
  return rows.map((row) => ({ ...row, name: row.label, ref: null, ...refs.get(row.id) }));
}

/** A media item of the document, still without its bytes. */
export interface CollectedMedia {
  id: number;
  label: string;
  kind: string;
  created_by: string | null;
  created_at: string | null;
  file?: string;
  base64?: string;
}

type Owner = "version_id" | "delivery_id" | "work_item_id" | "ingredient_id" | "asset_file_id";
const owners: readonly Owner[] = ["version_id", "work_item_id", "delivery_id", "ingredient_id", "asset_file_id"];

export interface MediaRow extends Row {
  label: string;
  sha256: string;
  content_type: string;
  path: string;
}

/** The column with the thing that a medium belongs to: that of a submission also names its delivery. */
const ownerOf = (row: MediaRow): Owner | undefined => owners.find((column) => row[column] !== null);

/** Where the bytes of a media item are: next to the document or inside it. */
export type Carry = (row: MediaRow) => { file: string } | { base64: string };

export class Exporter {
  readonly production_id: number;
  readonly #store: Store;
  readonly #carry: Carry;
  readonly #only: { id: number | undefined } | undefined;
  readonly #names = new Map<Noun, Map<unknown, string>>();
  readonly #refs = new Map<string, string>();
  readonly #media = new Map<string, CollectedMedia[]>();

  /** Reads all names and media. With `only`, it reads of them what is needed, and of the things of a section the one with the id. */
  constructor(store: Store, production_id: number, carry: Carry, only?: { id: number | undefined }) {
    this.#store = store;
    this.production_id = production_id;
    this.#carry = carry;
    this.#only = only;
    if (only !== undefined) return;
    for (const noun of nouns) this.#namesOf(noun);
    for (const row of this.rows(exportMedia)) {
      const owner = ownerOf(row);
      if (owner === undefined) continue;
      listAt(this.#media, `${owner} ${row[owner]}`).push(this.#collected(row));
    }
  }

  #collected(row: MediaRow): CollectedMedia {
    const { id, label, kind, created_by, created_at } = row as unknown as CollectedMedia;
    return { id, label, kind, ...this.#carry(row), created_by, created_at };
  }

  /** The name of each row of a noun. Keeps the refs. */
  #namesOf(noun: Noun): Map<unknown, string> {
    let names = this.#names.get(noun);
    if (names === undefined) {
      names = new Map();
      for (const { id, name, ref } of namedRows(this.#store, this.production_id, noun)) {
        names.set(id, name);
        if (ref !== null) this.#refs.set(`${noun} ${id}`, ref);
      }
      this.#names.set(noun, names);
    }
    return names;
  }

  /** The rows of the named statement for this production: all, or those with a value in a column. */
  rows<T>(statement: Exported<T>, only?: Only): T[] {
    return statement(this.#store, { production_id: this.production_id }, only);
  }

  /** The rows of the things of a section. */
  things(statement: Exported<Row>): Row[] {
    const id = this.#only?.id;
    return this.rows(statement, id === undefined ? undefined : { column: "id", value: id });
  }

  /** The rows of the named statement by one of their columns, each group in the statement's order. */
  grouped<T extends Row>(statement: Exported<T>, column: keyof T & string): (id: unknown) => T[] {
    if (this.#only?.id !== undefined) return (id) => this.rows(statement, { column, value: id });
    const groups = Map.groupBy<unknown, T>(this.rows(statement), (row) => row[column]);
    return (id) => groups.get(id) ?? [];
  }

  /** The name that the document knows a row by; undefined for null. */
  name(noun: Noun, id: unknown): string | undefined {
    return this.#namesOf(noun).get(id);
  }

  /** The ids of the rows of a noun by the names that the document knows them by. */
  idsOf(noun: Noun): Map<string, number> {
    return new Map([...this.#namesOf(noun)].map(([id, name]) => [name, id as number])); // every id of a row is a number
  }

  /** The ref of a row that shares its label with an earlier one. */
  ref(noun: Noun, id: unknown): string | undefined {
    this.#namesOf(noun);
    return this.#refs.get(`${noun} ${id}`);
  }

  /** A node's reference, as `scene` or as `asset`. */
  node(id: unknown): { scene?: string | undefined; asset?: string | undefined } {
    const scene = this.name("scene", id);
    return scene === undefined ? { asset: this.name("asset", id) } : { scene };
  }

  /** The media of an owner, oldest first. */
  media(owner: Owner, id: unknown): CollectedMedia[] {
    if (this.#only === undefined) return this.#media.get(`${owner} ${id}`) ?? [];
    const rows = this.rows(exportMedia, { column: owner, value: id });
    return rows.filter((row) => ownerOf(row) === owner).map((row) => this.#collected(row));
  }
}
