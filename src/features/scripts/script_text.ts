// Writes a script as Fountain or as a Final Draft file, which the readers read back as it is.
import { headingLine } from "../names/heading_lines.ts";
import { inCapitals } from "../names/heading_words.ts";
import type { Paragraph, ParagraphType } from "./script.ts";

/** A scene of a script that is written. */
export interface WrittenScene {
  number: string;
  slugline: string;
  synopsis: string | null;
  omitted: boolean;
  paragraphs: readonly Paragraph[];
}

export interface WrittenScript {
  title: string;
  scenes: readonly WrittenScene[];
}

const beginsAsHeading = (text: string): boolean => headingLine(text, true) !== undefined;
/** What Fountain takes for a cue, for a transition and for action without a mark. */
const isCue = (text: string): boolean => /^\p{Lu}[\p{Lu}\d .'-]*(?:\([^()]*\))?$/u.test(text) && !beginsAsHeading(text);
const isTransition = (text: string): boolean => /^\p{Lu}.*TO:$/u.test(text) && inCapitals(text);
const isAction = (text: string): boolean =>
  /^[\p{L}\p{N}"'(]/u.test(text) && !inCapitals(text.split("(", 1)[0] ?? "") && !beginsAsHeading(text);

const isSpoken = (type: ParagraphType | undefined): boolean =>
  type === "dialogue" || type === "parenthetical" || type === "lyrics";

/** Whether a heading is read without a mark, and as it is. */
const isReadAsItIs = (slugline: string): boolean =>
  inCapitals(slugline) && headingLine(slugline, true)?.slugline === slugline;

function headingOf({ number, slugline, omitted }: WrittenScene): string {
  if (omitted) return `.OMITTED #${number}#${beginsAsHeading(slugline) ? ` [[${slugline}]]` : ""}`;
  return `${isReadAsItIs(slugline) ? "" : "."}${slugline} #${number}#`;
}

/** The lines of a scene in Fountain. What would be read as something else is marked. */
function fountainLines(scene: WrittenScene): string[] {
  const lines = [headingOf(scene), ""];
  if (scene.synopsis !== null) lines.push(`= ${scene.synopsis.replace(/\s+/g, " ")}`, "");
  if (scene.omitted) return lines;
  let [speaks, isDual] = [false, false];
  for (const [at, { type, text }] of scene.paragraphs.entries()) {
    const isNextSpoken = isSpoken(scene.paragraphs[at + 1]?.type);
    if (type === "dual") isDual = true;
    else if (type === "character") {
      if (speaks) lines.push("");
      lines.push(`${isCue(text) && isNextSpoken ? "" : "@"}${text}${isDual ? " ^" : ""}`);
      [speaks, isDual] = [true, false];
    } else if (speaks && isSpoken(type)) lines.push(type === "lyrics" ? `~${text}` : text);
    else {
      if (speaks) lines.push("");
      const mark = type === "transition" ? (isTransition(text) ? "" : ">") : isAction(text) ? "" : "!";
      lines.push(`${mark}${text}`, "");
      speaks = false;
    }
  }
  return speaks ? [...lines, ""] : lines;
}

/** A script as Fountain. */
export const fountainText = ({ title, scenes }: WrittenScript): string =>
  [`Title: ${title}`, "", ...scenes.flatMap(fountainLines)].join("\n");

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// each has one
const escaped = (text: string): string => text.toWellFormed().replace(/[&<>"]/g, (one) => escapes[one] as string);
const textRun = (text: string): string => `<Text>${escaped(text)}</Text>`;
const named = (type: ParagraphType): string => type.charAt(0).toUpperCase() + type.slice(1);
const paragraphElement = ({ type, text }: Paragraph): string =>
  `<Paragraph Type="${named(type)}">${textRun(text)}</Paragraph>`;

/** The index after speeches that are simultaneous with the one that begins at `start`; `start` if none is. */
function endOfDual(paragraphs: readonly Paragraph[], start: number): number {
  let [end, isDual] = [start + 1, false];
  for (let type = paragraphs[end]?.type; type !== undefined; type = paragraphs[++end]?.type)
    if (type === "dual") isDual = true;
    else if (!isSpoken(type) && !(type === "character" && paragraphs[end - 1]?.type === "dual")) break;
  return isDual ? end : start;
}

function paragraphElements(paragraphs: readonly Paragraph[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < paragraphs.length; at++) {
    const one = paragraphs[at] as Paragraph; // within the list
    const end = one.type === "character" ? endOfDual(paragraphs, at) : at;
    if (end === at) {
      if (one.type !== "dual") lines.push(paragraphElement(one));
      continue;
    }
    const speeches = paragraphs.slice(at, end).filter(({ type }) => type !== "dual");
    const dual = speeches.map(paragraphElement).join("\n");
    lines.push(`<Paragraph Type="General"><DualDialogue>\n${dual}\n</DualDialogue></Paragraph>`);
    at = end - 1;
  }
  return lines;
}

function sceneElements({ number, slugline, synopsis, omitted, paragraphs }: WrittenScene): string[] {
  const summary = synopsis === null ? "" : `<Summary><Paragraph>${textRun(synopsis)}</Paragraph></Summary>`;
  const inner = `<SceneProperties Title="">${summary}</SceneProperties>${textRun(slugline)}`;
  const card = `${textRun("OMITTED")}<OmittedScene><Paragraph Type="Scene Heading">${inner}</Paragraph></OmittedScene>`;
  return [
    `<Paragraph Number="${escaped(number)}" Type="Scene Heading">${omitted ? card : inner}</Paragraph>`,
    ...(omitted ? [] : paragraphElements(paragraphs)),
  ];
}

/** A script as a Final Draft file. */
export const fdxText = ({ title, scenes }: WrittenScript): string =>
  [
    '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>',
    '<FinalDraft DocumentType="Script" Template="No" Version="6">',
    ...["<Content>", ...scenes.flatMap(sceneElements), "</Content>"],
    `<TitlePage><Content><Paragraph Alignment="Center">${textRun(title)}</Paragraph></Content></TitlePage>`,
    "</FinalDraft>",
    "",
  ].join("\n");
