// Makes texts of other programs fit to be shown and stored.

/** On one line, without control characters. */
export const cleanText = (text: string, most = 500): string =>
  text
    .slice(0, 4 * most)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, most)
    .toWellFormed();
