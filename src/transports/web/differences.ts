// Shows what differs between two values: texts word by word, lists by what was added and removed.
import { html, type Markup } from "./html.ts";

/** The most pairs of words that are compared; of longer texts only the ends are. */
const maxPairs = 400_000;

/** The words of a text, each with the space before it. */
const wordsOf = (text: string): string[] => text.match(/\s*\S+/g) ?? [];
const bare = (word: string): string => word.trim();

interface Part {
  kind: "same" | "del" | "ins";
  words: string[];
}

/** The common words of two lists, by dynamic programming over the lengths of their longest common rests. */
function middle(from: readonly string[], to: readonly string[]): Part[] {
  if (from.length * to.length > maxPairs || from.length === 0 || to.length === 0)
    return [
      ...(from.length > 0 ? [{ kind: "del" as const, words: [...from] }] : []),
      ...(to.length > 0 ? [{ kind: "ins" as const, words: [...to] }] : []),
    ];
  const width = to.length + 1;
  const lengths = new Uint16Array((from.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] as number; // within its bounds
  for (let row = from.length - 1; row >= 0; row--)
    for (let column = to.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        bare(from[row] as string) === bare(to[column] as string)
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const parts: Part[] = [];
  let [row, column] = [0, 0];
  while (row < from.length || column < to.length) {
    const [old, fresh] = [from[row], to[column]];
    if (old !== undefined && fresh !== undefined && bare(old) === bare(fresh)) {
      parts.push({ kind: "same", words: [fresh] });
      row++;
      column++;
    } else if (fresh === undefined || (old !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      parts.push({ kind: "del", words: [old as string] }); // one of the two is left
      row++;
    } else {
      parts.push({ kind: "ins", words: [fresh] });
      column++;
    }
  }
  return parts;
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
function side(parts: readonly Part[], kind: "del" | "ins"): Markup {
  const runs: Part[] = [];
  for (const part of parts) {
    if (part.kind !== "same" && part.kind !== kind) continue;
    if (runs.at(-1)?.kind === part.kind) runs.at(-1)?.words.push(...part.words);
    else runs.push({ ...part, words: [...part.words] });
  }
  return html`${runs.map(({ kind: run, words }) => {
    const text = words.join("");
    if (run === "same") return html`${text}`;
    return run === "del" ? html`<del>${text}</del>` : html`<ins>${text}</ins>`;
  })}`;
}

/** Two texts side by side, with the words that differ marked. */
export function textsSideBySide(before: string, after: string): Markup {
  const parts = compared(before, after);
  return html`<div class="texts"><p><span class="under">before</span>
${side(parts, "del")}</p><p><span class="under">after</span>
${side(parts, "ins")}</p></div>`;
}

/** What was added to a list of texts and what was removed from it; undefined if only the order differs. */
export function listDifference(from: readonly string[], to: readonly string[]): Markup | undefined {
  const without = (list: readonly string[], other: ReadonlySet<string>) => list.filter((one) => !other.has(one));
  const [removed, added] = [without(from, new Set(to)), without(to, new Set(from))];
  if (removed.length + added.length === 0) return undefined;
  return html`${added.length > 0 && html`added <ins>${added.join(", ")}</ins>`}${added.length > 0 && removed.length > 0 && "; "}${removed.length > 0 && html`removed <del>${removed.join(", ")}</del>`}`;
}
