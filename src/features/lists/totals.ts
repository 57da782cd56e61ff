// Recognises the rows of a list that are sums of other rows.
import { quoted } from "../names/names.ts";
import type { Findings } from "../paperwork/findings.ts";
import { money } from "./cells.ts";
import type { CsvRow, Header } from "./csv.ts";
import type { ListColumns, ListReader } from "./list.ts";

const totalWord =
  /^(?:(?:(?:grand|sub|sous|overall)[\s-]*|gesamt|zwischen)?(?:totals?|summen?|sommes?)|gesamt|insgesamt)(?: (?:pages?|pgs?|scenes?|days?|seiten|bilder|szenen))?[^\p{L}]*$/iu;

/** The word of a row that is a sum: in the place of a name or first in the row, beside no other name. */
function totalIn({ cells }: CsvRow, places: readonly number[]): string | undefined {
  let found: string | undefined;
  for (const at of places) {
    const name = cells[at] ?? "";
    if (totalWord.test(name)) found ??= name;
    else if (/\p{L}/u.test(name)) return undefined;
  }
  const first = cells.find((cell) => cell !== "") ?? "";
  return found ?? (totalWord.test(first) ? first : undefined);
}

/** The rows without those that are sums, which are said. */
export function withoutTotals<C extends ListColumns, B>(
  { needs, columns }: ListReader<C, B>,
  { fields }: Header,
  rows: readonly CsvRow[],
  findings: Findings,
): CsvRow[] {
  // An amount may have letters, those of its currency, and is no name.
  const needed = new Set<string | undefined>(needs.flat().filter((field) => columns[field]?.cell !== money));
  const places = fields.flatMap((field, at) => (needed.has(field) ? [at] : []));
  return rows.filter((row) => {
    const name = totalIn(row, places);
    if (name === undefined) return true;
    warnOfTotal(name, row.line, findings);
    return false;
  });
}

/** Whether a text beside an amount says that the row is a sum. */
export const namesTotal = (text: string): boolean => /\btotals?\b|summe\b/i.test(text);

export const warnOfTotal = (name: string, line: number, findings: Findings): void =>
  findings.warn(`${quoted(name)} is a total and was skipped`, { line });
