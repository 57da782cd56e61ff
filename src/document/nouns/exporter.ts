// The state of exporting one production from the database: its rows, and the names of its things in the document.
import { listAt } from "../../sequences.ts";
import type { Store } from "../../store/database.ts";
import { many, type Returning } from "../../store/statements.ts";
import { type Noun, nouns, refsOf, sceneName } from "../sections/names.ts";

export type Row = Record<string, unknown>;

/** A statement that returns rows of one production. */
export type Exported<T> = (store: Store, parameters: { production_id: number }) => T[];

/** Declares a statement that returns rows for a document. */
export const exported = <T = Row>(name: Returning<{ production_id: number }, T>): Exported<T> =>
  many<{ production_id: number }, T>(name);

type Named = {
  id: number;
  name: string;
};
interface Labelled {
  id: number;
  label: string;
  ref: string | null;
}
const exportMedia = exported<MediaRow>("export_media");
export const exportSceneNames = exported<{ id: number; number: string; episode: string | null }>("export_scene_names");
/** The rows that have a name of their own. */
export const exportNames = {
  episode: exported<Named>("export_episode_names"),
  department: exported<Named>("export_department_names"),
  person: exported<Named>("export_person_names"),
  vendor: exported<Named>("export_vendor_names"),
};
/** The rows that share a label or title with others; their names are their refs. */
export const exportLabels = {
  asset: exported<Labelled & { kind: string }>("export_asset_names"),
  ingredient: exported<Labelled>("export_ingredient_names"),
  engagement: exported<Labelled>("export_engagement_names"),
  delivery: exported<Labelled>("export_delivery_names"),
  approval: exported<Labelled>("export_approval_names"),
};

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

/** Where the bytes of a media item are: next to the document or inside it. */
export type Carry = (row: MediaRow) => { file: string } | { base64: string };

export class Exporter {
  readonly production_id: number;
  readonly #store: Store;
  readonly #names = Object.fromEntries(nouns.map((noun) => [noun, new Map()])) as Record<Noun, Map<unknown, string>>;
  readonly #refs = new Map<string, string>();
  readonly #media = new Map<string, CollectedMedia[]>();

  constructor(store: Store, production_id: number, carry: Carry) {
    this.#store = store;
    this.production_id = production_id;
    for (const noun of ["episode", "department", "person", "vendor"] as const)
      for (const { id, name } of this.rows(exportNames[noun])) this.#names[noun].set(id, name);
    for (const { id, number, episode } of this.rows(exportSceneNames))
      this.#names.scene.set(id, sceneName(number, episode));
    for (const noun of ["asset", "ingredient", "engagement", "delivery", "approval"] as const)
      for (const [id, { name, ref }] of refsOf(this.rows(exportLabels[noun]))) {
        this.#names[noun].set(id, name);
        if (ref !== undefined) this.#refs.set(`${noun} ${id}`, ref);
      }
    for (const row of this.rows(exportMedia)) {
      const owner = owners.find((column) => row[column] !== null);
      if (owner === undefined) continue;
      const { id, label, kind, created_by, created_at } = row as unknown as CollectedMedia;
      const item: CollectedMedia = { id, label, kind, ...carry(row), created_by, created_at };
      listAt(this.#media, `${owner} ${row[owner]}`).push(item);
    }
  }

  /** Every row of the named statement for this production. */
  rows<T>(statement: Exported<T>): T[] {
    return statement(this.#store, { production_id: this.production_id });
  }

  /** The rows of the named statement by one of their columns, each group in the statement's order. */
  grouped<T extends Row>(statement: Exported<T>, column: keyof T): (id: unknown) => T[] {
    const groups = Map.groupBy<unknown, T>(this.rows(statement), (row) => row[column]);
    return (id) => groups.get(id) ?? [];
  }

  /** The name that the document knows a row by; undefined for null. */
  name(noun: Noun, id: unknown): string | undefined {
    return this.#names[noun].get(id);
  }

  /** The ids of the rows of a noun by the names that the document knows them by. */
  idsOf(noun: Noun): Map<string, number> {
    return new Map([...this.#names[noun]].map(([id, name]) => [name, id as number])); // every id of a row is a number
  }

  /** The ref of a row that shares its label with an earlier one. */
  ref(noun: Noun, id: unknown): string | undefined {
    return this.#refs.get(`${noun} ${id}`);
  }

  /** A node's reference, as `scene` or as `asset`. */
  node(id: unknown): { scene?: string | undefined; asset?: string | undefined } {
    const scene = this.name("scene", id);
    return scene === undefined ? { asset: this.name("asset", id) } : { scene };
  }

  /** The media of an owner, oldest first. */
  media(owner: Owner, id: unknown): CollectedMedia[] {
    return this.#media.get(`${owner} ${id}`) ?? [];
  }
}
