// The state of writing one checked document into the database: ids by name, and the media that wait for their rows.
// Ids follow the document's order, so the same document makes the same rows.

import type { Statement } from "better-sqlite3";
import type { Store } from "../store/database.ts";
import type { MediaOwner } from "../store/media.ts";
import { one, statementTexts } from "../store/statements.ts";
import type { DocumentMedia } from "./attachments.ts";
import { type Names, type Noun, namesOf } from "./names.ts";
import type { ProductionDocument } from "./schema.ts";

const lastIds = one<object, Record<string, number>>("import_last_ids");

const tableOf: Record<Noun, string> = {
  episode: "episodes",
  department: "departments",
  person: "people",
  ingredient: "ingredients",
  scene: "nodes",
  asset: "nodes",
  vendor: "vendors",
  engagement: "engagements",
  delivery: "deliveries",
};

interface Insert {
  name: string;
  /** Values in a row. */
  width: number;
  one: Statement;
  many: Statement;
}

/** How many rows of one statement are written together. */
const together = 32;

export class Importer {
  readonly document: ProductionDocument;
  readonly production_id: number;
  /** Media in the document's order with the rows they belong to. */
  readonly media: { media: DocumentMedia; owner: MediaOwner }[] = [];
  /** The id of the first version of each asset, by the asset's position. */
  readonly firstVersion: number[] = [];
  readonly #store: Store;
  readonly #names: Names;
  readonly #last: Record<string, number>;
  readonly #wrote: (rows: number) => void;
  readonly #texts = statementTexts();
  readonly #inserts = new Map<string, Insert>();
  #insert: Insert | undefined;
  #pending: unknown[] = [];

  constructor(store: Store, document: ProductionDocument, wrote: (rows: number) => void) {
    this.#store = store;
    this.#wrote = wrote;
    this.document = document;
    this.#names = namesOf(document);
    // Writers take turns, so inside the transaction the next ids are known before their rows stand.
    this.#last = lastIds(store, {}) ?? {};
    this.production_id = this.#lastOf("productions") + 1;
    let version = this.#lastOf("versions") + 1;
    for (const { versions } of document.assets) {
      this.firstVersion.push(version);
      version += versions.length;
    }
  }

  /** Writes a row by the named INSERT, in its columns' order; it stands when a row of another statement follows, or after flush. */
  row(statement: string, ...values: unknown[]): void {
    if (this.#insert?.name !== statement) {
      this.flush();
      this.#insert = this.#inserts.get(statement) ?? this.#prepare(statement);
    }
    this.#pending.push(...values);
    if (this.#pending.length === together * this.#insert.width) this.flush();
  }

  /** Writes the rows that wait for others of their statement. */
  flush(): void {
    if (this.#insert === undefined) return;
    const { one, many, width } = this.#insert;
    const values = this.#pending;
    this.#pending = [];
    if (values.length === together * width) many.run(values);
    else for (let at = 0; at < values.length; at += width) one.run(values.slice(at, at + width));
    this.#wrote(values.length / width);
  }

  /** The id that the thing at `position` of its list has or will have. */
  idAt(noun: Noun, position: number): number {
    const before = noun === "asset" ? this.document.scenes.length : 0;
    return this.#lastOf(tableOf[noun]) + 1 + before + position;
  }

  /** The named INSERT for one row, and for many at once, which spares SQLite a fifth of the time. */
  #prepare(name: string): Insert {
    const text = this.#texts.get(name) as string;
    const marks = (/\(\?(?:, \?)*\)$/.exec(text) as RegExpExecArray)[0];
    const insert = {
      name,
      width: marks.split(",").length,
      one: this.#store.database.prepare(text),
      many: this.#store.database.prepare(text + `, ${marks}`.repeat(together - 1)),
    };
    this.#inserts.set(name, insert);
    return insert;
  }

  /** The id of what `name` refers to; null where there is no name. */
  id(noun: Noun, name: string): number;
  id(noun: Noun, name: string | undefined): number | null;
  id(noun: Noun, name: string | undefined): number | null {
    if (name === undefined) return null;
    const position = this.#names[noun].get(name);
    if (position === undefined) throw new Error(`an unchecked ${noun}: ${name}`);
    return this.idAt(noun, position);
  }

  /** The id of a version of an asset by its number. */
  versionId(asset: string, version: number | undefined): number | null {
    if (version === undefined) return null;
    return (this.firstVersion[this.#names.asset.get(asset) as number] as number) + version - 1;
  }

  /** The node that one of `scene` and `asset` names; null where neither does. */
  node({ scene, asset }: { scene?: string | undefined; asset?: string | undefined }): number | null {
    return this.id("scene", scene) ?? this.id("asset", asset);
  }

  /** The next id of a table whose rows nothing refers to by name. */
  next(table: string): number {
    const id = this.#lastOf(table) + 1;
    this.#last[table] = id;
    return id;
  }

  /** Media are kept after every other row, when little is left that could fail. */
  keep(media: DocumentMedia | undefined, owner: MediaOwner): void {
    if (media !== undefined) this.media.push({ media, owner });
  }

  #lastOf(table: string): number {
    const last = this.#last[table];
    if (last === undefined) throw new Error(`import_last_ids has no ${table}`);
    return last;
  }
}
