// Names the parameters of a query and the fields of a body that nothing reads, in the header Tallylight-Ignored: a
// misspelt one is else an answer to another question. docs/api.md, "Reading".
import type { RequestContext } from "./request_context.ts";

/** The header that names them. */
export const ignoredHeader = "tallylight-ignored";

const maxNames = 10;
/** In code points. */
const maxName = 100;

/** Names as the header has them; undefined if there is none. */
function headerOf(unknown: ReadonlySet<string>): string | undefined {
  if (unknown.size === 0) return undefined;
  const cut = (name: string) => [...name.slice(0, 2 * maxName)].slice(0, maxName).join("");
  return [...unknown]
    .slice(0, maxNames)
    .map((name) => encodeURIComponent(cut(name).toWellFormed()))
    .join(", ");
}

/** The names of a query that are not known, as the header has them; undefined if there is none. */
export function ignoredIn(query: string, known: (name: string) => boolean): string | undefined {
  if (query === "") return undefined;
  return headerOf(new Set([...new URLSearchParams(query).keys()].filter((name) => name !== "" && !known(name))));
}

/** Names the fields of a body that are not known in the header of the answer, after the parameters of the query. */
export function nameIgnoredFields({ res }: RequestContext, given: readonly string[], known: readonly string[]): void {
  const fields = headerOf(new Set(given.filter((name) => name !== "" && !known.includes(name))));
  if (fields === undefined) return;
  const all = [res.getHeader(ignoredHeader), fields].filter((names) => names !== undefined).join(", ");
  res.setHeader(ignoredHeader, all.split(", ").slice(0, maxNames).join(", "));
}

/** Sets the header of an answer, whatever it will be, for a route that knows few parameters. */
export function nameIgnored({ query, res }: RequestContext, known: readonly string[] = []): void {
  const ignored = ignoredIn(query, (name) => known.includes(name));
  if (ignored !== undefined) res.setHeader(ignoredHeader, ignored);
}
