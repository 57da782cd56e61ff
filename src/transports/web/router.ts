// Finds the page of a path. The list of the pages is loaded with the first request for one.
import { loadLater } from "../../network.ts";
import type { WebPage } from "./page.ts";

interface Route {
  pattern: RegExp;
  page: WebPage;
}

/** A parameter of a path is an id: a positive integer. Any other text is no page. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(".", "\\.").replace(/:(\w+)/g, "(?<$1>[1-9]\\d{0,15})")}$`);

let routes: readonly Route[] | undefined;

/** Finds the page of a path, with its parameters; undefined if there is none. */
export async function findPage(path: string): Promise<{ page: WebPage; params: Record<string, string> } | undefined> {
  if (routes === undefined) {
    const { pages } = await loadLater<typeof import("./pages.ts")>("./pages.ts", import.meta);
    routes = pages.map((page) => ({ pattern: patternOf(page.path), page }));
  }
  for (const { pattern, page } of routes) {
    const found = pattern.exec(path);
    if (found !== null) return { page, params: { ...found.groups } };
  }
  return undefined;
}
