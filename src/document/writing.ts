// The state of writing one checked document into the database: ids by name, and the media that wait for their rows.
// Ids follow the document's order, so the same document makes the same rows.

import type { Parameters, Store } from "../store/database.ts";
import type { MediaOwner } from "../store/media.ts";
import type { DocumentMedia } from "./attachments.ts";
import { type Names, type Noun, namesOf } from "./names.ts";
import type { ProductionDocument } from "./schema.ts";

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

export class Writing {
  readonly document: ProductionDocument;
  readonly production_id: number;
  /** Media in the document's order with the rows they belong to. */
  readonly media: { media: DocumentMedia; owner: MediaOwner }[] = [];
  /** The id of the first version of each asset, by the asset's position. */
  readonly firstVersion: number[] = [];
  readonly #store: Store;
  readonly #names: Names;
  readonly #last: Record<string, number>;
  readonly #wrote: () => void;

  constructor(store: Store, document: ProductionDocument, wrote: () => void) {
    this.#store = store;
    this.#wrote = wrote;
    this.document = document;
    this.#names = namesOf(document);
    // Writers take turns, so inside the transaction the next ids are known before their rows stand.
    this.#last = store.get<Record<string, number>>("import_last_ids", {}) as Record<string, number>;
    this.production_id = this.#lastOf("productions") + 1;
    let version = this.#lastOf("versions") + 1;
    for (const { versions } of document.assets) {
      this.firstVersion.push(version);
      version += versions.length;
    }
  }

  /** Runs the named INSERT with positional values: a third faster than by name, which counts with a million rows. */
  row(statement: string, ...values: unknown[]): void {
    this.#store.run(statement, values as unknown as Parameters);
    this.#wrote();
  }

  /** The id that the thing at `position` of its list has or will have. */
  idAt(noun: Noun, position: number): number {
    const before = noun === "asset" ? this.document.scenes.length : 0;
    return this.#lastOf(tableOf[noun]) + 1 + before + position;
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
