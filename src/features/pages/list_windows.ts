// A long list is shown in parts, with links to the parts before and after it and to the whole.
import type * as v from "valibot";
import type { InputSchema, TypedOperation } from "../../core/operation.ts";
import { html, type Markup } from "./html.ts";
import type { Visit } from "./visit.ts";

/** The most rows of a part. A list that is a little longer is shown whole. */
const windowSize = 100;
const wholeSize = 120;
/** The most rows of the whole list on one page: some such pages at once would take all the memory. */
const maxWhole = 10_000;

export interface ListWindow<T> {
  shown: readonly T[];
  /** The links to the other parts; empty if the list is shown whole. */
  pager: Markup;
}

interface Options<T> {
  /** How many rows of the page a row of the list takes; 1 by default. */
  weightOf?: (row: T) => number;
  /** Where the first part begins if the address does not say it. */
  start?: number;
  /** The most rows of a part, by their weight. */
  size?: number;
  /** The parameter of the address. */
  name?: string;
}

/** The parameters that show a notice after a form was sent. The links of the page do not repeat them. */
const noticeParameters = ["saved", "added", "arrived", "decided", "left", "granted", "revoked", "printed"];

/** The address of the page, with another value of a parameter if one is named, and without those in `without`. */
export function addressWith(
  { ctx, query }: Visit,
  name?: string,
  value?: string,
  without: readonly string[] = [],
): string {
  const left = [...noticeParameters, ...without];
  const parameters = new URLSearchParams([...query].filter(([name]) => !left.includes(name)));
  if (name !== undefined && value === undefined) parameters.delete(name);
  else if (name !== undefined && value !== undefined) parameters.set(name, value);
  return parameters.size === 0 ? ctx.path : `${ctx.path}?${parameters}`;
}

/** The part of a list that the address asks for: from the row of that number on, or the whole list for `all`. */
export function windowOf<T>(visit: Visit, rows: readonly T[], options: Options<T> = {}): ListWindow<T> {
  const { weightOf = () => 1, start = 0, size = windowSize, name = "from" } = options;
  const wanted = visit.query.get(name);
  const total = rows.reduce((sum, row) => sum + weightOf(row), 0);
  if (total <= wholeSize) return { shown: rows, pager: html`` };
  const link = (value: string, text: string, rel?: string) =>
    html`<a href="${addressWith(visit, name, value)}"${rel !== undefined && html` rel="${rel}"`}>${text}</a>`;
  if (wanted === "all" && total <= maxWhole)
    return {
      shown: rows,
      pager: html`<p class="pager">${link("1", "In parts")}</p>`,
    };
  /** The number of rows from one on, forwards or backwards, that make a part. */
  const countFrom = (from: number, step: 1 | -1): number => {
    let [count, weight] = [0, 0];
    for (let at = from; at >= 0 && at < rows.length; at += step) {
      weight += weightOf(rows[at] as T); // the place is one of the list
      if (count > 0 && weight > size) break;
      count++;
    }
    return count;
  };
  const asked = wanted !== null && /^[1-9]\d{0,6}$/.test(wanted) ? Number(wanted) - 1 : start;
  const first = Math.min(asked, rows.length - 1);
  const end = first + countFrom(first, 1);
  const before = countFrom(first - 1, -1);
  const pager = html`<p class="pager">
${before > 0 && link(String(first - before + 1), `← ${before} earlier`, "prev")}
<span>${first + 1} to ${end} of ${rows.length}</span>
${end < rows.length && link(String(end + 1), `Next ${countFrom(end, 1)} →`, "next")}
${total <= maxWhole && link("all", "Show all")}</p>`;
  return { shown: rows.slice(first, end), pager };
}

/**
 * The page of a list that the address asks for, where its operation gives it in pages, with the link to the one after
 * it.
 */
export async function listPage<I extends InputSchema, O extends v.GenericSchema>(
  visit: Visit,
  row: TypedOperation<I, O>,
  given: v.InferInput<I>,
  text = "Earlier",
): Promise<{ rows: v.InferOutput<O>; link: Markup; isWhole: boolean }> {
  const after = visit.query.get("after") ?? undefined;
  const { document, next } = await visit.askPage(row, after === undefined ? given : { ...given, after });
  const link = html`${next !== undefined && html`<p><a href="?after=${next}">${text}</a></p>`}`;
  return { rows: document, link, isWhole: after === undefined && next === undefined };
}
