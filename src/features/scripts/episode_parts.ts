// Cuts a file of several episodes at the headings that say "EPISODE 101" alone.
import { refuse } from "../paperwork/findings.ts";
import type { Script } from "./script.ts";

export interface EpisodePart {
  code: string;
  bytes: Uint8Array;
}

/** A script with the code of the heading above it, in a file that has such headings. */
export interface EpisodeScript {
  code?: string;
  script: Script;
}

/** What an episode is called in other languages, in small letters. */
export const episodeWords =
  `folge,épisode,episodio,episódio,odcinek,epizoda,díl,серия,эпизод,серія,епізод,bölüm,επεισόδιο,الحلقة,פרק,集,话,話,
  エピソード,에피소드,capítulo,capitulo,avsnitt,aflevering,jakso`.split(/,\s*/);
/** In other languages a code begins with a digit: FOLGE MIR is what somebody says. */
const heading = new RegExp(
  `^#{0,6} ?(?:EPISODE #?(\\S{1,50})|(?:${episodeWords.join("|")}) #?(\\d\\S{0,49})|第 ?(\\d{1,4}) ?[集话話])$`,
  "iu",
);
const inBytes = (word: string): string => Buffer.from(word).toString("latin1");
const spellings = (word: string): string[] => [
  word,
  word.toUpperCase(),
  word.slice(0, 1).toUpperCase() + word.slice(1),
];
/** How a line of a file in UTF-8 begins that may be such a heading. */
const mark = new RegExp(
  `(?:^|\\n)[ \\t]{0,20}#{0,6} ?(?:(?:${["episode", ...episodeWords.flatMap(spellings)].map(inBytes).join("|")}) |${inBytes("第")})`,
  "i",
);
/** More than a series has: each part costs as much as the whole file. */
const maxEpisodes = 200;

const tidied = (text: string): string => text.slice(0, 200).trim().replace(/\s+/g, " ");
/** The code in a text that names an episode and says nothing else. */
export function episodeCode(text: string): string | undefined {
  return heading
    .exec(tidied(text))
    ?.slice(1)
    .find((code) => code !== undefined);
}

/** The code in a line that is a section or a paragraph of its own; null in another, undefined in a blank one. */
function codeAt(lines: readonly string[], at: number): string | null | undefined {
  const line = tidied(Buffer.from((lines[at] ?? "").slice(0, 200), "latin1").toString());
  if (line === "") return undefined;
  const isAlone = line.startsWith("#") || [lines[at - 1], lines[at + 1]].every((one) => (one ?? "").trim() === "");
  return (isAlone ? episodeCode(line) : undefined) ?? null;
}

/**
 * What stands under each heading among `count` lines or paragraphs, from `start` on. `codeOf` gives the code of a
 * heading, null for another text, and undefined for what is not printed. None if there is no heading, or text before
 * the first one.
 */
export function episodesIn(
  count: number,
  codeOf: (at: number) => string | null | undefined,
  start = 0,
): { code: string; from: number; to: number }[] {
  const found: { code: string; at: number }[] = [];
  for (let at = start; at < count; at++) {
    const code = codeOf(at);
    if (typeof code === "string") found.push({ code, at });
    else if (code === null && found.length === 0) return [];
  }
  if (found.length > maxEpisodes) refuse(`the file has more than ${maxEpisodes} headings of episodes`);
  return found.map(({ code, at }, index) => ({ code, from: at + 1, to: found[index + 1]?.at ?? count }));
}

/**
 * The parts of a Fountain file, one for each heading, each with the title page. A part keeps its lines where they are:
 * the others are blank.
 */
export function episodeParts(bytes: Uint8Array): EpisodePart[] {
  const text = Buffer.from(bytes)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, ""); // a character a byte: nothing is lost
  if (!mark.test(text)) return []; // as almost every file, which need not be split
  const lines = text.split("\n");
  const blank = lines.findIndex((line) => line.trim() === "");
  const isWithoutTitle = typeof codeAt(lines, 0) === "string";
  const titleEnd = isWithoutTitle ? 0 : Math.max(0, blank);
  return episodesIn(lines.length, (at) => codeAt(lines, at), titleEnd).map(({ code, from, to }) => {
    const own = lines.map((line, place) => (place < titleEnd || (place >= from && place < to) ? line : ""));
    return { code, bytes: Buffer.from(own.join("\n"), "latin1") };
  });
}
