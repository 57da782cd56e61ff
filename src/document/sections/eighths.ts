// Reads and writes lengths of scenes in eighths of a page: integers here, "1 7/8" in files.

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
