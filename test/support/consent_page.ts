// Plays the person at the browser: opens the sign-in page, reads its form and sends it.
import * as assert from "uvu/assert";
import { unescaped } from "./pages.ts";

/** A page and the form on it. */
export interface Page {
  response: Response;
  text: string;
  /** The form's hidden fields. */
  hidden: Record<string, string>;
  action: string;
}

const accept = "text/html,application/xhtml+xml";

async function pageOf(response: Response): Promise<Page> {
  const text = await response.text();
  const hidden: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g))
    hidden[name as string] = unescaped(value as string);
  const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1] ?? "";
  return { response, text, hidden, action: new URL(action, response.url).href };
}

/** Opens the page at an authorization address without following redirects. */
export const openPage = async (url: string | URL): Promise<Page> =>
  pageOf(await fetch(url, { headers: { accept }, redirect: "manual" }));

/** Sends the page's form with the fields that the person filled in. */
export const sendForm = async (
  { hidden, action }: Page,
  filled: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Page> =>
  pageOf(
    await fetch(action, {
      method: "POST",
      headers: { accept, ...headers },
      body: new URLSearchParams({ ...hidden, ...filled }),
      redirect: "manual",
    }),
  );

/** The address that a page redirects the person to. */
export function locationOf({ response, text }: Page): URL {
  assert.is(response.status, 303, text);
  return new URL(response.headers.get("location") as string);
}

/** Signs in with a key and allows the app; returns the address that the person is redirected to. */
export async function signIn(url: string | URL, api_key: string): Promise<URL> {
  const review = await sendForm(await openPage(url), { api_key, step: "review" });
  assert.is(review.response.status, 200, review.text);
  return locationOf(await sendForm(review, { step: "allow" }));
}
