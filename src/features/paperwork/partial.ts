// Defines the input and output of the readers of paperwork: the names of the production, and a partial production
// document.
import type { Problem } from "../../core/errors.ts";
import type { Zone } from "../../core/zones.ts";
import type { Raw } from "../documents/sections/form.ts";
import type { ProductionDocumentInput } from "../documents/sections/schema.ts";
import type { SectionName } from "../documents/sections/sections.ts";
import type { Counts } from "./tally.ts";

type Sections = Omit<ProductionDocumentInput, "document" | "document_version" | "production">;
type Item<S> = NonNullable<S> extends readonly (infer I)[] ? I : never;
/** A thing whose fields are all optional: an absent field keeps its stored value. */
type Part<I> = I extends object ? { -readonly [F in keyof I]?: Exclude<I[F], undefined> } : I;
type Parts = { [S in keyof Sections]?: Part<Item<Sections[S]>>[] };

/** Only the sections that a file knows; things match those of the production by their natural keys. */
export interface PaperDocument extends Omit<Parts, "people" | "purchase_orders"> {
  people?: (Part<Item<Sections["people"]>> & { active?: boolean })[];
  /** `number` is the key of an order that has one. */
  purchase_orders?: (Part<Item<Sections["purchase_orders"]>> & { number?: string })[];
}

/** The fields that have a value. */
export const definedFields = <T extends object>(fields: T) =>
  // the fields of T that are left
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [F in keyof T]?: Exclude<T[F], undefined>;
  };

export type PartialScene = NonNullable<PaperDocument["scenes"]>[number];
export type PartialDay = NonNullable<PaperDocument["schedule"]>[number];

/** The result of a reader: the document, sentences about what it ignored or adjusted, and its counts. */
export interface PaperReading {
  /** Finds where in the file what a place of the document names is; nothing of what is not known. */
  origin?: (place: string) => Pick<Problem, "line" | "column">;
  document: PaperDocument;
  warnings: readonly Problem[];
  counts: Counts;
}

/** The order of day, month and year in dates that are all digits. */
export type DateOrder = "dmy" | "mdy" | "ymd";

/** An asset that exists. */
export interface KnownThing {
  label: string;
  kind?: string;
  /** What scenes call it, if that is not its label. */
  ref?: string | undefined;
  cast_number?: string | undefined;
  performer?: string | null | undefined;
}

/** The names that the production has, by which readers understand the names in a file. Each list only grows. */
export interface ProductionNames {
  /** The time zone of the production. */
  zone: Zone;
  /** In script order; on an episodic production with their episode: 102/3A. */
  scenes: readonly string[];
  /** The codes, on an episodic production. */
  episodes: readonly string[];
  people: readonly string[];
  vendors: readonly string[];
  /** The references of assets: their labels, or the `ref` that tells two apart. */
  assets: readonly string[];
  deliveries: readonly string[];
  /** The things of a section as documents list them; of several for one thing, each says what changes. */
  items(section: SectionName): readonly Raw[];
}

export interface ReadOptions {
  known: ProductionNames;
  /** The episode to which scene numbers belong that name none. */
  episode?: string;
  /** The import has a cast list. */
  has_cast_list?: boolean;
}

/** What a list is read with. */
export interface ListOptions extends ReadOptions {
  /** Further headers, by the field that each means: {"Set": "slugline"}. */
  map?: Readonly<Record<string, string>>;
  dates?: DateOrder;
  /** The week of a cost report, YYYY-MM-DD. */
  week?: string;
}
