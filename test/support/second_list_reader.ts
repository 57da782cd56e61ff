// A second reader of lists, which shares nothing with the program: tests compare what both read, field by field.

/**
 * The rows of a CSV text, by the headings of the first one. Quotes, commas and line ends inside quotes are read as RFC
 * 4180 says.
 */
export function recordsOf(text: string, delimiter: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  const endCell = () => {
    rows.at(-1)?.push(cell.trim());
    cell = "";
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      cell += '"';
      at++;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === delimiter) endCell();
    else if (!isQuoted && sign === "\n") {
      endCell();
      rows.push([]);
    } else if (isQuoted || sign !== "\r") cell += sign;
  }
  endCell();
  const [headings = [], ...body] = rows.filter((cells) => cells.some((one) => one !== ""));
  return body.map((cells) => Object.fromEntries(headings.map((heading, at) => [heading, cells[at] ?? ""])));
}

/** The text of bytes: UTF-8, or Windows-1252 where they are none. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const two = (text: string): string => text.padStart(2, "0");

/** A date of digits, whose parts are in the given order. */
export function dateIn(text: string, order: "dmy" | "mdy"): string {
  const [one = "", other = "", year = ""] = text.split(/[./]/);
  return order === "dmy" ? `${year}-${two(other)}-${two(one)}` : `${year}-${two(one)}-${two(other)}`;
}

/** A date such as "Nov 30, 2026"; undefined for any other text. */
export function monthDate(text: string): string | undefined {
  const [, month = "", day = "", year = ""] = /^([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4})$/.exec(text) ?? [];
  const at = "JanFebMarAprMayJunJulAugSepOctNovDec".indexOf(month) / 3 + 1;
  return month === "" ? undefined : `${year}-${two(String(at))}-${two(day)}`;
}

/** A time such as "7:00 AM", "7h30" or "13h". */
export function timeIn(text: string): string {
  const [hour = "0", minute = "0"] = text.match(/\d+/g) ?? [];
  const later = /pm/i.test(text) && Number(hour) < 12 ? 12 : 0;
  return `${two(String(Number(hour) + later))}:${two(minute)}`;
}

/** An amount with points between thousands and a comma before the cents. */
export const germanAmount = (text: string): number => Number(text.replaceAll(".", "").replace(",", "."));

export const parts = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Scenes such as "1, 3A" or "2-3". */
export const rangeIn = (text: string): string[] =>
  parts(text).flatMap((part) => {
    const [, first, last] = /^(\d+)-(\d+)$/.exec(part) ?? [];
    if (first === undefined) return [part];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => String(Number(first) + at));
  });

/** The values of each key in the order of the first, from rows that repeat the key. */
export function groupedBy<R>(rows: readonly R[], key: (row: R) => string): [string, R[]][] {
  const groups = new Map<string, R[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups];
}
