// Finds the page of a path.
import type { WebPage } from "./page.ts";

interface Route {
  pattern: RegExp;
  page: WebPage;
}

/** A parameter of a path is an id: a positive integer. Any other text is no page. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[1-9]\\d{0,15})")}$`);

/** Returns a function that finds the page of a path, with its parameters; undefined if there is none. */
export function routerOf(pages: readonly WebPage[]) {
  const routes = pages.map((page): Route => ({ pattern: patternOf(page.path), page }));
  return (path: string): { page: WebPage; params: Record<string, string> } | undefined => {
    for (const { pattern, page } of routes) {
      const found = pattern.exec(path);
      if (found !== null) return { page, params: { ...found.groups } };
    }
    return undefined;
  };
}
