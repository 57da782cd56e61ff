// Writes a script as Fountain for tests. Every element is forced, so that any text is allowed in any place.
import type { Script, ScriptScene } from "../../src/features/scripts/script.ts";

function sceneLines({ slugline, number, synopsis, omitted, paragraphs }: ScriptScene): string[] {
  const mark = number === null ? "" : ` #${number}#`;
  const lines = ["", omitted && slugline !== "OMITTED" ? `.OMITTED${mark} [[${slugline}]]` : `.${slugline}${mark}`, ""];
  if (synopsis !== null) lines.push(`= ${synopsis}`, "");
  let dual = false;
  for (const { type, text } of paragraphs) {
    if (type === "dual") dual = true;
    else if (type === "character") lines.push("", `@${text}${dual ? " ^" : ""}`);
    else if (type === "dialogue" || type === "parenthetical") lines.push(text);
    else if (type === "lyrics") lines.push(`~${text}`);
    else lines.push("", `${type === "transition" ? ">" : "!"}${text}`, "");
    if (type === "character") dual = false;
  }
  return lines;
}

/** The Fountain text of `script`. */
export const writeFountain = ({ title, scenes }: Script): string =>
  [...(title === null ? [] : [`Title: ${title}`]), ...scenes.flatMap(sceneLines), ""].join("\n");
