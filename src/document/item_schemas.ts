// The schemas of the things of a document, whole and partial: in a partial document every field may be absent, an optional one may be
// null, and a thing with a name may say what it was called. Derived from the schema of whole documents, so a new field is known at once.
import * as v from "valibot";
import { boundedList } from "./bounded_list.ts";
import { type FieldOf, type SectionName, sectionNames } from "./changes.ts";
import { formOf } from "./form.ts";
import { documentSchema } from "./schema.ts";
import { forSections, isRenamable, keyOf, sections } from "./sections.ts";

/** A thing of a document, or a part of one, as JSON has it. */
export type Raw = Record<string, unknown>;

/** A thing of a section by its fields: another field of it does not compile. */
export type RawOf<S extends SectionName> = { [F in FieldOf<S>]?: unknown };

/** A document in which any field may be absent. Vendors are objects with a `name`, and every thing may have `was`. */
export type PartialDocument = { production?: Raw } & { [S in SectionName]?: Raw[] };

const withoutDefault = (schema: AnySchema): AnySchema => schema.wrapped ?? schema;

/** An object's schema whose fields may be absent, with further fields. The items of the `nested` lists may be partial too. */
function partialObject(schema: AnySchema, further: Record<string, AnySchema>, nested: readonly string[]): AnySchema {
  const entries = Object.entries(schema.entries ?? {}).map(([name, entry]): [string, AnySchema] => {
    const inner = withoutDefault(entry);
    const { item } = inner;
    const value = nested.includes(name) && item !== undefined ? boundedList(partialObject(item, {}, [])) : inner;
    return [name, entry.type === "optional" ? v.nullish(value) : v.optional(value)];
  });
  const object = v.object({ ...Object.fromEntries(entries), ...further }, "must be an object");
  // An array is an object to JavaScript, but not to this format.
  const run: (typeof object)["~run"] = (dataset, config) =>
    object["~run"](Array.isArray(dataset.value) ? { value: null } : dataset, config);
  return { ...object, "~run": run };
}

function itemSchema(name: SectionName): AnySchema {
  const item = withoutDefault(documentSchema.entries[name] as AnySchema).item as AnySchema; // every section is a list
  return sections[name].plain ? (v.object({ name: item }, "must be text or an object with a name") as AnySchema) : item;
}

/** The schema of the things of a section. */
export const itemSchemaOf = forSections(itemSchema);
export const productionForm = formOf(documentSchema.entries.production);
/** The form of the things of a section. */
export const itemFormOf = forSections((name) => formOf(itemSchemaOf(name)));

function partialItem(name: SectionName): AnySchema {
  const { noun, recorded = [] } = sections[name];
  const former =
    noun !== undefined ? v.string("must be text") : v.union([v.string(), v.number()], "must be the former key");
  return partialObject(itemSchemaOf(name), isRenamable(name) ? { was: v.optional(former) } : {}, recorded);
}

const { document, document_version, production } = documentSchema.entries as unknown as Record<string, AnySchema>;

/** `document` and `document_version` may be absent: the command says what the file is. */
export const partialSchema = v.object(
  {
    document: v.optional(document as AnySchema),
    document_version: v.optional(document_version as AnySchema),
    production: v.optional(partialObject(production as AnySchema, {}, [])),
    ...Object.fromEntries(sectionNames.map((name) => [name, v.nullish(boundedList(partialItem(name)))])),
  },
  "must be an object",
);

type Parsed = v.SafeParseResult<v.GenericSchema>;

const parse = (section: SectionName, item: Raw): Parsed =>
  v.safeParse(itemSchemaOf(section), item, { abortPipeEarly: true });

function outputOf({ success, output }: Parsed, section: SectionName, item: Raw): Raw {
  if (!success) throw new Error(`a stored ${sections[section].kind} is unsound: ${keyOf(section, item)}`);
  return output as Raw; // every thing is an object
}

/** A sound thing with the defaults of the schema. Throws an Error if it is unsound. */
export const parsedItem = (section: SectionName, item: Raw): Raw => outputOf(parse(section, item), section, item);

/** A thing as the lists of a document have it: in a section of plain texts, its name. */
export const writtenItem = (section: SectionName, item: Raw): unknown => (sections[section].plain ? item.name : item);

/** Parses things that do not change any more. */
export class ParsedItems {
  readonly #parsed = new Map<Raw, Parsed>();

  /** A thing as far as it could be understood, and what is wrong with it. */
  parse(section: SectionName, item: Raw): Parsed {
    let parsed = this.#parsed.get(item);
    if (parsed === undefined) {
      parsed = parse(section, item);
      this.#parsed.set(item, parsed);
    }
    return parsed;
  }

  /** A sound thing with the defaults of the schema. Throws an Error if it is unsound. */
  item(section: SectionName, item: Raw): Raw {
    return outputOf(this.parse(section, item), section, item);
  }
}
