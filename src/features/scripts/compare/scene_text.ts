// Keeps the printed text of a scene in a form for comparison, and gives back the paragraphs of which it is made.
import type { Paragraph, ParagraphType } from "../script.ts";
import type { DraftScene } from "./drafts.ts";

const letters: Readonly<Record<ParagraphType, string>> = {
  action: "a",
  character: "c",
  parenthetical: "p",
  dialogue: "d",
  lyrics: "l",
  transition: "t",
  dual: "^",
};
// the keys of the object
const types = new Map(Object.entries(letters).map(([type, letter]) => [letter, type as ParagraphType]));

/**
 * The text of a scene for comparison: a line for each cue and one for all that stands between two cues. How a program
 * splits paragraphs or calls them is no difference. `shape` is the type and the length of each paragraph, such as "a120
 * c3 d40".
 */
export function comparedText(paragraphs: readonly Paragraph[]): { text: string; shape: string } {
  const lines: string[][] = [];
  for (const { type, text } of paragraphs) {
    if (type === "dual") continue;
    if (type === "character") lines.push([text], []);
    else if (lines.length === 0) lines.push([text]);
    else lines.at(-1)?.push(text);
  }
  const text = lines
    .map((parts) => parts.join(" "))
    .join("\n")
    .trimEnd();
  return { text, shape: paragraphs.map(({ type, text }) => `${letters[type]}${text.length}`).join(" ") };
}

/** The paragraphs of a text whose shape is not known: each cue has a line, and what is below it. */
function byLines(text: string): Paragraph[] {
  const [first = "", ...lines] = text.split("\n");
  // A cue is in capitals; the first line of a scene is one only if a line of speech follows.
  const isCue = lines.length % 2 === 1;
  const action = isCue ? [] : [first];
  const speeches = isCue ? [first, ...lines] : lines;
  return [
    ...action.map((text): Paragraph => ({ type: "action", text })),
    ...speeches.map((text, at): Paragraph => ({ type: at % 2 === 0 ? "character" : "dialogue", text })),
  ].filter(({ text }) => text !== "");
}

/** The paragraphs of a scene; none if no draft of it is kept. */
export function paragraphsOf({ text, shape }: Pick<DraftScene, "text" | "shape">): Paragraph[] {
  if (text === null || text === "") return [];
  if (shape === undefined) return byLines(text);
  const found: Paragraph[] = [];
  let end = 0;
  let before: ParagraphType | undefined;
  for (const part of shape.split(" ")) {
    const type = types.get(part[0] as string) ?? "action"; // a part is a letter and a length
    if (type === "dual") {
      found.push({ type, text: "" });
      continue;
    }
    const gap = before === undefined ? 0 : before === "character" && type === "character" ? 2 : 1;
    const start = end + gap;
    end = start + Number(part.slice(1));
    found.push({ type, text: text.slice(start, end) });
    before = type;
  }
  return end === text.length || (before === "character" && end <= text.length) ? found : byLines(text);
}

/** A scene with its text changed, each paragraph for itself where they are known. */
export function withText(scene: DraftScene, edit: (text: string) => string): DraftScene {
  if (scene.text === null) return scene;
  const text = edit(scene.text);
  if (scene.shape === undefined) return { ...scene, text };
  const changed = comparedText(paragraphsOf(scene).map((one) => ({ ...one, text: edit(one.text) })));
  return changed.text === text ? { ...scene, ...changed } : { ...scene, text, shape: undefined };
}
