// Reads a stored production for the comparison in an update: the things of each section in the form of documents, with their ids and
// keys. Sections are read when they are needed. All reads must be in one read transaction.
import type { Store } from "../../store/database.ts";
import { revisionOf, revisionsOf } from "../../store/revisions.ts";
import { many } from "../../store/statements.ts";
import { canonical, itemFormOf, itemSchemaOf, nounsIn, type Raw } from "../sections/form.ts";
import { type Noun, namings } from "../sections/names.ts";
import { documentSchema } from "../sections/schema.ts";
import { forSections, type SectionName, sections } from "../sections/sections.ts";
import { Exporter, type MediaRow, type Row } from "./exporter.ts";
import { collectProduction } from "./production.ts";
import { collect } from "./section_rows.ts";

/** A stored thing. */
export interface StoredItem {
  id: number;
  /** The row with the ids of the rows that belong to it. */
  row: Row;
  /** In the form of documents, without what is absent. */
  raw: Raw;
  /** What the section is sorted by: the script order of a scene, the position of an episode; elsewhere 0. */
  order: number;
}

/** The `file` of a medium whose bytes are known by their hash. The character is for private use: no path of a document has it. */
const mark = "\ue000";
export const fileOfHash = (sha256: string): string => mark + sha256;
export const hashOfFile = (file: unknown): string | undefined =>
  typeof file === "string" && file.startsWith(mark) ? file.slice(mark.length) : undefined;

const shapes = forSections((name) => canonical(itemSchemaOf(name)));
const productionShape = canonical(documentSchema.entries.production);
/** A thing of a section, or the production itself, in canonical form. */
export const shapeOf = (name: SectionName | "production", item: Raw): Raw =>
  (name === "production" ? productionShape : shapes(name))(item) as Raw;

/** The id of a production that is not stored yet: no row has it, so everything of it is empty. */
export const noProduction = -1;

const formerNamesOf = many<
  { production_id: number; section: SectionName; field: string },
  { id: number; name: string }
>("list_former_names");

export class StoredProduction {
  readonly #store: Store;
  readonly production_id: number;
  /** The production's revision. */
  readonly revision: string;
  /** How often each part of it changed. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly #exporter: Exporter;
  readonly #sections = new Map<SectionName, StoredItem[]>();

  /**
   * With `only`, names are read when they are needed, and of the things of a section the one with the id if there is an id: for pages,
   * which compare nothing.
   */
  constructor(store: Store, production_id: number, only?: { id: number | undefined }) {
    this.#store = store;
    this.production_id = production_id;
    this.revisions = revisionsOf(store, production_id);
    this.revision = revisionOf(store, production_id, this.revisions);
    const carry = ({ sha256 }: MediaRow) => ({ file: fileOfHash(sha256) });
    this.#exporter = new Exporter(store, production_id, carry, only);
  }

  get production(): Raw {
    return shapeOf("production", collectProduction(this.#exporter));
  }

  /** The tables that were read: those of the sections, and of what the things of the `compared` sections name. */
  read(compared: readonly SectionName[]): ReadonlySet<string> {
    const nouns = new Set(compared.flatMap((name) => [...nounsIn(itemFormOf(name))]));
    const lists = [...this.#sections.keys(), ...[...nouns].map((noun) => namings[noun].list)];
    const further = [...this.#sections.keys()].flatMap((name) => sections[name].tables ?? []);
    const scenes = nouns.has("scene") ? ["scenes", "episodes"] : [];
    return new Set(["productions", ...lists.map((name) => sections[name].table), ...further, ...scenes]);
  }

  items(name: SectionName): readonly StoredItem[] {
    let items = this.#sections.get(name);
    if (items === undefined) {
      items = collect(this.#exporter, name).map((row) => ({
        id: row.id as number,
        row,
        raw: shapeOf(name, row),
        order: orderOf(name, row),
      }));
      this.#sections.set(name, items);
    }
    return items;
  }

  /** The position of the last episode; in a section that has no positions 0. */
  last(name: SectionName): number {
    return name === "episodes" ? Math.max(0, ...this.items(name).map(({ order }) => order)) : 0;
  }

  /** The names that things had before they were renamed, as far as the history goes back, with their ids. */
  formerNames(noun: Noun): { id: number; name: string }[] {
    const { list: section, field } = namings[noun];
    return formerNamesOf(this.#store, { production_id: this.production_id, section, field });
  }

  /** The ids of the things of a noun by their names. */
  ids(noun: Noun): Map<string, number> {
    return this.#exporter.idsOf(noun);
  }
}

const orderOf = (name: SectionName, row: Row): number =>
  name === "scenes" ? (row.script_order as number) : name === "episodes" ? (row.position as number) : 0;
