// Turns the fields of a thing into the texts of a form, and the texts of a form into fields.
import { unprocessable } from "../../../../core/errors.ts";
import { withTypedLength } from "../../../names/page_lengths.ts";
import type { FormFields } from "../../../pages/page.ts";
import { FormRefusal } from "../../../pages/refusals.ts";
import { isRecord, type Raw } from "../../sections/form.ts";
import { type FieldControl, fieldGroupsOf, further } from "./controls.ts";

/** The texts of a field by their names in the form. */
export type Texts = Readonly<Record<string, string>>;

const plain = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "boolean" ? (value ? "yes" : "no") : plain(String(value));
}

/** The texts that a form shows for a value. */
export function textsOf(field: FieldControl, stored: unknown): Texts {
  const value = stored ?? field.otherwise;
  const texts = fieldGroupsOf(field, value)?.flatMap(({ start, record, fields, isNew }) =>
    fields.map(({ name, otherwise }) => [`${start}.${name}`, textOf(record[name] ?? (isNew ? "" : otherwise))]),
  );
  return Object.fromEntries(texts ?? [[field.name, textOf(value)]]);
}

/** The texts of the same names as they were sent. What was not sent is empty, but for a box that is not checked. */
export const submittedTexts = ({ name, control }: FieldControl, shown: Texts, form: FormFields): Texts =>
  Object.fromEntries(
    [...new Set([...Object.keys(shown), ...partNames(form, name)])].map((key) => [
      key,
      control.kind === "check" ? (form.text(key) === "yes" ? "yes" : "no") : plain(form.text(key)),
    ]),
  );

/** The names of the parts of a field that were sent: a form that was shown earlier may have had more of them. */
const partNames = (form: FormFields, name: string): string[] =>
  form.names().filter((key) => key.startsWith(`${name}.`));

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** A number where the text is one; other text stays, and the import says what is wrong with it. */
const numberOf = (text: string): number | string =>
  /^-?\d+(?:\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;

/** A number as people type it, `12.50` too, with at most as many digits as a number keeps. */
const typedNumber = (text: string): number | string =>
  /^-?\d{1,15}(?:\.\d+)?$/.test(text) && text.length <= 16 ? Number(text) : numberOf(text);

const pagesKey = "elements.pages";

const empty = (optional: boolean): null | "" => (optional ? null : "");

function single({ control: { kind }, optional }: FieldControl, text: string): unknown {
  if (kind === "check") return text === "yes";
  if (kind === "lines") return linesOf(text);
  if (text === "") return empty(optional);
  return kind === "number" ? typedNumber(text) : text;
}

/** A part of a record keeps the type that it had. */
function part(former: unknown, text: string): unknown {
  if (Array.isArray(former))
    return linesOf(text).map((line, at) => (typeof former[at] === "number" ? numberOf(line) : line));
  if (typeof former === "number") return numberOf(text);
  return typeof former === "boolean" && /^(?:yes|no)$/.test(text) ? text === "yes" : text;
}

/** The fields of lines such as "Codec: ProRes". Throws 422 for another line. */
const furtherFields = (text: string): Raw =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = Math.max(0, line.indexOf(":"));
      const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
      if (name.trim() === "" || value === "")
        throw unprocessable(`write "${line}" with its name first, such as "Format: ${line}"`);
      return [name.trim().toLowerCase().replace(/\s+/g, "_"), numberOf(value)];
    }),
  );

/** The record of texts whose names have that start. What a form does not show of the former one stays. */
function recordOf(start: string, texts: readonly [key: string, text: string][], former: Raw, shown: Texts): Raw {
  const record = { ...former };
  for (const [key, text] of texts) {
    if (text === (shown[key] ?? "")) continue;
    const name = key.slice(start.length + 1);
    if (name === further) Object.assign(record, furtherFields(text));
    else if (text === "") delete record[name];
    else record[name] = name === "cast" ? linesOf(text) : part(record[name], text);
  }
  const isTyped = start === "elements" && record.pages !== former.pages;
  return isTyped
    ? withTypedLength(record, (sentence) => new FormRefusal(422, `Pages: ${sentence}.`, [pagesKey]))
    : record;
}

/** The value of texts of a form. Throws 422 if they have none. */
export function fieldValue(field: FieldControl, texts: Texts, former: unknown): unknown {
  const { name, control } = field;
  const shown = control.kind === "rows" ? {} : textsOf(field, former);
  if (control.kind === "record") return recordOf(name, Object.entries(texts), isRecord(former) ? former : {}, shown);
  const byItem = Map.groupBy(Object.entries(texts), ([key]) => key.split(".", 2).join("."));
  const items = fieldGroupsOf(field, former, texts)?.flatMap(({ start, record, fields }) => {
    if (control.kind === "records") {
      const sent = recordOf(start, byItem.get(start) ?? [], record, shown);
      return Object.keys(sent).length === 0 ? [] : [sent];
    }
    const given = fields.map((one) => [one, texts[`${start}.${one.name}`] ?? ""] as const);
    if (given.every(([{ control }, text]) => text === "" || control.kind === "check")) return [];
    const entries = given.flatMap(([one, text]): [string, unknown][] =>
      text === "" ? (one.nullable ? [[one.name, null]] : []) : [[one.name, single(one, text)]],
    );
    return [Object.fromEntries(entries)];
  });
  return items ?? single(field, texts[name] ?? "");
}
