// Values of any kind as text, for before and after.
import { timeText } from "../../dates.ts";
import { wordOf } from "../../parts.ts";

const maxLength = 300;

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

function words(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return timeText(value);
  if (!isObject(value)) return String(value);
  if (Array.isArray(value)) return value.map(words).join(value.some(isObject) ? " · " : ", ");
  const fields = Object.entries(value as object).filter(
    ([, one]) => !isEmpty(one) && !(Array.isArray(one) && one.length === 0),
  );
  return fields.map(([name, one]) => `${wordOf(name)}: ${words(one)}`).join("; ");
}

/** A value as people read it. A long text is cut. */
export function valueText(value: unknown): string {
  const text = isEmpty(value) ? "" : words(value);
  if (text === "") return "—";
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
