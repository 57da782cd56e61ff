// Builds HTML text: a template tag that escapes its values, and the document around the body of every page.
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

/** Template tag: escapes every value except Markup. */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Markup {
  let text = strings[0] as string; // a template has at least one string
  for (let at = 0; at < parts.length; at++) text += escaped(parts[at]) + strings[at + 1];
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
