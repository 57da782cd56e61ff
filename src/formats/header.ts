// Finds the header row of a list, and with it the delimiter of the file: with the right delimiter, a row has known headers.
import { type CsvRow, type Delimiter, delimiters, readHead } from "./csv.ts";
import { fold } from "./spelling.ts";

export interface Header {
  row: CsvRow;
  /** The field of each column, in the order of the file; undefined where no field is known for it. */
  fields: readonly (string | undefined)[];
}

/** The field of each header, by its folded text. */
export type Aliases = ReadonlyMap<string, string>;
/** Fields of which one whole set must be there. */
export type Needs = readonly (readonly string[])[];

/** How many columns of the row are known; 0 if the row has not what is needed. */
function countFields(fields: readonly (string | undefined)[], needs: Needs): number {
  const known = new Set(fields.filter((field) => field !== undefined));
  return needs.some((set) => set.every((field) => known.has(field))) ? known.size : 0;
}

/** The first of the rows with the most known columns. Titles and blank lines may precede it. */
export function findHeader(rows: readonly CsvRow[], aliases: Aliases, needs: Needs): Header | undefined {
  let found: Header | undefined;
  let most = 0;
  for (const row of rows.slice(0, 100)) {
    const fields = row.cells.map((cell) => aliases.get(fold(cell)));
    const count = countFields(fields, needs);
    if (count <= most) continue;
    found = { row, fields };
    most = count;
  }
  return found;
}

/** The delimiter with which the row of headers has the most known columns; without headers, the one with the most cells. */
export function findDelimiter(bytes: Buffer, aliases: Aliases, needs: Needs): Delimiter {
  let best: { delimiter: Delimiter; fields: number; cells: number } | undefined;
  for (const delimiter of delimiters) {
    const rows = readHead(bytes, delimiter);
    const header = findHeader(rows, aliases, needs);
    const fields = header === undefined ? 0 : countFields(header.fields, needs);
    const cells = Math.max(0, ...rows.map((row) => row.cells.length));
    if (best === undefined || fields > best.fields || (fields === best.fields && cells > best.cells))
      best = { delimiter, fields, cells };
  }
  return best?.delimiter ?? ",";
}
