// Derives the controls of a form from the schema of a section: a new field of documents gets one without another change.
import * as v from "valibot";
import { recorded } from "../../../../admin/edit.ts";
import { formOf, itemSchemaOf, type Raw } from "../../../../document/sections/form.ts";
import type { Noun } from "../../../../document/sections/names.ts";
import { type SectionName, sections } from "../../../../document/sections/sections.ts";
import { date, timestamp } from "../../../../inputs.ts";
import { capitalized, wordOf } from "../../parts.ts";

export type Control =
  | { kind: "line" | "text" | "number" | "date" | "check" | "record" }
  | { kind: "choice"; values: readonly string[] }
  | { kind: "reference"; noun: Noun }
  /** A text for each line, which may be references. */
  | { kind: "lines" }
  /** Records of any fields. */
  | { kind: "records" }
  /** A row of fields for each item of a list. */
  | { kind: "rows"; fields: readonly FieldControl[] };

export interface FieldControl {
  name: string;
  label: string;
  control: Control;
  optional: boolean;
  /** Whether it must be there, if only as null. */
  nullable: boolean;
  /** The value of a field that is left out, if the schema gives one. */
  otherwise: unknown;
}

/** The properties of valibot's schemas that the derivation depends on. */
type AnySchema = v.GenericSchema & {
  entries?: Record<string, AnySchema>;
  item?: AnySchema;
  wrapped?: AnySchema;
  default?: unknown;
  options?: readonly string[];
  /** Its schema, and what is checked of it. */
  pipe?: readonly (AnySchema & { requirement?: unknown })[];
};

/** The most characters of a text that has one line. */
const maxLine = 1_000;

function maxLengthOf({ pipe = [] }: AnySchema): number {
  const found = pipe.find(({ type }) => (type as string) === "max_length")?.requirement;
  if (typeof found === "number") return found;
  const [inner] = pipe;
  return inner?.pipe === undefined ? Number.POSITIVE_INFINITY : maxLengthOf(inner);
}

/** The control of a value; undefined if a form has none for it. */
function controlOf(schema: AnySchema): Control | undefined {
  if (schema.wrapped !== undefined) return controlOf(schema.wrapped);
  if (schema === date) return { kind: "date" };
  if (schema === timestamp) return undefined;
  const { noun } = formOf(schema);
  if (noun !== undefined) return { kind: "reference", noun };
  switch (schema.type) {
    case "picklist":
      return { kind: "choice", values: schema.options ?? [] };
    case "string":
      return { kind: maxLengthOf(schema) <= maxLine ? "line" : "text" };
    case "number":
      return { kind: "number" };
    case "boolean":
      return { kind: "check" };
    case "union":
      return { kind: "text" };
    case "record":
      return { kind: "record" };
    case "array":
      return listControl(schema.item as AnySchema); // an array has items
    default:
      return undefined;
  }
}

function listControl(item: AnySchema): Control | undefined {
  if (item.type === "string") return { kind: "lines" };
  if (item.type === "record") return { kind: "records" };
  if (item.entries === undefined || "base64" in item.entries) return undefined;
  const fields = fieldsOf(item).filter(({ control }) => control.kind !== "rows" && control.kind !== "record");
  return { kind: "rows", fields };
}

/** Labels that the names of the fields do not give. */
const labels: Readonly<Record<string, string>> = {
  is_hod: "Head of the department",
  active: "Works on the production",
  int_ext: "INT or EXT",
  slug: "Short name",
  spec: "Item",
  version: "Version of the asset",
};

export const labelOf = (name: string): string => labels[name] ?? capitalized(wordOf(name));

/** What is recorded otherwise, or follows from what is recorded, by section; `*` is every section. */
const without: { readonly [S in SectionName | "*"]?: readonly string[] } = {
  "*": ["ref", "created_at", "updated_at"],
  approvals: ["status"],
};

/** What is recorded of an item of a list. */
const withoutInRows: readonly string[] = ["status", "note", "decided_by"];

function fieldsOf(schema: AnySchema): FieldControl[] {
  return Object.entries(schema.entries ?? {}).flatMap(([name, entry]) => {
    const control = controlOf(entry);
    if (control === undefined) return [];
    const optional = entry.type === "optional" && entry.default === undefined;
    return [
      {
        name,
        label: labelOf(name),
        control,
        optional,
        nullable: entry.type === "nullable",
        otherwise: v.getDefault(entry),
      },
    ];
  });
}

/** The controls of the form of a section. */
export function controlsOf(section: SectionName): FieldControl[] {
  const hidden = new Set([
    ...(without["*"] ?? []),
    ...(without[section] ?? []),
    ...(recorded[section] ?? []),
    ...(sections[section].recorded ?? []),
  ]);
  return fieldsOf(itemSchemaOf(section))
    .filter(({ name }) => !hidden.has(name))
    .map((field) => {
      if (section !== "approvals" || field.control.kind !== "rows") return field;
      const fields = field.control.fields.filter(({ name }) => !withoutInRows.includes(name));
      return { ...field, control: { kind: "rows", fields } };
    });
}

/** A part of a record. */
interface PartControl {
  name: string;
  label: string;
  kind: "line" | "lines";
}

/** What a form shows though the record does not have it yet. */
const usualParts: Readonly<Record<string, readonly string[]>> = {
  elements: ["int_ext", "set", "time_of_day", "pages", "script_day", "cast"],
  spec: ["item", "format"],
};

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one !== "object");

/** The parts of a record: the `usual` ones and those that it has. One that a form cannot show is left out. */
function partsOf(record: Raw, usual: readonly string[]): PartControl[] {
  return [...new Set([...usual, ...Object.keys(record)])].flatMap((name) => {
    const held = record[name];
    if (typeof held === "object" && held !== null && !isTexts(held)) return [];
    return [{ name, label: labelOf(name), kind: Array.isArray(held) || name === "cast" ? "lines" : "line" }];
  });
}

/** The records of a value, each with the start of the names of its texts. The last one of a list is new. */
export function recordsIn({ name, control }: FieldControl, value: unknown) {
  const usual = usualParts[name] ?? [];
  if (control.kind === "record") {
    const record = (value ?? {}) as Raw;
    return [{ start: name, record, parts: partsOf(record, usual) }];
  }
  const records = (value ?? []) as Raw[];
  const known = [...new Set(records.flatMap(Object.keys))];
  return [...records, {}].map((record: Raw, at) => ({
    ...{ start: `${name}.${at}`, record },
    parts: partsOf(record, at < records.length ? [] : known.length > 0 ? known : usual),
  }));
}

/** The name, within a record, of the text for further fields. */
export const further = "+";
