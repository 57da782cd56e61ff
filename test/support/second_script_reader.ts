// A second reader of scripts, which shares nothing with the program: tests compare what both read, field by field.

/** A scene as far as both readers have it. */
export interface SecondScene {
  number: string | null;
  slugline: string;
  cast: string[];
  /** The words that are printed, without spaces and marks. */
  words: string;
}

const plain = (text: string): string => text.replace(/[*_]/g, "").replace(/\s+/g, " ").trim();
export const wordsOf = (texts: readonly string[]): string =>
  texts
    .join("")
    .replace(/[\s*_]/g, "")
    .toUpperCase();
const nameOf = (cue: string): string => plain(cue.replace(/\([^)]*\)|\^/g, " "));

function open(scenes: SecondScene[], number: string | null, slugline: string): void {
  scenes.push({ number, slugline: plain(slugline).toUpperCase(), cast: [], words: "" });
}
function say(scenes: SecondScene[], text: string, cue = false): void {
  const scene = scenes.at(-1);
  if (scene === undefined) return;
  if (cue && !scene.cast.includes(nameOf(text))) scene.cast.push(nameOf(text));
  scene.words += wordsOf([text.replace(/\(CONT'D\)/, "")]);
}

/** Line by line: a heading has a number in front or between #; a cue is in capitals over text, or has an @. */
export function secondFountain(text: string): SecondScene[] {
  const scenes: SecondScene[] = [];
  const lines = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\[\[.*?\]\]/g, "")
    .split("\n");
  const start = lines.indexOf("") + 1;
  for (const [at, line] of lines.entries()) {
    const bare = line.replace(/^[>.!~@]?\s*|\s*<$/g, "").trim();
    if (at < start || bare === "" || /^[#=]/.test(line)) continue;
    const behind = /^[*_.]*(.+?) #(\S+)#[*_]*$/.exec(line);
    const front = /^(\d+)\t(.+)\t\1$/.exec(line);
    if (behind !== null) open(scenes, behind[2] as string, behind[1] as string);
    else if (front !== null) open(scenes, front[1] as string, front[2] as string);
    else if (line.startsWith("@")) say(scenes, bare, true);
    else if (!line.startsWith("!") && /^[A-Z]+(?: \([A-Z.']+\))?(?: \^)?$/.test(bare) && (lines[at + 1] ?? "") !== "")
      say(scenes, bare.replace(" ^", ""), true);
    else say(scenes, bare.replace(/ # #$/, ""));
  }
  return scenes;
}

/** Paragraph by paragraph of the content, with regular expressions. */
export function secondFdx(xml: string): SecondScene[] {
  const scenes: SecondScene[] = [];
  const content = /<Content>([\s\S]*?)\n {2}<\/Content>/.exec(xml)?.[1] ?? "";
  let replaced: string | undefined; // the number of a card that stands over the scene that it omits
  for (const line of content.split("\n")) {
    if (line.endsWith("<OmittedScene>")) replaced = /Number="([^"]*)"/.exec(line)?.[1];
    const [, attributes = "", inner = ""] = /^ *<Paragraph([^>]*)>(.*)<\/Paragraph>$/.exec(line) ?? [];
    const type = /Type="([^"]*)"/.exec(attributes)?.[1];
    const own = inner.replace(/<(SceneProperties|ScriptNote).*<\/\1>|<SceneProperties[^>]*\/>/, "");
    const text = own.replace(/<[^>]*>/g, "").replaceAll("&amp;", "&");
    if (type === undefined) continue;
    if (type === "Scene Heading") open(scenes, /Number="([^"]*)"/.exec(attributes)?.[1] ?? replaced ?? null, text);
    else say(scenes, text, type === "Character");
  }
  return scenes;
}
