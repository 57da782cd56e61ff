// The tables of docs/format.md: the fields of each section with what the table of fields says of them.
import * as input from "../../src/core/inputs.ts";
import { formOf, itemSchemaOf } from "../../src/features/documents/sections/form.ts";
import { documentSchema } from "../../src/features/documents/sections/schema.ts";
import { type Noun, namings, sectionNames, sections } from "../../src/features/documents/sections/sections.ts";
import { saidOf } from "../../src/features/documents/sections/values.ts";
import type { Json } from "./update.ts";

type AnySchema = Json; // of valibot, whose parts differ by kind

const code = (value: unknown): string => `\`${value}\``;
const oneOf = (noun: Noun): string => `${/^[aei]/.test(noun) ? "an" : "a"} ${noun}`;
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

/** Whether a schema is one of the core's, such as `date`, or begins with it. */
export const begins = (schema: AnySchema, base: AnySchema): boolean =>
  schema.pipe !== undefined && (schema.pipe === base.pipe || begins(schema.pipe[0], base));

/** Whether a number has that check, at any depth of its pipes. */
const hasCheck = (schema: AnySchema, type: string): boolean =>
  schema.pipe?.some((one: AnySchema) => one.type === type || (one !== schema && hasCheck(one, type))) ?? false;

const named: readonly (readonly [base: AnySchema, text: string])[] = [
  [input.date, "date"],
  [input.timestamp, "timestamp"],
  [input.preciseTimestamp, "timestamp"],
  [input.slug, "slug"],
];

function listText(item: AnySchema): string {
  const { noun, medium, item: inner } = formOf(item);
  if (noun !== undefined) return `list of ${namings[noun].list}`;
  if (medium) return "list of media items";
  if (inner !== undefined) return "list of lists";
  if (item.entries !== undefined) return "list";
  return item.type === "record" ? "list of *free* objects" : "list of texts";
}

/** What a value is. A schema of a new kind fails here. */
function typeText(schema: AnySchema, usual?: unknown): string {
  if (schema.wrapped !== undefined) return typeText(schema.wrapped, usual);
  const { noun, nouns, medium } = formOf(schema);
  if (noun !== undefined) return oneOf(noun);
  if (nouns !== undefined) return `the name of ${listed(nouns.map(oneOf))}, or any text`;
  if (medium) return "a media item";
  if (schema.item !== undefined) return listText(schema.item);
  const found = named.find(([base]) => begins(schema, base));
  if (found !== undefined) return found[1];
  switch (schema.type) {
    case "picklist":
      return listed(schema.options.map((one: string) => (one === usual ? `${code(one)} (default)` : code(one))));
    case "union":
      return schema.options[0].literal === "" ? "text, which may be empty" : "integer";
    case "string":
      return "text";
    case "number":
      if (!hasCheck(schema, "safe_integer")) return "number";
      return hasCheck(schema, "min_value") ? `integer from ${leastOf(schema)}` : "integer";
    case "boolean":
      return "true or false";
    case "object":
      return "object";
    case "record":
      return "*free*";
    default:
      throw new Error(`docs/format.md has no text for the schema ${schema.type}`);
  }
}

const leastOf = ({ pipe }: AnySchema): number =>
  pipe.find(({ type }: AnySchema) => type === "min_value")?.requirement ?? leastOf(pipe[0]);

/** What a field is where nothing is said; undefined where that is nothing, or said with its values. */
function defaultText(schema: AnySchema, usual: unknown): string | undefined {
  if (usual === undefined || typeof usual === "object" || (schema.wrapped ?? schema).type === "picklist")
    return undefined;
  const text = usual === "" ? "empty" : typeof usual === "boolean" ? String(usual) : code(usual);
  return `${text} by default${typeof schema.default === "function" ? "" : ", which an export does not write"}`;
}

function fieldRow([name, schema]: [string, AnySchema]): string {
  const usual = typeof schema.default === "function" ? schema.default() : schema.default;
  const fallback = defaultText(schema, usual);
  const value = `${typeText(schema, usual)}${fallback === undefined ? "" : `: ${fallback}`}`;
  return `| ${code(schema.type === "optional" ? `${name}?` : name)} | ${value} | ${saidOf(schema).about ?? ""} |`;
}

/** The schema of the items of a list, if they have fields; that of its lists, if it is one of lists. */
function itemsOf(schema: AnySchema): AnySchema | undefined {
  const inner = schema.wrapped ?? schema;
  if (inner.item === undefined) return inner.entries !== undefined && !formOf(inner).medium ? inner : undefined;
  return formOf(inner.item).medium ? undefined : itemsOf(inner.item);
}

function tablesOf(schema: AnySchema): string {
  const entries: [string, AnySchema][] = Object.entries(schema.entries);
  const table = ["| field | value | |", "|---|---|---|", ...entries.map(fieldRow)].join("\n");
  const known = new Map<string, string[]>();
  for (const [name, entry] of entries) {
    const item = itemsOf(entry);
    if (item === undefined) continue;
    const own = tablesOf(item);
    known.set(own, [...(known.get(own) ?? []), name]);
  }
  return [table, ...[...known].map(([own, names]) => `In ${names.map(code).join(" and ")}:\n\n${own}`)].join("\n\n");
}

/** The tables of each heading. */
export const formatTables = (): [heading: string, tables: string][] => [
  ["`production`", tablesOf(documentSchema.entries.production)],
  ...sectionNames
    .filter((name) => !sections[name].plain)
    .map((name): [string, string] => [code(name), tablesOf(itemSchemaOf(name))]),
];
