// Small scripts for the tests of the script readers.
import * as assert from "uvu/assert";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { type BreakdownOptions, breakDown } from "../../src/features/scripts/breakdown.ts";
import { draftOf } from "../../src/features/scripts/compare/drafts.ts";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import type { Script, ScriptScene } from "../../src/features/scripts/script.ts";
import { readFdx } from "../support/script_readers.ts";

/** The script of these lines of Fountain. */
export const fountain = (...lines: string[]): Script => readFountain(Buffer.from(lines.join("\n")));

/** The script of a Final Draft file with `content` as its paragraphs and `rest` after them. */
export const fdx = (content: string, rest = "", version = "6"): Script =>
  readFdx(
    Buffer.from(
      `<?xml version="1.0"?>\n<FinalDraft Version="${version}"><Content>\n${content}\n</Content>${rest}</FinalDraft>\n`,
    ),
  );

/** A paragraph of a Final Draft file. */
export const paragraph = (type: string, text: string, attributes = ""): string =>
  `<Paragraph Type="${type}" ${attributes}><Text>${text}</Text></Paragraph>`;

export const heading = (text: string, number?: string): string =>
  paragraph("Scene Heading", text, number === undefined ? "" : `Number="${number}"`);

export const sluglines = ({ scenes }: Script): string[] => scenes.map(({ slugline }) => slugline);
export const names = (scene: ScriptScene | undefined): string[] => [...(scene?.characters ?? [])];
/** The paragraphs of a scene as `type: text`. */
export const printed = (scene: ScriptScene | undefined): string[] =>
  scene?.paragraphs.map(({ type, text }) => (text === "" ? type : `${type}: ${text}`)) ?? [];

/** The message of the FormatError that `read` throws. */
export function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.instance(error, FormatError);
    return (error as FormatError).message;
  }
  throw new Error("it was read");
}

/** The breakdown of a script as its first draft. */
export const breakdownOf = (script: Script, { color, ...options }: BreakdownOptions & { color?: string } = {}) =>
  breakDown(draftOf(script, color), options);
