// Builds HTML text: a template tag that escapes its values, and the document around the body of every page.
import { withoutEnd } from "../../core/wording.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text that is markup and is not escaped again. Only this file can make it, so no other one can send a text without
 * escaping it.
 */
class MarkupText {
  readonly text: string;
  declare private readonly madeHere: true; // otherwise any object with a text would have this type
  constructor(text: string) {
    this.text = text;
  }
}
export type Markup = MarkupText;

export const isMarkup = (value: unknown): value is Markup => value instanceof MarkupText;

/** A value in a template. Nothing is written for undefined, null and false. */
export type HtmlPart = Markup | string | number | undefined | null | false | readonly Markup[];

const special = /[&<>"']/;

function escaped(part: HtmlPart): string {
  if (part instanceof MarkupText) return part.text;
  if (typeof part === "string") {
    // Most texts have nothing to escape, and testing is quicker than replacing.
    return special.test(part) ? part.replace(/[&<>"']/g, (mark) => entities[mark] as string) : part;
  }
  if (part === undefined || part === null || part === false) return "";
  if (typeof part === "number") return String(part);
  let text = "";
  for (const markup of part) text += markup.text;
  return text;
}

/** A character of a script that is written from right to left. As code units, so that most texts are passed at once. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\ud802\ud803\ud83a\ud83b]/;
/** A tag that opens no element of text. */
const holdsNoText = /^<(?:\/|!|br\b|hr\b|img\b|input\b)/;
/** Inside a tag, or in the value of an attribute of a tag that another template opens. */
const inTag = /<[^<>]*$|="[^"<>]*$/;
/** Elements that hold no others. */
const plainElement = /<(?:title|option|textarea|script|style)\b[^<>]*>[^<]*$/;

/**
 * The markup before the value behind a string of a template, and the value, a right-to-left text: with the direction
 * `auto` if it is all of an element, otherwise in an element of its own, so that it does not move what is beside it. A
 * sentence of the product that may begin with a name stands in an element whose template says `dir="ltr"`.
 */
function directed(text: string, strings: readonly string[], at: number, part: string): string {
  const [last, after] = [strings[at] ?? "", strings[at + 1] ?? ""];
  const before = strings.slice(0, at + 1).join("");
  if (inTag.test(before)) return text + escaped(part);
  const isAlone = />\s*$/.test(last) && /^\s*<\//.test(after);
  const tag = before.slice(before.lastIndexOf("<"));
  if (isAlone && (tag.startsWith("<bdi>") || tag.includes(' dir="'))) return text + escaped(part);
  if (isAlone && !holdsNoText.test(tag)) {
    const end = text.lastIndexOf(">");
    return `${text.slice(0, end)} dir="auto"${text.slice(end)}${escaped(part)}`;
  }
  if (plainElement.test(before)) return text + escaped(part);
  // A sentence's marks beside the text are of the sentence: ", علي" has the comma before the name.
  const [start = ""] = /^[\s,;:.]*/.exec(part) ?? [];
  const own = withoutEnd(part.slice(start.length), /[\s,;:]/);
  return `${text}${start}<bdi>${escaped(own)}</bdi>${part.slice(start.length + own.length)}`;
}

/** Template tag: escapes every value except Markup, and says the direction of right-to-left text. */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Markup {
  let text = strings[0] as string; // a template has at least one string
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (typeof part === "string" && rightToLeft.test(part)) text = directed(text, strings, at, part);
    else text += escaped(part);
    text += strings[at + 1];
  }
  return new MarkupText(text);
}

/** Markup that begins with an element, with a further attribute of that element. */
export const withAttribute = ({ text }: Markup, name: string, value: string): Markup =>
  new MarkupText(text.replace(/^\s*<\w+/, (element) => `${element} ${name}="${escaped(value)}"`));

const lamp = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1d1f24"/><circle cx="8" cy="8" r="4" fill="#e5383b"/></svg>',
)}`;

/**
 * Returns a complete HTML document. `styles` and `scripts` are addresses, `theme` is a class of the root element, and
 * `sheet` what each printed page says.
 */
export const page = (
  title: string,
  styles: readonly string[],
  scripts: readonly string[],
  body: Markup,
  theme = "",
  sheet?: string,
): string =>
  html`<!doctype html>
<html lang="en" class="${theme}"${sheet !== undefined && html` data-sheet="${sheet}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${lamp}">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">`)}
${scripts.map((src) => html`<script src="${src}" defer></script>`)}
</head>
<body>
${body}
</body>
</html>
`.text;
