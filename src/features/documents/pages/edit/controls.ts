// Derives the controls of a form from the schema of a section: a new field of documents gets one without another
// change.
import * as v from "valibot";
import * as input from "../../../../core/inputs.ts";
import { capitalized, wordOf } from "../../../pages/html_parts.ts";
import { greatest } from "../../../sequences/sequences.ts";
import { formOf, isRecord, itemSchemaOf, type Raw, rawsOf } from "../../sections/form.ts";
import { forSections, type Noun, type SectionName } from "../../sections/sections.ts";
import { saidOf } from "../../sections/values.ts";

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
  /** What stands beside the label; undefined if nothing does. */
  hint: string | undefined;
  /** What it shows of a record though that does not have it yet, with the labels. */
  parts: Readonly<Record<string, string>>;
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

/** The most items of a list that a form may have. */
const maxItems = 4_000;

/** The most characters of a text that has one line. */
const maxLine = 1_000;

function maxLengthOf({ pipe = [] }: AnySchema): number {
  const found = pipe.find(({ type }) => String(type) === "max_length")?.requirement;
  if (typeof found === "number") return found;
  const [inner] = pipe;
  return inner?.pipe === undefined ? Number.POSITIVE_INFINITY : maxLengthOf(inner);
}

/** The control of a value; undefined if a form has none for it. */
function controlOf(schema: AnySchema): Control | undefined {
  if (schema.wrapped !== undefined) return controlOf(schema.wrapped);
  if (schema.pipe === input.date.pipe || schema.pipe === input.shootDate.pipe) return { kind: "date" };
  if (schema === input.timestamp) return undefined;
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

/** The name, within a record, of the text for further fields. */
export const further = "+";

const labelOfName = (name: string): string => capitalized(wordOf(name));

/** Whether no form has a field: others did what it says, or it follows from that. */
const isHidden = (schema: AnySchema): boolean => {
  const { recorded, follows } = saidOf(schema);
  return recorded === true || follows === true;
};

const fieldsOf = (schema: AnySchema): FieldControl[] =>
  Object.entries(schema.entries ?? {}).flatMap(([name, entry]) => {
    const { label = labelOfName(name), hint, parts = {}, dated } = saidOf(entry);
    const control: Control | undefined = dated ? { kind: "date" } : controlOf(entry);
    if (control === undefined || isHidden(entry)) return [];
    return [
      {
        ...{ name, label, hint, parts, control },
        optional: entry.type === "optional" && entry.default === undefined,
        nullable: entry.type === "nullable",
        otherwise: v.getDefault(entry),
      },
    ];
  });

/** The controls of the form of a section. */
export const controlsOf = forSections((section) => fieldsOf(itemSchemaOf(section)));

/** The label of a field of a section; without a control too, such as that of a list that an import filled. */
export const labelOf = (section: SectionName, name: string): string =>
  controlsOf(section).find((field) => field.name === name)?.label ?? labelOfName(name);

/** The label of a part of a field: of a field of the items of its list, or of a record. */
export function labelOfPart({ control, parts }: FieldControl, name: string): string {
  const own = control.kind === "rows" ? control.fields.find((field) => field.name === name)?.label : parts[name];
  return own ?? labelOfName(name);
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one !== "object");

/**
 * The fields of a record: the usual ones, those that it has, and further ones. One that a form cannot show is left out.
 */
const recordFields = (record: Raw, usual: readonly string[], field: FieldControl): FieldControl[] =>
  [...new Set([...usual, ...Object.keys(record), further])].flatMap((name) => {
    const held = record[name];
    if (typeof held === "object" && held !== null && !isTexts(held)) return [];
    const isList = Array.isArray(held) || name === "cast";
    const kind = name === further ? "text" : isList ? "lines" : "line";
    const label = name === further ? "Further fields" : labelOfPart(field, name);
    const hint = name === further ? "one in each line, such as Codec: ProRes" : undefined;
    return [
      { ...{ name, label, hint, parts: {}, control: { kind } }, optional: true, nullable: false, otherwise: undefined },
    ];
  });

/** Fields that stand together: those of a record, or of an item of a list. */
interface FieldGroup {
  /** The start of the names of its texts. */
  start: string;
  record: Raw;
  fields: readonly FieldControl[];
  /** Whether it is for a new item of a list. */
  isNew: boolean;
}

/** How many empty items a list offers. */
export const emptyItems = { rows: 3, records: 1 } as const;

/**
 * The groups of a field that has them; undefined for any other. A form that was shown earlier may have had more of
 * them, as its texts say.
 */
export function fieldGroupsOf(field: FieldControl, value: unknown, texts: object = {}): FieldGroup[] | undefined {
  const { name, control, parts } = field;
  const usual = Object.keys(parts);
  if (control.kind === "record") {
    const record = isRecord(value) ? value : {};
    return [{ start: name, record, fields: recordFields(record, usual, field), isNew: false }];
  }
  if (control.kind !== "rows" && control.kind !== "records") return undefined;
  const records = rawsOf(value);
  const sent = Object.keys(texts).map((key) => Number(key.slice(name.length + 1).split(".")[0]) + 1);
  const known = [...new Set(records.flatMap(Object.keys))];
  const ofNew = recordFields({}, known.length > 0 ? known : usual, field);
  const length = greatest([records.length + emptyItems[control.kind], ...sent.filter((count) => count <= maxItems)]);
  return Array.from({ length }, (_, at) => {
    const [record = {}, isNew] = [records[at], at >= records.length];
    const fields = control.kind === "rows" ? control.fields : isNew ? ofNew : recordFields(record, [], field);
    return { start: `${name}.${at}`, record, fields, isNew };
  });
}
