// Writes descriptions as comments of programs.

/** The words of a text in lines of at most `width` characters. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A description in lines: each of its paragraphs, with an empty line between two. */
export const paragraphs = (text: string, width: number): string[] =>
  text.split(/\n\n+/).flatMap((paragraph, at) => [...(at === 0 ? [] : [""]), ...wrapped(paragraph, width)]);
