// Turns the fields of a thing into the texts of a form, and the texts of a form into fields.
import { hash } from "node:crypto";
import type { SubmittedForm } from "../../form.ts";
import { type FieldControl, partsOf } from "./controls.ts";

/** The texts of a field by their names in the form. */
export type Texts = Readonly<Record<string, string>>;

/** How many empty rows a list offers. */
export const emptyRows = 3;

const plain = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "boolean" ? (value ? "yes" : "no") : plain(String(value));
}

/** The texts that a form shows for a value. */
export function textsOf({ name, control, otherwise }: FieldControl, stored: unknown): Texts {
  const value = stored ?? otherwise;
  if (control.kind === "record") {
    const record = (value ?? {}) as Record<string, unknown>;
    return Object.fromEntries(partsOf(name, value).map((part) => [`${name}.${part.name}`, textOf(record[part.name])]));
  }
  if (control.kind !== "rows") return { [name]: textOf(value) };
  const rows = (value ?? []) as Record<string, unknown>[];
  return Object.fromEntries(
    Array.from({ length: rows.length + emptyRows }, (_, at) =>
      control.fields.map((field) => [
        `${name}.${at}.${field.name}`,
        textOf(rows[at]?.[field.name] ?? (at < rows.length ? field.otherwise : "")),
      ]),
    ).flat(),
  );
}

/** The texts of the same names as they were sent. What was not sent is empty, but for a box that is not checked. */
export const sentTexts = ({ name, control }: FieldControl, shown: Texts, form: SubmittedForm): Texts =>
  Object.fromEntries(
    [...new Set([...Object.keys(shown), ...(control.kind === "rows" ? rowNames(form, name) : [])])].map((key) => [
      key,
      control.kind === "check" ? (form.text(key) === "yes" ? "yes" : "no") : plain(form.text(key)),
    ]),
  );

/** The names of the rows of a list that were sent: a form that was shown earlier may have had more of them. */
const rowNames = (form: SubmittedForm, name: string): string[] =>
  form.names().filter((key) => key.startsWith(`${name}.`));

/** A short mark of texts: a form carries it, to find out what changed since it was shown. */
export const markOfTexts = (texts: Texts): string =>
  hash(
    "sha256",
    JSON.stringify(
      Object.entries(texts)
        .filter(([, text]) => text !== "")
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  ).slice(0, 16);

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** A number where the text is one; other text stays, and the import says what is wrong with it. */
const numberOf = (text: string): number | string =>
  /^-?\d+(?:\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;

const empty = (optional: boolean): null | "" => (optional ? null : "");

function single({ control: { kind }, optional }: FieldControl, text: string): unknown {
  if (kind === "check") return text === "yes";
  if (kind === "lines") return linesOf(text);
  if (text === "") return empty(optional);
  return kind === "number" ? numberOf(text) : text;
}

/** A part of a record keeps the type that it had. */
function part(former: unknown, text: string, isList: boolean): unknown {
  if (isList) return linesOf(text);
  if (typeof former === "number") return numberOf(text);
  return typeof former === "boolean" && /^(?:yes|no)$/.test(text) ? text === "yes" : text;
}

/** The value that texts stand for. What a form does not show of the former value stays. */
export function fieldValue(field: FieldControl, texts: Texts, former: unknown): unknown {
  const { name, control } = field;
  if (control.kind === "record") {
    const record = { ...((former ?? {}) as Record<string, unknown>) };
    const shown = textsOf(field, former);
    for (const { name: key, kind } of partsOf(name, former)) {
      const text = texts[`${name}.${key}`] ?? "";
      if (text === shown[`${name}.${key}`]) continue;
      if (text === "") delete record[key];
      else record[key] = part(record[key], text, kind === "lines");
    }
    return record;
  }
  if (control.kind !== "rows") return single(field, texts[name] ?? "");
  const places = [...new Set(Object.keys(texts).map((key) => Number(key.slice(name.length + 1).split(".")[0])))];
  return places
    .sort((a, b) => a - b)
    .flatMap((at) => {
      const given = control.fields.map((one) => [one, texts[`${name}.${at}.${one.name}`] ?? ""] as const);
      if (given.every(([{ control }, text]) => text === "" || control.kind === "check")) return [];
      const entries = given.flatMap(([one, text]): [string, unknown][] =>
        text === "" ? (one.nullable ? [[one.name, null]] : []) : [[one.name, single(one, text)]],
      );
      return [Object.fromEntries(entries)];
    });
}
