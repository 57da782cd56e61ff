// Finds which episode a file, a column or a prefix such as "EP101-4" names.
import { commandText } from "../../core/program.ts";
import { listed, sameName } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";
import { indexOf } from "./known_names.ts";

/** Why a text is no episode, or not the one that is given elsewhere. */
export class EpisodeRefusal {
  readonly sentence: string;

  constructor(sentence: string) {
    this.sentence = sentence;
  }
}

/** Of "EP101", its digit stays. */
const words = /^(?:(?:ep(?:isode|s)?\b\.?|#)\s*(?:#\s*)?|ep(\d))/i;

/** The codes by what makes two the same, the longest first. */
const codesIn = indexOf(
  (): { byForm: Map<string, string>; longestFirst: string[] } => ({ byForm: new Map(), longestFirst: [] }),
  ({ byForm, longestFirst }, code: string) => {
    byForm.set(sameName(code), code);
    longestFirst.push(code);
    longestFirst.sort((one, other) => other.length - one.length);
  },
);

/** The code of the episode that a text names: as it is written, or after "Ep". */
export function episodeNamed(codes: readonly string[], text: string): string | undefined {
  const { byForm } = codesIn(codes);
  return byForm.get(sameName(text)) ?? byForm.get(sameName(text.trim().replace(words, "$1")));
}

export const unknownEpisode = (codes: readonly string[], text: string): string =>
  `there is no episode ${/^[\w.-]{1,20}$/.test(text) ? text : quoted(text)}; episodes are ${codes.length === 0 ? "not listed yet" : listed(codes)}`;

/** How a single production becomes a series. */
export const howToBegin = (code: string, production: number | string = "ID"): string =>
  `${commandText(`episodes begin ${code} --production ${production}`)} makes it one`;

/** The episode with which a reference such as 101/4 begins; "" if it names none. */
export const episodeOf = (codes: readonly string[], reference: string): string =>
  codesIn(codes).longestFirst.find((code) => reference.startsWith(`${code}/`)) ?? "";

/** The episode and the rest of a text that begins with the code of one: "101/4", "101-4", "101.4", "EP101-4". */
export function splitEpisode(codes: readonly string[], text: string): { episode: string; rest: string } | undefined {
  const bare = text.trim().replace(words, "$1");
  for (const code of codesIn(codes).longestFirst) {
    if (sameName(bare.slice(0, code.length)) !== sameName(code)) continue;
    const [mark = ""] = /^\s*[/.\u002d\u2010-\u2015]\s*/.exec(bare.slice(code.length)) ?? [];
    const rest = bare.slice(code.length + mark.length);
    if (mark !== "" && rest !== "") return { episode: code, rest };
  }
  return undefined;
}

/** What the line Episode of a title page says. */
export interface TitledEpisode {
  code?: string;
  title?: string;
}

/**
 * The code in the line Episode of a title page: a stored one, or what begins with a digit up to the first space. What
 * follows it, or any other text, is the title of the episode.
 */
export function titledEpisode(codes: readonly string[], line: string | undefined): TitledEpisode {
  const text = (line ?? "").replace(/\s+/g, " ").trim();
  if (text === "") return {};
  const whole = episodeNamed(codes, text);
  if (whole !== undefined) return { code: whole };
  const bare = text.replace(words, "$1");
  const at = bare.indexOf(" ");
  const first = at < 0 ? bare : bare.slice(0, at);
  const code = episodeNamed(codes, first) ?? (/^\d/.test(bare) && first.length <= 50 ? first : undefined);
  if (code === undefined) return { title: text };
  const title =
    at < 0
      ? ""
      : bare
          .slice(at + 1)
          .replace(/^[\u002d\u2010-\u2015:]\s*/, "")
          .trim();
  return { code, ...(title !== "" && { title }) };
}
