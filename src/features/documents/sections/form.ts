// Derives the forms and the schemas of the things of a document, whole and partial, from the schema of whole documents,
// so that a new field needs no other change. Follows a form through values: references, renames, canonical form.
import * as v from "valibot";
import { documentSchema } from "./schema.ts";
import {
  type AnySection,
  type FieldOf,
  forSections,
  isRenamable,
  keyOf,
  type Noun,
  type SectionName,
  sectionNames,
  sections,
} from "./sections.ts";
import type { ListTables, Tables } from "./tables.ts";
import { boundedList, object, saidOf } from "./values.ts";

/** Whether a value is an object of JSON. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The items of a list of objects, of lists of objects, of texts, or of ids in place of references, in a sound thing;
 * none where the list is absent.
 */
export const rawsOf = (list: unknown): Raw[] => (Array.isArray(list) ? list : []);
export const roundsOf = (list: unknown): Raw[][] => (Array.isArray(list) ? list : []);
export const textsOf = (list: unknown): string[] => (Array.isArray(list) ? list : []);
export const idsOf = (list: unknown): number[] => (Array.isArray(list) ? list : []);

/** A list in rows of its own. */
export interface KeptPart extends ListTables {
  /** Of a set, the column with what it refers to. */
  to: string;
}

/** A field of an object. */
export interface Field extends Form {
  name: string;
  isNeeded: boolean;
  /** What it is where nothing is said; undefined if it is then absent. */
  usual: unknown;
  /** It is not written if it has its usual value. */
  isQuiet: boolean;
  /** Of a thing of a section, where the list is kept. */
  part?: KeptPart;
  /** It is the other side of a list of another section, with which it is kept. */
  isInverse?: true;
}

/** Fields of an object, items of a list, a reference by name, or any other value. */
export interface Form {
  fields?: readonly Field[];
  item?: Form;
  /** What a text refers to. */
  noun?: Noun;
  /** What a text refers to if something has that name: the first of these that does. Otherwise it is only a text. */
  nouns?: readonly Noun[];
  /**
   * What its column holds, if that is another value than a document has: 1 for true, JSON, the time of the import if
   * there is none, or an empty text if there is none.
   */
  cell?: "flag" | "json" | "time" | "blank";
  /** Whether it is a medium. */
  medium?: true;
  /** Whether there is a medium in it, at any depth, or it is one. */
  media?: true;
}

/** The properties of valibot's schemas that form depends on. */
type AnySchema = v.GenericSchema & {
  entries?: Record<string, AnySchema>;
  item?: AnySchema;
  wrapped?: AnySchema;
  default?: unknown;
};

const cells: Readonly<Record<string, Form["cell"]>> = { boolean: "flag", record: "json" };

/** The form of a schema. A pipe carries the properties of its first schema, and so has its form. */
export function formOf(schema: v.GenericSchema): Form {
  const { wrapped, item, entries } = schema as AnySchema; // of the kinds of schemas that documents use
  if (wrapped !== undefined) return formOf(wrapped);
  if (item !== undefined) {
    const inner = formOf(item);
    return { item: inner, cell: "json", ...(inner.media && { media: true }) };
  }
  if (entries === undefined) {
    // what values.ts gives to v.metadata
    const metadata = ("pipe" in schema ? v.getMetadata(schema) : {}) as Pick<Form, "noun" | "nouns" | "cell">;
    const cell = metadata.cell ?? cells[schema.type];
    return { ...metadata, ...(cell && { cell }) };
  }
  const fields = Object.entries(entries).map(([name, entry]) => ({
    ...formOf(entry),
    name,
    isNeeded: entry.type !== "optional",
    usual: typeof entry.default === "function" ? entry.default() : entry.default,
    // A default that is a function is a usual value for reading, and written all the same.
    isQuiet: entry.default !== undefined && typeof entry.default !== "function",
  }));
  const isMedium = "base64" in entries;
  const hasMedia = isMedium || fields.some(({ media }) => media);
  return { fields, ...(isMedium && { medium: true }), ...(hasMedia && { media: true }) };
}

/**
 * Visits every reference in a value of a form: what it refers to, and its text. A text that may refer to things of
 * several nouns is visited for each of them.
 */
export function eachReference(
  value: unknown,
  { fields, item, noun, nouns = noun === undefined ? [] : [noun] }: Form,
  visit: (noun: Noun, reference: string) => void,
): void {
  if (typeof value === "string") for (const one of nouns) visit(one, value);
  else if (Array.isArray(value)) {
    if (item !== undefined) for (const one of value) eachReference(one, item, visit);
  } else if (fields !== undefined && isRecord(value))
    for (const field of fields) eachReference(value[field.name], field, visit);
}

/** Visits every medium in a value of a form, with its place. Values of the wrong type are skipped. */
export function eachMedium(
  value: unknown,
  { fields = [], item, medium, media }: Form,
  place: string,
  visit: (medium: Raw, place: string) => void,
): void {
  if (!media) return;
  if (Array.isArray(value)) {
    if (item !== undefined) for (const [at, one] of value.entries()) eachMedium(one, item, `${place}[${at}]`, visit);
  } else if (!isRecord(value)) return;
  else if (medium) visit(value, place);
  else
    for (const field of fields)
      if (field.media)
        eachMedium(value[field.name], field, place === "" ? field.name : `${place}.${field.name}`, visit);
}

/**
 * The `file` of a medium whose bytes are known by their hash. The character is for private use: no path of a document
 * has it.
 */
const fileMark = "\ue000";
export const fileOfHash = (sha256: string): string => fileMark + sha256;
export const hashOfFile = (file: unknown): string | undefined =>
  typeof file === "string" && file.startsWith(fileMark) ? file.slice(fileMark.length) : undefined;

const isEmpty = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  for (const _ in value) return false;
  return true;
};
const isUsual = (value: unknown, usual: unknown): boolean => value === usual || (isEmpty(usual) && isEmpty(value));

function canonicalValue(value: unknown, { item, fields }: Form): unknown {
  if (item !== undefined) return Array.isArray(value) ? value.map((one) => canonicalValue(one, item)) : value;
  if (fields === undefined || !isRecord(value)) return value;
  return "sha256" in value ? value : canonical(fields, value); // a medium whose bytes are stored has other fields
}

/** A thing in the order of its fields, with usual values, and without what is absent or need not be written. */
export function canonical(fields: readonly Field[], thing: Raw): Raw {
  const own: Raw = {};
  for (const field of fields) {
    const value = thing[field.name] ?? field.usual;
    if (value === undefined || value === null || (field.isQuiet && isUsual(value, field.usual))) continue;
    own[field.name] = canonicalValue(value, field);
  }
  return own;
}

/** A thing of a document, or a part of one, as JSON has it. */
export type Raw = Record<string, unknown>;

/** A thing of a section by its fields: another field of it does not compile. */
export type RawOf<S extends SectionName> = { [F in FieldOf<S>]?: unknown };

/** A document in which any field may be absent. Vendors are objects with a `name`, and every thing may have `was`. */
export type PartialDocument = { production?: Raw } & { [S in SectionName]?: Raw[] };

const withoutDefault = (schema: AnySchema): AnySchema => schema.wrapped ?? schema;

/**
 * An object's schema whose fields may be absent, with further fields. The items of the `nested` lists may be partial
 * too.
 */
function partialObject(schema: AnySchema, further: Record<string, AnySchema>, nested: readonly string[]): AnySchema {
  const entries = Object.entries(schema.entries ?? {}).map(([name, entry]): [string, AnySchema] => {
    const inner = withoutDefault(entry);
    const { item } = inner;
    const value = nested.includes(name) && item !== undefined ? boundedList(partialObject(item, {}, [])) : inner;
    return [name, entry.type === "optional" ? v.nullish(value) : v.optional(value)];
  });
  return object({ ...Object.fromEntries(entries), ...further });
}

/** The schema of a field of the document. */
const entryOf = (name: keyof typeof documentSchema.entries): AnySchema => documentSchema.entries[name];

function itemSchema(name: SectionName): AnySchema {
  const { item } = withoutDefault(entryOf(name));
  if (item === undefined) throw new Error(`the section ${name} is no list`);
  return sections[name].plain ? v.object({ name: item }, "must be text or an object with a name") : item;
}

/** The schema of the things of a section. */
export const itemSchemaOf = forSections(itemSchema);
const textTypes = new Set(["string", "picklist", "literal", "union"]);
/** Whether a field takes texts: a number is one there, too. */
export function isTextField(section: AnySection, field: string): boolean {
  const { entries = {} } = section === "production" ? entryOf(section) : itemSchemaOf(section);
  const schema = Object.hasOwn(entries, field) ? entries[field] : undefined;
  return schema !== undefined && textTypes.has(withoutDefault(schema).type);
}

/** The fields of a section that only an admin gives. */
export const recordedFields = forSections((name) =>
  Object.entries(itemSchemaOf(name).entries ?? {}).flatMap(([field, schema]) =>
    saidOf(schema).recorded ? [field] : [],
  ),
);

/** Scenes and assets are nodes. */
export const tableNoun = (noun: Noun): string => (noun === "scene" || noun === "asset" ? "node" : noun);

function partOf(part: ListTables, item: Form | undefined): KeptPart {
  const noun = item?.noun ?? item?.fields?.find((field) => field.noun !== undefined)?.noun;
  return { ...part, to: part.to ?? (noun === undefined ? "" : `${tableNoun(noun)}_id`) };
}

/** Fields with where the lists among them are kept, and theirs. */
const keptFields = (
  fields: readonly Field[],
  { parts = {}, inverse = [] }: Pick<Tables, "parts"> & { inverse?: readonly string[] },
): Field[] =>
  fields.map((field): Field => {
    const { name, item } = field;
    if (inverse.includes(name)) return { ...field, isInverse: true };
    // a list of the section may be kept so
    const part = (parts as Readonly<Record<string, ListTables | undefined>>)[name];
    if (part === undefined) return field;
    const inner = item?.fields && { item: { ...item, fields: keptFields(item.fields, part) } };
    return { ...field, ...inner, part: partOf(part, item) };
  });

/** The form of the things of a section, or of the production itself, and where they are kept. */
interface Layout extends Form {
  fields: readonly Field[];
  tables: Tables;
}
const productionLayout: Layout = {
  fields: [],
  ...formOf(documentSchema.entries.production),
  tables: { table: "productions" },
};
const layouts = forSections((name): Layout => {
  const { fields = [], ...form } = formOf(itemSchemaOf(name));
  return { ...form, fields: keptFields(fields, sections[name]), tables: sections[name] };
});
export const layoutOf = (name: AnySection): Layout => (name === "production" ? productionLayout : layouts(name));

function partialItem(name: SectionName): AnySchema {
  const { noun, recorded } = sections[name];
  const former =
    noun !== undefined ? v.string("must be text") : v.union([v.string(), v.number()], "must be the former key");
  return partialObject(itemSchemaOf(name), isRenamable(name) ? { was: v.optional(former) } : {}, recorded);
}

/** `document` and `document_version` may be absent: the command says what the file is. */
export const partialSchema = object({
  document: v.optional(entryOf("document")),
  document_version: v.optional(entryOf("document_version")),
  production: v.optional(partialObject(entryOf("production"), {}, [])),
  ...Object.fromEntries(sectionNames.map((name) => [name, v.nullish(boundedList(partialItem(name)))])),
});

/** A sound thing with the defaults of the schema. Throws an Error if it is unsound. */
export function parsedItem(section: SectionName, item: Raw): Raw {
  const { success, output } = v.safeParse(itemSchemaOf(section), item, { abortPipeEarly: true });
  if (!success) throw new Error(`a stored ${sections[section].kind} is unsound: ${keyOf(section, item)}`);
  return output as Raw; // every thing is an object
}

/** A thing as the lists of a document have it: in a section of plain texts, its name. */
export const writtenItem = (section: SectionName, item: Raw): unknown => (sections[section].plain ? item.name : item);
