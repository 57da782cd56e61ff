// Sends a table of a page as CSV.
import { disposition, sendBody } from "../../core/http/send.ts";
import { csvFile, csvText, delimiters } from "../csv/csv.ts";
import { html, type Markup } from "./html.ts";
import type { Visit } from "./visit.ts";

/**
 * Sends rows of cells as the file `name`. The query `delimiter` separates the cells; a comma does by default.
 */
export async function sendCsv(visit: Visit, name: string, rows: readonly (readonly string[])[]): Promise<void> {
  const delimiter = delimiters.find((one) => one === visit.query.get("delimiter"));
  const texts = await visit.each(rows, (row) => csvText([row], delimiter));
  sendBody(visit.ctx, 200, Buffer.from(csvFile(texts)), {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": disposition("attachment", name),
    "cache-control": "no-store",
  });
}

/** The links to such a file, `path` with the query of its page. */
export const csvLinks = (path: string, query: string): Markup =>
  html`<a href="${path}${query}">CSV</a> <a href="${path}${query || "?"}${query && "&"}delimiter=%3B">CSV with semicolons</a>`;
