// Follows renames: replaces each reference to a renamed thing by its new name.
import type { Form } from "./form.ts";
import type { Noun } from "./names.ts";

/** New names by former ones, of one noun. */
export interface Renames {
  noun: Noun;
  names: ReadonlyMap<string, string>;
}

/** The value with every reference to a renamed thing replaced; the value itself if there is none. */
export function renamed(value: unknown, form: Form, { noun, names }: Renames): unknown {
  if (!form.refers || value === undefined || value === null) return value;
  if (form.noun !== undefined) return form.noun === noun ? (names.get(value as string) ?? value) : value;
  const { item, fields } = form;
  if (item !== undefined && Array.isArray(value)) {
    const list = value.map((one) => renamed(one, item, { noun, names }));
    return list.some((one, at) => one !== value[at]) ? list : value;
  }
  if (fields === undefined || typeof value !== "object") return value;
  let copy: Record<string, unknown> | undefined;
  for (const { key, form: inner } of fields) {
    const field = (value as Record<string, unknown>)[key];
    const next = renamed(field, inner, { noun, names });
    if (next === field) continue;
    copy ??= { ...value };
    copy[key] = next;
  }
  return copy ?? value;
}
