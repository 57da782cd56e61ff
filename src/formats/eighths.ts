// Lengths of scenes in eighths of a page: integers here, "1 7/8" on paper.

/** The eighths that "1 7/8", "7/8" or "2" stand for; undefined if `text` is not a number of eighths, as "1 9/8". */
export function parseEighths(text: string): number | undefined {
  const found = /^(?:(\d{1,4})(?:\s+([1-7])\/8)?|([1-7])\/8)$/.exec(text.trim());
  return found === null ? undefined : Number(found[1] ?? 0) * 8 + Number(found[2] ?? found[3] ?? 0);
}

/** "1 7/8", "7/8" or "2". */
export function printEighths(eighths: number): string {
  const [pages, rest] = [Math.floor(eighths / 8), eighths % 8];
  if (rest === 0) return String(pages);
  return pages === 0 ? `${rest}/8` : `${pages} ${rest}/8`;
}
