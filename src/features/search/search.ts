// Finds things of the production by words, and scenes by their number.
import * as v from "valibot";
import { holds } from "../../core/access/callers.ts";
import { jsonText } from "../../core/answers.ts";
import type { Context, Reach } from "../../core/context.ts";
import * as input from "../../core/inputs.ts";
import { ListPage, listing, pageEntries } from "../../core/listing.ts";
import { operation, reachOf } from "../../core/operation.ts";
import * as out from "../../core/records.ts";
import { many } from "../../core/store/statements.ts";
import { searchForm, searchToken } from "../../core/wording.ts";
import { alternativesOf, correctedWords, type KnownWords } from "./near_words.ts";

const { describe } = input;

const kinds = [
  ...(["scene", "asset", "person", "delivery", "approval", "shoot_day"] as const),
  ...(["vendor", "purchase_order", "department"] as const),
] as const;
/** Those that need no further scope: purchase orders need read:money. */
const openKinds = kinds.filter((kind) => kind !== "purchase_order");

const result = out.record(
  "SearchResult",
  v.object({
    kind: v.picklist(kinds),
    id: describe(out.id, "The node_id of a scene or an asset."),
    label: out.text,
    excerpt: describe(
      out.text,
      "What else is known of it, around the words that were found. Former names stand behind was.",
    ),
    rank: describe(
      out.count,
      "0 for a scene by its number and a thing by its whole label, 1 if every word is in the label, 2 if every word begins a word of the label, 3 otherwise.",
    ),
    corrected: describe(
      v.nullable(out.text),
      "The words by which it was found, because nothing has those of q: another number, or one letter of a word changed. Null if it was found by those of q.",
    ),
  }),
);

export type SearchResult = v.InferOutput<typeof result>;

/** Queries of FTS5. */
interface Queries {
  numbered: string;
  numbered_in_series: string;
  words: string;
  beginnings: string;
  /** In the place of the beginnings in labels and bodies, where other words may stand for those of the search. */
  near: string | null;
}

interface Filter extends Queries {
  /** The whole search, in the form of the index. */
  q: string;
  number?: string | undefined;
  episode?: string | undefined;
  kinds?: readonly string[] | undefined;
}

type Found = Omit<SearchResult, "corrected">;
const listKnownWords = many<{ words: string; first: string }, { word: string }>("list_known_words");
const thingsOf = listing<Reach & Filter, Found>("search");

/** A page of what is found: the results, and the cursor of the next page. */
function found(context: Context, filter: Filter & { limit: number; after?: string | undefined }) {
  const { text, next } = thingsOf(context.app.store, { ...filter, ...reachOf(context) });
  return { results: JSON.parse(text) as Found[], next }; // safe: the statement makes results
}

/** In tokens of the index: words, or characters of Chinese, Japanese, Korean and Thai. */
const excerptLength = 20;

/** The tokens of a text around the first ones that begin as one of `words` does; the whole text if it is short. */
function excerptOf(text: string, words: readonly string[]): string {
  const found = [...text.matchAll(searchToken)];
  if (found.length <= excerptLength) return text;
  const phrases = words.map((word) => searchForm(word).match(searchToken) ?? []);
  const begins = (at: number, part: string): boolean => searchForm(found[at]?.[0] ?? "").startsWith(part);
  const hit = found.findIndex((_, at) =>
    phrases.some((parts) => parts.length > 0 && parts.every((part, nth) => begins(at + nth, part))),
  );
  const first = Math.max(0, Math.min(hit - 3, found.length - excerptLength));
  const part = text.slice(first === 0 ? 0 : found[first]?.index, found[first + excerptLength]?.index).trimEnd();
  return `${first === 0 ? "" : "…"}${part}${first + excerptLength < found.length ? "…" : ""}`;
}

/** The words of a text as people type them: runs of letters, digits and private characters, with their marks. */
const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const wordsOf = (text: string): string[] => text.match(wordPattern) ?? [];

/** Tokens in a row. A word of Chinese, Japanese, Korean or Thai is one token for each character, any other is one. */
const phraseOf = (word: string): string => `"${searchForm(word)}"`;

/** The number stands first in the label of a scene; in a series, the code of the episode does. */
function queriesOf(words: readonly string[], number = "", episode = ""): Queries {
  // finds nothing
  const all = (after: string) => words.map((word) => `${phraseOf(word)}${after}`).join(" AND ") || '""';
  const named = phraseOf([...wordsOf(episode), ...wordsOf(number)].join(" "));
  return {
    numbered: `^${named}`,
    numbered_in_series: `${episode === "" ? "" : "^"}${named}`,
    words: all(""),
    beginnings: all("*"),
    near: null,
  };
}

/**
 * Queries of FTS5 by which each word may also be one of those that stand for it. The scripts of scenes are not searched
 * for these.
 */
function nearQueriesOf(words: readonly string[], near: readonly ReadonlySet<string>[]): Queries {
  const groups = words.map((word, at) => [`${phraseOf(word)}*`, ...[...(near[at] ?? [])].map((other) => `"${other}"`)]);
  const all = groups.map((group) => `(${group.join(" OR ")})`).join(" AND ");
  return { ...queriesOf([]), near: all };
}

/** The scene that a text may name: "103/4" with its episode, "22A" alone. */
function sceneIn(text: string): { episode?: string | undefined; number?: string | undefined } {
  const [, episode, number = ""] = /^([\p{L}\p{N}]+)\s*\/\s*(\S+)$/u.exec(text) ?? [];
  if (/\d/.test(number)) return { episode, number };
  return /^\S+$/.test(text) && /\d/.test(text) ? { number: text } : {};
}

/**
 * What a query means: "scene 22", "22 scene" and "103/4" name a scene, "22A" may name one, and everything else is text.
 */
function meaningOf(q: string) {
  const [, behind, before] = /^(?:sc[eè]nes?|sc\.?)\s+(\S.*)$|^(\S+)\s+sc[eè]nes?$/i.exec(q) ?? [];
  const name = behind ?? before ?? "";
  const isNamed = /\d/.test(name);
  const rest = isNamed ? name : q;
  const { episode, number } = sceneIn(rest);
  return { episode, number, words: wordsOf(rest), isScene: isNamed || episode !== undefined };
}

/** At most `limit` assets whose labels have all words of a text, or words that begin with them. */
export const assetsByWords = (context: Context, text: string, limit: number): Found[] => {
  const filter = { ...queriesOf(wordsOf(text)), q: searchForm(text), limit, kinds: ["asset"] };
  return found(context, filter).results.filter(({ rank }) => rank < 3);
};

/** Whether the page before was one of what has the words: then the page after the last one is empty. */
const findsAnything = (context: Context, filter: Parameters<typeof found>[1]): boolean =>
  found(context, { ...filter, after: undefined, limit: 1 }).results.length > 0;

/** How many results all pages have. No list that is collected for them has more than this limit. */
const countFound = (context: Context, filter: Filter): number =>
  found(context, { ...filter, after: undefined, limit: 1_000_000 }).results.length;

/** The page as it is sent. `near`: what stood for each word. */
function pageOf(
  { results, next }: ReturnType<typeof found>,
  words: readonly string[],
  near?: readonly ReadonlySet<string>[],
  total?: number,
): ListPage<SearchResult[]> {
  const rows = results.map((one) => {
    const by = near === undefined ? words : correctedWords(words, near, wordsOf(`${one.label} ${one.excerpt}`));
    return { ...one, excerpt: excerptOf(one.excerpt, by), corrected: near === undefined ? null : by.join(" ") };
  });
  return new ListPage(jsonText(rows), next, total);
}

export const search = operation({
  name: "search",
  summary:
    'Finds scenes (by number, slugline, synopsis, cast, color or omitted), assets, people, deliveries, approvals, shoot days, vendors, departments, purchase orders (read:money); by former names too. Every word must begin a word of the thing. Else plurals and one wrong letter are tried: "corrected". "scene 22", "103/4" and "day 25" find by number. About 170 bytes each.',
  path: "/search",
  scope: "read",
  input: v.object({
    q: describe(input.text(200), "The words."),
    kinds: v.optional(describe(input.listOf(kinds), "Return only these kinds.")),
    limit: v.optional(input.limit, 20),
    after: pageEntries.after,
    total: pageEntries.total,
  }),
  output: v.array(result),
  run(context, { q, kinds, limit, after, total }) {
    const { episode, number, words, isScene } = meaningOf(q.trim());
    const seen = holds(context.caller.scopes, "read:money")
      ? kinds
      : openKinds.filter((kind) => kinds?.includes(kind) ?? true);
    const asked = isScene ? (kinds ?? ["scene"]).filter((kind) => kind === "scene") : seen;
    const given = { q: searchForm(q), number, episode, kinds: asked, limit, after };
    const exact = { ...queriesOf(words, number, episode), ...given };
    const page = found(context, exact);
    const isSomewhere = (word: string) => findsAnything(context, { ...exact, ...queriesOf([word]), number: undefined });
    const knownWords: KnownWords = (words, first) =>
      listKnownWords(context.app.store, { words: JSON.stringify(words), first }).map(({ word }) => word);
    const near = page.results.length === 0 ? alternativesOf(words, isSomewhere, knownWords) : undefined;
    const countOf = (filter: Filter) => (total ? countFound(context, filter) : undefined);
    if (near === undefined || (after !== undefined && findsAnything(context, exact)))
      return pageOf(page, words, undefined, countOf(exact));
    const wider = { ...given, ...nearQueriesOf(words, near) };
    return pageOf(found(context, wider), words, near, countOf(wider));
  },
});
