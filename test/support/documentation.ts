// Reads the documentation for the tests that compare it with the program: pages, headings, tables, links and commands.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";

export interface Page {
  /** From the root of the checkout, such as docs/api.md. */
  path: string;
  text: string;
}

export interface Table {
  /** The headings above it, outermost first. */
  headings: readonly string[];
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

const files = globSync(["*.md", "docs/*.md", "fixtures/**/*.md"], { cwd: root }).sort();

/** Every page of the documentation. */
export const pages: readonly Page[] = files.map((path) => ({
  path: path.replaceAll("\\", "/"),
  text: readFileSync(join(root, path), "utf8"),
}));

/** The page at a path. Throws an Error if there is none. */
export function pageAt(path: string): Page {
  const page = pages.find((one) => one.path === path);
  if (page === undefined) throw new Error(`there is no page ${path}`);
  return page;
}

/** The text outside code blocks. */
const proseOf = ({ text }: Page): string => text.replace(/^```.*?^```$/gms, "");

/** The headings with their level, in the order of the page. */
export const headingsOf = (page: Page): { level: number; text: string }[] =>
  [...proseOf(page).matchAll(/^(#+) (.+)$/gm)].map(([, marks = "", text = ""]) => ({ level: marks.length, text }));

/** The anchors of the headings, as GitHub makes them. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set<string>();
  for (const { text } of headingsOf(page)) {
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\| ?/, "")
    .replace(/ ?\|$/, "")
    .split("|")
    .map((cell) => cell.trim());

/** The tables of a page; with `heading`, those below that heading. */
export function tablesOf(page: Page, heading?: string): Table[] {
  const tables: { headings: string[]; columns: string[]; rows: string[][] }[] = [];
  let headings: string[] = [];
  let inTable = false;
  for (const line of proseOf(page).split("\n")) {
    const [, marks, text] = /^(#+) (.+)$/.exec(line) ?? [];
    if (marks !== undefined && text !== undefined) headings = [...headings.slice(0, marks.length - 1), text];
    const isRow = line.startsWith("|");
    if (isRow && !inTable) tables.push({ headings, columns: cellsOf(line), rows: [] });
    else if (isRow && !/^[|-]+$/.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
    inTable = isRow;
  }
  return tables.filter((table) => heading === undefined || table.headings.includes(heading));
}

/** The one table below a heading. Throws an Error if there is none or there are several. */
export function tableOf(page: Page, heading: string): Table {
  const [table, ...others] = tablesOf(page, heading);
  if (table === undefined || others.length > 0)
    throw new Error(`${page.path} needs one table below "${heading}", and has ${others.length + (table ? 1 : 0)}`);
  return table;
}

/**
 * The text below a heading, up to the next heading of its level or above. Throws an Error if there is no such heading.
 */
export function sectionOf(page: Page, heading: string): string {
  const lines = proseOf(page).split("\n");
  const at = lines.findIndex((line) => line.replace(/^#+ /, "") === heading && line.startsWith("#"));
  if (at === -1) throw new Error(`${page.path} has no heading "${heading}"`);
  const level = (lines[at] as string).indexOf(" ");
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(" ") <= level);
  return rest.slice(0, end === -1 ? undefined : end).join("\n");
}

/** The targets of the links, such as docs/api.md#limits. */
export const linksOf = (page: Page): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target as string);

/** What is written as code within the text. */
export const codeWordsOf = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word as string);

/** The commands of each `sh` block: continued lines are joined, comments are left out. */
export const commandsOf = ({ text }: Page): string[][] =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) =>
    block
      .replaceAll("\\\n", "")
      .split("\n")
      .map((line) => line.replace(/ +# .*/, "").trim())
      .filter((line) => line !== ""),
  );

const units: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  s: 1000,
  minutes: 60_000,
  hour: 3_600_000,
  hours: 3_600_000,
  day: 86_400_000,
  days: 86_400_000,
};

/**
 * The number of a cell such as "64 GiB", "30 s" or "4,096 pixels": bytes, milliseconds or a count. NaN for anything
 * else.
 */
export function quantityOf(cell: string): number {
  const [, number = "", unit = ""] = /^([\d,.]+)(?: (\w+))?$/.exec(cell) ?? [];
  return number === "" ? Number.NaN : Number(number.replaceAll(",", "")) * (units[unit] ?? 1);
}
