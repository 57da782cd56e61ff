// The state of exporting one production from the database: its rows, and the names of its things in the document.

import { many, type Only, type Returning } from "../../../core/store/statements.ts";
import type { Store } from "../../../core/store/store.ts";
import { type Noun, namedRows } from "../../../graph/name_rules.ts";
import { listAt } from "../../sequences/sequences.ts";
import { referenceTo } from "../sections/references.ts";

export { namedRows } from "../../../graph/name_rules.ts";

export type Row = Record<string, unknown>;

/** A statement that returns rows of one production. */
export type Exported<T> = (store: Store, parameters: { production_id: number }, only?: Only) => T[];

/** Declares a statement that returns rows for a document. */
export const exported = <T = Row>(name: Returning<{ production_id: number }, T>): Exported<T> =>
  many<{ production_id: number }, T>(name);

const exportMedia = exported<MediaRow>("export_media");

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

export type Owner = "version_id" | "delivery_id" | "work_item_id" | "ingredient_id" | "asset_file_id";
const owners: readonly Owner[] = ["version_id", "work_item_id", "delivery_id", "ingredient_id", "asset_file_id"];

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

export type Exporter = ReturnType<typeof exporterOf>;

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

/** Reads names and media when they are needed. */
export function exporterOf(
  store: Store,
  production_id: number,
  carry: MediaLocation,
  { id, byReference = false }: ExporterOptions = {},
) {
  const references = new Map<Noun, Map<number, string>>();
  const namesByNoun = new Map<Noun, { names: Map<unknown, string>; ids: Map<string, number> }>();
  const refs = new Map<string, string>();
  const mediaOf = new Map<Owner, (id: unknown) => readonly CollectedMedia[]>();

  /** The rows of the named statement for this production: all, or those with a value in a column. */
  const rows = <T>(statement: Exported<T>, chosen?: Only): T[] => statement(store, { production_id }, chosen);

  function collected(row: MediaRow): CollectedMedia {
    const { id, label, kind, created_by, created_at } = row;
    return { id, label, kind, ...carry(row), created_by, created_at };
  }

  /** The name of each row of a noun, and the row of each name. Keeps the refs. */
  function namesOf(noun: Noun) {
    let known = namesByNoun.get(noun);
    if (known === undefined) {
      known = { names: new Map(), ids: new Map() };
      for (const { id, name, ref } of namedRows(store, production_id, noun)) {
        known.names.set(id, name);
        known.ids.set(name, id);
        if (ref !== null) refs.set(`${noun} ${id}`, ref);
      }
      namesByNoun.set(noun, known);
    }
    return known;
  }

  function reference(noun: Noun, id: unknown): string | undefined {
    if (typeof id !== "number") return undefined;
    // A column with the id of a node has that of either.
    if ((noun === "scene" || noun === "asset") && !namesOf(noun).names.has(id)) return undefined;
    const known = references.get(noun) ?? new Map<number, string>();
    references.set(noun, known);
    const found = known.get(id) ?? referenceTo(noun, id);
    known.set(id, found);
    return found;
  }

  /** The name that the document knows a row by; undefined for null. */
  const nameOf = (noun: Noun, id: unknown): string | undefined => namesOf(noun).names.get(id);

  /** What stands for a row where things have references; otherwise its name. */
  const name = (noun: Noun, id: unknown): string | undefined => (byReference ? reference(noun, id) : nameOf(noun, id));

  const mediaOfOne = (owner: Owner, id: unknown): CollectedMedia[] =>
    rows(exportMedia, { column: owner, value: id })
      .filter((row) => ownerOf(row) === owner)
      .map(collected);

  function allMedia(owner: Owner): Map<unknown, CollectedMedia[]> {
    const found = new Map<unknown, CollectedMedia[]>();
    for (const row of rows(exportMedia)) if (ownerOf(row) === owner) listAt(found, row[owner]).push(collected(row));
    return found;
  }

  return {
    rows,
    name,
    nameOf,

    /** The rows of the things of a section. */
    things: (statement: Exported<Row>): Row[] =>
      rows(statement, id === undefined ? undefined : { column: "id", value: id }),

    /** The rows of the named statement by one of their columns, each group in the statement's order. */
    grouped<T extends Row>(statement: Exported<T>, column: keyof T & string): (id: unknown) => readonly T[] {
      return whereFew(
        (value) => rows(statement, { column, value }),
        () => Map.groupBy<unknown, T>(rows(statement), (row) => row[column]),
      );
    },

    /** The ids of the rows of a noun by the names that the document knows them by. */
    idsOf: (noun: Noun): ReadonlyMap<string, number> => namesOf(noun).ids,

    /** The ref of a row that shares its label with an earlier one. */
    ref(noun: Noun, id: unknown): string | undefined {
      namesOf(noun);
      return refs.get(`${noun} ${id}`);
    },

    /** The media of an owner, oldest first. */
    media(owner: Owner, of: unknown): readonly CollectedMedia[] {
      const found =
        mediaOf.get(owner) ??
        whereFew(
          (id) => mediaOfOne(owner, id),
          () => allMedia(owner),
        );
      mediaOf.set(owner, found);
      return found(of);
    },
  };
}
