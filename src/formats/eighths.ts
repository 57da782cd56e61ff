// Reads and writes lengths of scenes in eighths of a page: integers here, "1 7/8" in files. Estimates a length if the file has none.
import type { Paragraph } from "./script.ts";

/** The eighths that "1 7/8", "3/8" or "2" mean, or undefined if the text is not a number of eighths. */
export function parseEighths(text: string): number | undefined {
  const found = /^(?:(\d{1,4})(?:\s+([1-7])\/8)?|([1-7])\/8)$/.exec(text.trim());
  return found === null ? undefined : Number(found[1] ?? 0) * 8 + Number(found[2] ?? found[3] ?? 0);
}

/** "1 7/8", "3/8" or "2". */
export function formatEighths(eighths: number): string {
  const pages = Math.floor(eighths / 8);
  const rest = eighths % 8;
  if (rest === 0) return String(pages);
  return pages === 0 ? `${rest}/8` : `${pages} ${rest}/8`;
}

const linesOfPage = 56;
const actionColumns = 60;
const dialogueColumns = 35;

/** How many lines `text` takes when it is wrapped at word boundaries, and inside words that are longer than a line. */
function wrappedLines(text: string, columns: number): number {
  let lines = 1;
  let used = 0;
  for (const { length } of text.split(" ")) {
    if (used > 0 && used + 1 + length <= columns) {
      used += 1 + length;
      continue;
    }
    if (used > 0) lines++;
    lines += Math.max(0, Math.ceil(length / columns) - 1);
    used = length % columns === 0 ? Math.min(length, columns) : length % columns;
  }
  return lines;
}

/**
 * An estimate of a scene's length in eighths, at least 1: action wrapped at 60 columns and dialogue at 35, 56 lines to a
 * page, a blank line after the heading, after each paragraph and after each speech, rounded up.
 */
export function estimateEighths(paragraphs: readonly Paragraph[]): number {
  let lines = 2; // the heading and the blank line below it
  let speaking = false;
  for (const { type, text } of paragraphs) {
    if (type === "dual") continue;
    const spoken = type === "dialogue" || type === "parenthetical" || type === "lyrics";
    if (speaking && !spoken) lines++;
    speaking = spoken || type === "character";
    lines += wrappedLines(text, spoken ? dialogueColumns : actionColumns) + (speaking ? 0 : 1);
  }
  return Math.max(1, Math.ceil((lines * 8) / linesOfPage));
}
