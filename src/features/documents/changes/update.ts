// The state of an update: the things that documents name, or that follow what they say, as they are stored and as they
// will be. Only what is named is read, with what it refers to. Writes nothing.
import type { Source } from "../read/sources.ts";
import { hashOfFile, layoutOf, type Raw } from "../sections/form.ts";
import { type AnySection, kindOf, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import { Names } from "./names.ts";
import { Operations } from "./operations.ts";
import type { Rows, StoredRows } from "./rows.ts";

/** Where a document names a thing. */
export interface Place {
  source: Source;
  section: SectionName;
  at: number;
}

export interface Item {
  section: SectionName;
  id: number;
  stored: StoredRows | undefined;
  /** As it is stored; undefined if it is added. */
  before: Raw | undefined;
  /** As it will be; undefined if it goes. */
  next: Raw | undefined;
  /** Where documents name it, the last one last. */
  places: Place[];
  /** It was stored before, and comes back with its id. */
  returns?: true;
  /** Its place in the order of its section, in a section that has one. */
  order: number | undefined;
}

export interface UpdateOptions {
  /** The time of the update. */
  now: string;
  /** What a document does not say takes its default. */
  exact: boolean;
  /** The code of the episode of exact documents: what belongs to others stays. */
  episode?: string | undefined;
  /** The production may become a series, or single again. */
  changes_format?: boolean;
  /** Nothing is stored yet: a whole document says all there is. */
  is_new: boolean;
}

/** The column with the places of things in the order of their section. */
export const placeColumn = (section: SectionName): string | undefined => sections[section].place;
/** The place at which a thing is stored. */
export function storedOrder({ section, stored }: Pick<Item, "section" | "stored">): number | undefined {
  const column = placeColumn(section);
  return column === undefined || stored === undefined ? undefined : Number(stored.row[column]);
}

export class Update {
  readonly rows: Rows;
  readonly names: Names;
  readonly operations: Operations;
  readonly sources: readonly Source[];
  readonly options: UpdateOptions;
  /** Lists of documents with ids in place of names, once their things were matched by these. */
  readonly resolved = new Map<readonly Raw[], readonly Raw[]>();
  /** The sections that documents contain, with the last document that does. */
  readonly touched = new Map<SectionName, Source>();
  /** The sections that may have things whose names could not be read. */
  readonly unsure = new Set<SectionName>();
  /** The stored scenes among which the update gives scenes their places, once it does. */
  placedBy: readonly { id: number }[] | undefined;
  readonly production: { stored: StoredRows | undefined; before: Raw; next: Raw; given: Source[] };
  readonly #items = new Map<SectionName, Map<number, Item>>();
  readonly #whole = new Set<SectionName>();

  constructor(rows: Rows, sources: readonly Source[], options: UpdateOptions) {
    this.rows = rows;
    this.names = new Names(rows);
    this.operations = new Operations(rows, options.now);
    this.sources = sources;
    this.options = options;
    const stored = rows.load("production", [rows.production_id]).get(rows.production_id);
    const before = stored === undefined ? {} : this.names.thingOf("production", stored);
    this.production = { stored, before, next: before, given: [] };
  }

  /** The things of a section that documents name, and with `ids` those of these ids, or all. */
  items(section: SectionName, ids?: readonly number[] | "all"): Map<number, Item> {
    const items = this.#items.get(section) ?? new Map<number, Item>();
    this.#items.set(section, items);
    if (ids === undefined || this.#whole.has(section) || this.options.is_new) return items;
    const wanted = ids === "all" ? undefined : ids.filter((id) => !items.has(id));
    if (ids === "all") this.#whole.add(section);
    if (wanted?.length === 0) return items;
    for (const [id, stored] of this.rows.load(section, wanted))
      if (!items.has(id)) items.set(id, this.#storedItem(section, id, stored));
    return items;
  }

  #storedItem(section: SectionName, id: number, stored: StoredRows): Item {
    const thing = this.names.thingOf(section, stored);
    return { section, id, stored, before: thing, next: thing, places: [], order: storedOrder({ section, stored }) };
  }

  /** Whether the update has things of any of the sections. */
  has(...any: readonly SectionName[]): boolean {
    return any.some((section) => this.items(section).size > 0);
  }

  /** A thing, if it is stored or added. */
  item(section: SectionName, id: unknown): Item | undefined {
    return typeof id === "number" ? this.items(section, [id]).get(id) : undefined;
  }

  /** A thing that is added; with an id one that comes back. */
  add(section: SectionName, id = this.operations.next(sections[section].table)): Item {
    if (sections[section].table === "nodes") this.rows.addNode(id, section === "scenes");
    const item: Item = { section, id, stored: undefined, before: undefined, next: {}, places: [], order: undefined };
    this.items(section).set(id, item);
    return item;
  }

  /** The things of a section that are in the update, in its order, a number: stored ones first. */
  listed(section: SectionName): Item[] {
    const column = placeColumn(section) ?? layoutOf(section).tables.order ?? "id";
    const rank = ({ stored, id, order }: Item) => Number(stored?.row[column] ?? order ?? id);
    const { added = [], known = [] } = Object.groupBy(this.items(section).values(), ({ before }) =>
      before === undefined ? "added" : "known",
    );
    const back = added.filter(({ returns }) => returns);
    const byRank = (items: Item[]) => items.sort((one, other) => rank(one) - rank(other));
    return [...byRank(known), ...byRank(back), ...added.filter(({ returns }) => !returns)];
  }

  /** The sections of documents, in their order. */
  get given(): SectionName[] {
    return sectionNames.filter((name) => this.touched.has(name));
  }

  report({ source, section, at }: Place, sentence: string, field = ""): void {
    source.problems.add(`${section}[${at}]${field}`, sentence);
  }

  /** Warns that the update leaves something of a thing as it is. */
  stays({ source }: Place, item: Item, sentence: string, thing = this.called(item)): void {
    source.kept.push({ thing, sentence });
  }

  /** What a sentence calls a thing: `scene "12"`. */
  called({ section, next, before }: Pick<Item, "section" | "next" | "before">): string {
    return `${kindOf(section)} "${this.names.keyOf(section, next ?? before ?? {}) ?? ""}"`;
  }
}

/** Makes a value for each update, once. */
export function forUpdates<T>(make: (update: Update) => T): (update: Update) => T {
  const all = new WeakMap<Update, { made: T }>();
  return (update) => {
    const known = all.get(update) ?? { made: make(update) };
    all.set(update, known);
    return known.made;
  };
}

/** A medium of a document with the hash of its bytes, if they were hashed. */
export function hashedMedium(medium: Raw): Raw {
  const sha256 = hashOfFile(medium.file);
  if (sha256 === undefined) return medium;
  const { label, kind, created_by, created_at } = medium;
  const more = { ...(created_by != null && { created_by }), ...(created_at != null && { created_at }) };
  return { label, kind, ...more, sha256 };
}

/** A sentence names the thing of a section by its kind, the production as itself. */
export const calledIn = (section: AnySection, key: string): string =>
  section === "production" ? "the production" : `${kindOf(section)} "${key}"`;
