// Shows what differs between two texts, word by word: the passages that differ, with the lines around them, and the whole on demand.
import { movedPositions } from "../sequences/sequences.ts";
import { html, type Markup } from "./html.ts";

/** The most pairs of equal words that are compared; of texts with more only the ends are. */
const maxPairs = 400_000;

/** The words of a text, each with the space before it. */
const wordsOf = (text: string): string[] => text.trimEnd().match(/\s+\S*|\S+/g) ?? [];
const bare = (word: string): string => word.trim();

interface Part {
  kind: "same" | "del" | "ins";
  words: string[];
}

/** Two lists in one, with the most words in common: of the places where each word stands in both, a longest run in their order. */
function middle(from: readonly string[], to: readonly string[]): Part[] {
  const places = Map.groupBy(to.keys(), (at) => bare(to[at] ?? ""));
  const placesOf = (word: string): readonly number[] => places.get(bare(word)) ?? [];
  const count = from.reduce((sum, word) => sum + placesOf(word).length, 0);
  const compared = count > maxPairs ? [] : from;
  const pairs = compared.flatMap((word, at) =>
    placesOf(word)
      .toReversed()
      .map((place) => [at, place]),
  );
  const others = movedPositions(pairs.map(([, place]) => place));
  const common = [...pairs.filter((_, at) => !others.has(at)), [from.length, to.length]];
  let [row, column] = [0, 0];
  return common.flatMap(([at = 0, place = 0]) => {
    const parts: Part[] = [
      { kind: "del", words: from.slice(row, at) },
      { kind: "ins", words: to.slice(column, place) },
      { kind: "same", words: to.slice(place, place + 1) },
    ];
    [row, column] = [at + 1, place + 1];
    return parts.filter(({ words }) => words.length > 0);
  });
}

/** The part of the words of the longer text that both must have for the words to be compared. */
const minCommon = 0.3;

/** The parts of two texts in their order. Texts that have little in common differ as a whole. */
function compared(before: string, after: string): Part[] {
  const [from, to] = [wordsOf(before), wordsOf(after)];
  const isSame = (a: number, b: number) => bare(from[a] ?? "") === bare(to[b] ?? "");
  let start = 0;
  while (start < from.length && start < to.length && isSame(start, start)) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && isSame(from.length - 1 - end, to.length - 1 - end))
    end++;
  const parts = [
    { kind: "same" as const, words: to.slice(0, start) },
    ...middle(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    { kind: "same" as const, words: to.slice(to.length - end) },
  ];
  const common = parts.reduce((sum, { kind, words }) => sum + (kind === "same" ? words.length : 0), 0);
  if (common < minCommon * Math.max(from.length, to.length))
    return [
      { kind: "del", words: from },
      { kind: "ins", words: to },
    ];
  return parts;
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

/** Two texts in two columns of the same width, with the words that differ marked. `style` is a class of a text. */
export function textsSideBySide(before: string, after: string, style?: string): Markup {
  const parts = compared(before, after);
  const passages = passagesOf(parts);
  const countOf = (of: readonly Part[]) => linesOf(of.map(({ words }) => words.join("")).join("")).length;
  const isCut = countOf(passages.flat()) < countOf(parts);
  const of = style === undefined ? "" : ` ${style}`;
  return html`<div class="grid half">${rows(passages, of)}</div>
${isCut && html`<details><summary>The whole text</summary><div class="grid half">${rows([parts], of)}</div></details>`}`;
}
