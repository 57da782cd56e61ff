// How the fields of things are kept: in the columns of their row, in rows of their own, or as media. It follows from
// the sections and the forms of their fields.
import { type Form, itemFormOf, type Raw } from "../sections/form.ts";
import { type Noun, type SectionName, sectionNames, sections } from "../sections/sections.ts";
import type { ListTables, MediaOwnerColumn, Tables } from "../sections/tables.ts";

export type AnySection = SectionName | "production";

/** A list in rows of its own. */
export interface KeptPart extends ListTables {
  /** Of a set, the column with what it refers to. */
  to: string;
}

/** The form of a value. */
export interface Spec extends Pick<Form, "noun" | "nouns" | "cell" | "medium"> {
  item?: Spec;
  fields?: readonly Kept[];
}

/** A field of things. */
export interface Kept extends Spec {
  name: string;
  isNeeded: boolean;
  /** What it is where nothing is said. */
  usual: unknown;
  /** It is not written if it has its usual value. */
  isQuiet: boolean;
  part?: KeptPart;
  /** It is the other side of a list of another section, with which it is kept. */
  isInverse?: true;
}

/** The things of a section: their tables and fields. */
export interface Layout {
  tables: Tables;
  /** Which rows of the table are of the section. */
  where: string | undefined;
  fields: readonly Kept[];
}

/** Scenes and assets are nodes. */
export const tableNoun = (noun: Noun): string => (noun === "scene" || noun === "asset" ? "node" : noun);

function partOf(part: ListTables, item: Form | undefined): KeptPart {
  const noun = item?.noun ?? item?.fields?.find(({ form }) => form.noun !== undefined)?.form.noun;
  return { ...part, to: part.to ?? (noun === undefined ? "" : `${tableNoun(noun)}_id`) };
}

const specOf = ({ fields, item, noun, nouns, cell, medium }: Form, tables?: Tables): Spec => ({
  ...(noun && { noun }),
  ...(nouns && { nouns }),
  ...(cell && { cell }),
  ...(medium && { medium }),
  ...(item && { item: specOf(item, tables) }),
  ...(fields && { fields: keptFields(fields, tables) }),
});

const keptFields = (
  fields: NonNullable<Form["fields"]>,
  { parts = {} }: Partial<Tables> = {},
  inverse: readonly string[] = [],
): Kept[] =>
  fields.map(({ key: name, form, optional, otherwise, usual }) => {
    // a list of the section may be kept so
    const part = (parts as Readonly<Record<string, ListTables | undefined>>)[name];
    return {
      ...specOf(form, part),
      name,
      isNeeded: !optional,
      usual: usual === undefined ? undefined : JSON.parse(usual),
      isQuiet: otherwise !== undefined,
      ...(part && { part: partOf(part, form.item) }),
      ...(inverse.includes(name) && { isInverse: true as const }),
    };
  });

function makeLayout(name: AnySection): Layout {
  const { fields = [] } = itemFormOf(name);
  if (name === "production") return { tables: { table: "productions" }, where: undefined, fields: keptFields(fields) };
  const { inverse = [] } = sections[name];
  const where = name === "assets" ? "kind <> 'scene'" : undefined;
  return { tables: sections[name], where, fields: keptFields(fields, sections[name], inverse) };
}

const layouts = new Map<AnySection, Layout>();

export function layoutOf(name: AnySection): Layout {
  const layout = layouts.get(name) ?? makeLayout(name);
  layouts.set(name, layout);
  return layout;
}

/** The column of media with the id of what they belong to, by the table of that. */
export const mediaOwners: Readonly<Record<string, MediaOwnerColumn | undefined>> = {
  versions: "version_id",
  deliveries: "delivery_id",
  submissions: "work_item_id",
  ingredients: "ingredient_id",
  asset_files: "asset_file_id",
};

/** The sections whose things have names, by noun. */
export const sectionOfNoun = Object.fromEntries(
  sectionNames.flatMap((name) => (sections[name].noun === undefined ? [] : [[sections[name].noun, name]])),
) as Readonly<Record<Noun, SectionName>>; // every noun has a section

const isEmpty = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  for (const _ in value) return false;
  return true;
};
const isUsual = (value: unknown, usual: unknown): boolean => value === usual || (isEmpty(usual) && isEmpty(value));

/** Whether a medium has its bytes by their hash: it has the fields of what is stored then. */
const isHashed = (value: Raw): boolean => "sha256" in value;

function canonicalValue(value: unknown, { item, fields }: Spec): unknown {
  if (item !== undefined) return Array.isArray(value) ? value.map((one) => canonicalValue(one, item)) : value;
  if (fields === undefined || typeof value !== "object" || value === null) return value;
  return isHashed(value as Raw) ? value : canonical(fields, value as Raw); // an object
}

/** A thing in the order of its fields, with usual values, and without what is absent or need not be written. */
export function canonical(fields: readonly Kept[], thing: Raw): Raw {
  const own: Raw = {};
  for (const field of fields) {
    const value = thing[field.name] ?? field.usual;
    if (value === undefined || value === null || (field.isQuiet && isUsual(value, field.usual))) continue;
    own[field.name] = canonicalValue(value, field);
  }
  return own;
}
