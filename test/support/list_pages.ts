// Follows a list from page to page. A list whose cursor comes a second time fails at once, by its name.

/** The path of the next page of a list of the API; undefined on its last one. */
export const nextIn = (response: Response): string | undefined =>
  /<https?:\/\/[^/]+(\/[^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];

/**
 * Every page of the list `name`. `read` gets the cursor that `next` found in the page before, and none for the first
 * page.
 */
export async function* followed<Page>(
  name: string,
  read: (cursor: string | undefined) => Promise<Page>,
  next: (page: Page) => string | undefined,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = next(page);
    if (cursor !== undefined && seen.has(cursor)) throw new Error(`the cursor ${cursor} of ${name} repeats`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

/** The answers of all pages of a list of the API, from the path of its first page. */
export const answersOf = (ask: (path: string) => Promise<Response>, path: string): AsyncGenerator<Response> =>
  followed(path, (next = path) => ask(next), nextIn);
