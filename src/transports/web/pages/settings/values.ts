// Values of any kind as text, for before and after.

const maxLength = 300;

/** A value as people read it; JSON if it is a list or an object. A long text is cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "—";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
