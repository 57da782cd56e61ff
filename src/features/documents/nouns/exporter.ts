// The state of exporting one production from the database: its rows, and the names of its things in the document.
import type { Id } from "../../../core/ids.ts";
import { composed } from "../../../core/store/composed.ts";
import { type Found, many, type Only, type Returning } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import type { MediaOwner } from "../../../graph/media_rows.ts";
import { type Noun, namedRows } from "../../names/name_rules.ts";
import { listAt } from "../../sequences/sequences.ts";
import { referenceTo } from "../sections/references.ts";

export { namedRows } from "../../names/name_rules.ts";

export type Row = Record<string, unknown>;

/** A statement that returns rows of one production. */
export type Exported<T> = (store: Store, parameters: { production_id: number }, only?: Only) => T[];

/** Declares a statement that returns rows for a document. */
export const exported = <T = Row>(name: Found<Returning<{ production_id: number }, T>>): Exported<T> =>
  many<{ production_id: number }, T>(name);

/** Reads the rows of a production in a table, in an order: all, or those with a value in a column. */
export const rowsIn =
  (table: string, order: string): Exported<Row> =>
  ({ database }, { production_id }, only) => {
    const owner = table === "productions" ? "id" : "production_id";
    const chosen = only === undefined ? "" : ` AND ${only.column} = +?`;
    const text = `SELECT * FROM ${table} WHERE ${owner} = +?${chosen} ORDER BY ${order}`;
    return composed<Row>(database, text).all(only === undefined ? [production_id] : [production_id, only.value]);
  };

const exportMedia = exported<MediaRow>("export_media");

/** A media item of the document, still without its bytes. */
export interface CollectedMedia {
  id: Id<"media">;
  label: string;
  kind: string;
  created_by: string | null;
  created_at: string | null;
  file?: string;
  base64?: string;
}

export type Owner = keyof MediaOwner;
const owners: readonly Owner[] = ["version_id", "work_item_id", "delivery_id", "ingredient_id", "asset_file_id"];

export const isOwner = (column: string): column is Owner => owners.some((owner) => owner === column);

export interface MediaRow
  extends Pick<CollectedMedia, "id" | "label" | "kind" | "created_by" | "created_at">,
    Record<Owner, number | null> {
  sha256: string;
  content_type: string;
  path: string;
}

/** The column with the thing that a medium belongs to: that of a submission also names its delivery. */
const ownerOf = (row: MediaRow): Owner | undefined => owners.find((column) => row[column] !== null);

/** Where the bytes of a media item are: next to the document or inside it. */
export type MediaLocation = (row: MediaRow) => { file: string } | { base64: string };

/** Of how many things what belongs to them is looked up one by one. */
const few = 20;

/** Reads what belongs to a thing: of a few things one by one, of more all at once. */
function whereFew<T>(
  lookUp: (id: unknown) => readonly T[],
  readAll: () => ReadonlyMap<unknown, readonly T[]>,
): (id: unknown) => readonly T[] {
  let asked = 0;
  let all: ReadonlyMap<unknown, readonly T[]> | undefined;
  return (id) => {
    if (all === undefined && ++asked <= few) return lookUp(id);
    all ??= readAll();
    return all.get(id) ?? [];
  };
}

interface ExporterOptions {
  /** Of the things of a section only the one with the id. */
  id?: number | undefined;
  /** Things have references to others in place of names. */
  byReference?: boolean;
}

/** The names of the rows of a noun, and the rows by name. */
interface KnownNames {
  names: Map<unknown, string>;
  ids: Map<string, number>;
}

/** Reads the rows of one production; names and media when they are needed. */
export class Exporter {
  readonly store: Store;
  readonly #production_id: number;
  readonly #carry: MediaLocation;
  readonly #options: ExporterOptions;
  readonly #references = new Map<Noun, Map<number, string>>();
  readonly #names = new Map<Noun, KnownNames>();
  readonly #refs = new Map<string, string>();
  readonly #media = new Map<Owner, (id: unknown) => readonly CollectedMedia[]>();

  constructor(store: Store, production_id: number, carry: MediaLocation, options: ExporterOptions = {}) {
    this.store = store;
    this.#production_id = production_id;
    this.#carry = carry;
    this.#options = options;
  }

  /** The rows of the named statement for this production: all, or those with a value in a column. */
  rows<T>(statement: Exported<T>, chosen?: Only): T[] {
    return statement(this.store, { production_id: this.#production_id }, chosen);
  }

  /** The rows of the things of a section. */
  things(statement: Exported<Row>): Row[] {
    const { id } = this.#options;
    return this.rows(statement, id === undefined ? undefined : { column: "id", value: id });
  }

  /** The rows of the named statement by one of their columns, each group in the statement's order. */
  grouped<T extends Row>(statement: Exported<T>, column: keyof T & string): (id: unknown) => readonly T[] {
    return whereFew(
      (value) => this.rows(statement, { column, value }),
      () => Map.groupBy<unknown, T>(this.rows(statement), (row) => row[column]),
    );
  }

  /** What stands for a row where things have references; otherwise its name. */
  name(noun: Noun, id: unknown): string | undefined {
    return this.#options.byReference ? this.#reference(noun, id) : this.nameOf(noun, id);
  }

  /** The name that the document knows a row by; undefined for null. */
  nameOf(noun: Noun, id: unknown): string | undefined {
    return this.#namesOf(noun).names.get(id);
  }

  /** The ids of the rows of a noun by the names that the document knows them by. */
  idsOf(noun: Noun): ReadonlyMap<string, number> {
    return this.#namesOf(noun).ids;
  }

  /** The ref of a row that shares its label with an earlier one. */
  ref(noun: Noun, id: unknown): string | undefined {
    this.#namesOf(noun);
    return this.#refs.get(`${noun} ${id}`);
  }

  /** The media of an owner, oldest first. */
  media(owner: Owner, of: unknown): readonly CollectedMedia[] {
    let found = this.#media.get(owner);
    if (found === undefined) {
      found = whereFew(
        (id) => this.#mediaOf(owner, this.rows(exportMedia, { column: owner, value: id })).map(([, medium]) => medium),
        () => {
          const all = new Map<unknown, CollectedMedia[]>();
          for (const [id, medium] of this.#mediaOf(owner, this.rows(exportMedia))) listAt(all, id).push(medium);
          return all;
        },
      );
      this.#media.set(owner, found);
    }
    return found(of);
  }

  /** Of rows of media those that belong to an owner of this kind, each with the id of its owner. */
  #mediaOf(owner: Owner, rows: readonly MediaRow[]): [unknown, CollectedMedia][] {
    return rows
      .filter((row) => ownerOf(row) === owner)
      .map((row) => {
        const { id, label, kind, created_by, created_at } = row;
        return [row[owner], { id, label, kind, ...this.#carry(row), created_by, created_at }];
      });
  }

  /** The name of each row of a noun, and the row of each name. Keeps the refs. */
  #namesOf(noun: Noun): KnownNames {
    let known = this.#names.get(noun);
    if (known === undefined) {
      known = { names: new Map(), ids: new Map() };
      for (const { id, name, ref } of namedRows(this.store, this.#production_id, noun)) {
        known.names.set(id, name);
        known.ids.set(name, id);
        if (ref !== null) this.#refs.set(`${noun} ${id}`, ref);
      }
      this.#names.set(noun, known);
    }
    return known;
  }

  #reference(noun: Noun, id: unknown): string | undefined {
    if (typeof id !== "number") return undefined;
    // A column with the id of a node has that of either.
    if ((noun === "scene" || noun === "asset") && !this.#namesOf(noun).names.has(id)) return undefined;
    const known = this.#references.get(noun) ?? new Map<number, string>();
    this.#references.set(noun, known);
    const found = known.get(id) ?? referenceTo(noun, id);
    known.set(id, found);
    return found;
  }
}
