// Shows what differs between two texts, word by word: the passages that differ, with the lines around them, and the
// whole on demand.
import { withCommas } from "../../core/wording.ts";
import { append, movedPositions } from "../sequences/sequences.ts";
import { html, type Markup } from "./html.ts";

/** How many characters two texts may have together to be compared word by word, and how many all texts of one page. */
const maxCompared = 100_000;
const maxComparedOnPage = 2_000_000;
/** How many characters are shown of a text that is not compared. */
const shownOfLong = 2_000;

/**
 * Only words in at most so many places of each text say which passages are the same: pairs of the others would be too
 * many.
 */
const maxPlaces = 4;
/** How often what lies between such words is compared again: there, other words are in few places. */
const maxRounds = 4;

/** The words of a text, each with the space before it. */
const wordsOf = (text: string): string[] => text.trimEnd().match(/\s+\S*|\S+/g) ?? [];
const bare = (word: string): string => word.trim();

interface Part {
  kind: "same" | "del" | "ins";
  words: string[];
}

const asWhole = (from: string[], to: string[]): Part[] => {
  const parts: Part[] = [
    { kind: "del", words: from },
    { kind: "ins", words: to },
  ];
  return parts.filter(({ words }) => words.length > 0);
};

/** The places of each word that is in few of them. */
function fewPlaces(words: readonly string[]): Map<string, number[]> {
  const places = Map.groupBy(words.keys(), (at) => bare(words[at] ?? ""));
  for (const [word, { length }] of places) if (length > maxPlaces) places.delete(word);
  return places;
}

/** The places of words that are the same in both lists, in their order: of the words in few places, a longest run. */
function commonPlaces(from: readonly string[], to: readonly string[]): [at: number, place: number][] {
  const [own, others] = [fewPlaces(from), fewPlaces(to)];
  const pairs = [...own]
    .flatMap(([word, places]) => places.map((at): [number, readonly number[]] => [at, others.get(word) ?? []]))
    .sort(([one], [other]) => one - other)
    .flatMap(([at, places]) => places.toReversed().map((place): [number, number] => [at, place]));
  const unused = movedPositions(pairs.map(([, place]) => place));
  return pairs.filter((_, at) => !unused.has(at));
}

/** How many words are the same at the beginnings, and how many at the ends. */
function sameEnds(from: readonly string[], to: readonly string[]): [start: number, end: number] {
  const isSame = (a: number, b: number) => bare(from[a] ?? "") === bare(to[b] ?? "");
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && isSame(start, start)) start++;
  let end = 0;
  while (end < most - start && isSame(from.length - 1 - end, to.length - 1 - end)) end++;
  return [start, end];
}

/**
 * The parts of two lists of words in their order. Its time is in proportion to the words: each round compares each word
 * with few others.
 */
function partsOf(from: string[], to: string[], rounds = maxRounds): Part[] {
  const [start, end] = sameEnds(from, to);
  const [own, other] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const common = rounds > 0 && own.length > 0 && other.length > 0 ? commonPlaces(own, other) : [];
  const between: Part[] = [];
  let [row, column] = [0, 0];
  for (const [at, place] of common) {
    append(between, partsOf(own.slice(row, at), other.slice(column, place), rounds - 1));
    between.push({ kind: "same", words: other.slice(place, place + 1) });
    [row, column] = [at + 1, place + 1];
  }
  const [ownRest, otherRest] = [own.slice(row), other.slice(column)];
  append(between, row === 0 ? asWhole(ownRest, otherRest) : partsOf(ownRest, otherRest, rounds - 1));
  const same = (words: string[]): Part[] => (words.length > 0 ? [{ kind: "same", words }] : []);
  return [...same(to.slice(0, start)), ...between, ...same(to.slice(to.length - end))];
}

/** The part of the words of the longer text that both must have for the words to be compared. */
const minCommon = 0.3;

/** The parts of two texts in their order. Texts that have little in common differ as a whole. */
function compared(before: string, after: string): Part[] {
  const [from, to] = [wordsOf(before), wordsOf(after)];
  const parts = partsOf(from, to);
  const common = parts.reduce((sum, { kind, words }) => sum + (kind === "same" ? words.length : 0), 0);
  return common < minCommon * Math.max(from.length, to.length) ? asWhole(from, to) : parts;
}

/** One side: its words, and those that the other side does not have in an element of their own. */
const side = (parts: readonly Part[], kind: "del" | "ins"): Markup =>
  html`${parts.map(({ kind: partKind, words }) => {
    const text = words.join("");
    if (partKind === "same") return html`${text}`;
    return html`${partKind === kind && (partKind === "del" ? html`<del>${text}</del>` : html`<ins>${text}</ins>`)}`;
  })}`;

/** How many lines are shown before and after what differs. */
const linesAround = 2;

const linesOf = (text: string): string[] => text.split(/(?<=\n)(?!\n)/);
const same = (text: string): Part => ({ kind: "same", words: [text] });

/** The parts that differ, each with some lines around it; what is near to another one is in the same passage. */
function passagesOf(parts: readonly Part[]): Part[][] {
  const passages: Part[][] = [[]];
  const add = (part: Part) => void passages.at(-1)?.push(part);
  const runs: Part[] = [];
  for (const { kind, words } of parts) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.words.push(words.join(""));
    else runs.push({ kind, words: [words.join("")] });
  }
  for (const [at, run] of runs.entries()) {
    const lines = linesOf(run.words.join(""));
    const [isFirst, isLast] = [at === 0, at === runs.length - 1];
    if (run.kind !== "same" || (!isFirst && !isLast && lines.length <= 2 * linesAround + 2)) {
      add(run);
      continue;
    }
    if (!isFirst) add(same(lines.slice(0, linesAround + 1).join("")));
    if (!isFirst && !isLast) passages.push([]);
    if (!isLast) add(same(lines.slice(-linesAround - 1).join("")));
  }
  return passages;
}

const labels = { del: "before", ins: "after" } as const;

/** Both sides of each passage, side by side; on a phone one below the other, so each says which it is. */
const rows = (passages: readonly (readonly Part[])[], style: string): Markup =>
  html`${passages.flatMap((parts) =>
    (["del", "ins"] as const).map(
      (kind) => html`<p class="text${style}"><span class="under">${labels[kind]}</span>
${side(parts, kind)}</p>`,
    ),
  )}`;

/** The beginning of a text, and how much more there is. */
const beginningOf = (text: string): string =>
  text.length <= shownOfLong
    ? text
    : `${text.slice(0, shownOfLong).toWellFormed()}… (and ${withCommas(text.length - shownOfLong)} more characters)`;

/** The texts of one page: how many more of their characters are compared. */
export class ComparedTexts {
  #left = maxComparedOnPage;

  /**
   * Two texts in two columns of the same width, with the words that differ marked. `style` is a class of a text. Shows
   * the beginnings of texts that are too long to compare.
   */
  sideBySide(before: string, after: string, style?: string): Markup {
    const ownStyle = style === undefined ? "" : ` ${style}`;
    const length = before.length + after.length;
    if (length > Math.min(maxCompared, this.#left)) {
      const whole = asWhole([beginningOf(before)], [beginningOf(after)]);
      return html`<p class="hint">Too long to compare word by word.</p><div class="grid half">${rows([whole], ownStyle)}</div>`;
    }
    this.#left -= length;
    const parts = compared(before, after);
    const passages = passagesOf(parts);
    const countOf = (of: readonly Part[]) => linesOf(of.map(({ words }) => words.join("")).join("")).length;
    const isCut = countOf(passages.flat()) < countOf(parts);
    return html`<div class="grid half">${rows(passages, ownStyle)}</div>
${isCut && html`<details><summary>The whole text</summary><div class="grid half">${rows([parts], ownStyle)}</div></details>`}`;
  }
}
