// Names the parameters of a query that nothing reads, in the header Tallylight-Ignored: a misspelt one is else an
// answer to another question. docs/api.md, "Reading".
import type { RequestContext } from "./request_context.ts";

/** The header that names them. */
export const ignoredHeader = "tallylight-ignored";

const maxNames = 10;
/** In code points. */
const maxName = 100;

/** The names of a query that are not known, as the header has them; undefined if there is none. */
export function ignoredIn(query: string, known: (name: string) => boolean): string | undefined {
  if (query === "") return undefined;
  const unknown = new Set([...new URLSearchParams(query).keys()].filter((name) => name !== "" && !known(name)));
  if (unknown.size === 0) return undefined;
  const cut = (name: string) => [...name.slice(0, 2 * maxName)].slice(0, maxName).join("");
  return [...unknown]
    .slice(0, maxNames)
    .map((name) => encodeURIComponent(cut(name).toWellFormed()))
    .join(", ");
}

/** Sets the header of an answer, whatever it will be, for a route that knows few parameters. */
export function nameIgnored({ query, res }: RequestContext, known: readonly string[] = []): void {
  const ignored = ignoredIn(query, (name) => known.includes(name));
  if (ignored !== undefined) res.setHeader(ignoredHeader, ignored);
}
