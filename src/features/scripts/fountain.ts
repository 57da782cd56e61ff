// Reads a screenplay in Fountain, the plain-text markup of https://fountain.io/syntax.
import { plural } from "../../core/wording.ts";
import { type HeadingLine, headingLine, isProse, looksLikeHeading } from "../names/heading_lines.ts";
import { hasNoSmallLetter, headingBeginning, inCapitals, mayBegin, withoutOmitted } from "../names/heading_words.ts";
import { quoted } from "../names/names.ts";
import { decodeText } from "../paperwork/bytes.ts";
import { refuse } from "../paperwork/findings.ts";
import { remembering } from "../sequences/sequences.ts";
import { kinds, ScriptBuilder } from "./builder.ts";
import { episodeWords } from "./episode_parts.ts";
import { type Line, splitLines } from "./fountain_lines.ts";
import {
  hasOmittedCard,
  isOmittedCard,
  longestKept,
  normalized,
  omittedCard,
  type Script,
  titledColor,
  warningsOfTitlePage,
} from "./script.ts";

const isBlank = (line: Line | undefined): boolean => line === undefined || line.text.trim() === "";
/** What is not printed. Beside a heading it counts as a blank line. */
const isStructure = (text: string): boolean => text[0] === "#" || text[0] === "=";
const beginsAsOwn = (text: string): boolean => headingBeginning(text)?.words === "own";
/** A line without spaces and invisible characters, such as marks of direction, at its ends. */
function trimmed({ text }: Line): string {
  const bare = text.trim();
  let [from, to] = [0, bare.length];
  while (from < to && isUnseen(bare, from)) from++;
  while (from < to && isUnseen(bare, to - 1)) to--;
  return bare.slice(from, to);
}
const isUnseen = (text: string, at: number): boolean =>
  text.charCodeAt(at) >= 0x80 && /[\s\p{Cf}]/u.test(text.charAt(at));

const isEmphasis = (sign: string | undefined): boolean => sign === "*" || sign === "_";

/**
 * A line without the emphasis around it, or between the numbers at its ends, and without a star in a margin that marks
 * it as revised.
 */
function plain(text: string): string {
  if (!text.includes("*") && !text.includes("_")) return text;
  if (isEmphasis(text[0]) || isEmphasis(text.at(-1))) {
    const from = /^\*\s/.test(text) ? 1 : 0;
    const to = /\s\*$/.test(text) ? -1 : undefined;
    const bare = text.slice(from, to).trim();
    return bare.replace(/^[*_]{1,5}(?=[^\s*_])|(?<=[^\s*_])[*_]{1,5}$/g, "");
  }
  const [front = "", number = ""] = /^(\w{1,8}[.)]?\s+)[*_]{1,5}/.exec(text.slice(0, 40)) ?? [];
  return front === "" || !/\d/.test(number) ? text : `${number}${text.slice(front.length).replace(/[*_]+/g, "")}`;
}

/** What Fountain begins a heading with, whatever punctuation is behind it. */
const ownWord = /^(?:INT|EXT|EST|I\/E|E\/I)(?![\p{L}\p{N}'’])/iu;
/** Whether a section says what a heading says, also behind a number: `#12# INT. KITCHEN`, `#3 카페 / 낮`. */
function isHeadingSection(text: string): boolean {
  const section = text.replace(/^#{1,6}\s*/, "");
  const [front = ""] = /^[\w.-]{1,8}#?\s+/.exec(section) ?? [];
  const number = /\d/.test(front) ? front : "";
  const bare = section.slice(number.length);
  const written = number === "" ? bare : `1 ${bare}`;
  return ownWord.test(bare) || headingLine(bare, true) !== undefined || headingLine(written) !== undefined;
}
const unread = (text: string): string => `${quoted(text)} looks like a scene heading and is not read as one`;

const maxLikeCue = 20;
/** Whether a line in a script without capitals is short and no sentence, as a name is. */
const isLikeCue = (text: string): boolean =>
  text.length <= maxLikeCue && text.charCodeAt(0) >= 0x80 && /^[\p{Lo}\p{M}\s・·'"()（）-]+$/u.test(text);

/** Whether a line begins with a name and then what it says, as in scripts of Chinese and Japanese. */
const isSpeechLine = (text: string): boolean =>
  text.charCodeAt(0) >= 0x80 && /^[\p{Lo}・]{1,10}(?:[（(][^）)]{1,20}[）)])?[「『：]/u.test(text);

/** `text #12A#` as its text and its number. A number of nothing but spaces says that the line has none on purpose. */
function splitNumber(text: string): { text: string; number: string | null; isWithout: boolean } {
  const open = text.endsWith("#") ? text.lastIndexOf("#", text.length - 2) : -1;
  if (open < 0) return { text, number: null, isWithout: false };
  const number = text.slice(open + 1, -1);
  return { text: text.slice(0, open).trim(), number: number.trim() || null, isWithout: /^\s+$/.test(number) };
}

/** What of a line is a heading's: its text and number, the card of an omitted scene, and the heading that it is. */
function marksOf(text: string) {
  const { text: given, number, isWithout } = splitNumber(plain(text));
  const slugline = plain(given);
  return {
    slugline,
    number,
    isWithout,
    found: omittedCard(slugline),
    read: headingLine(slugline, number !== null),
  };
}
/** A longer line is no card of an omitted scene, also where emphasis is around it. */
const maxCard = 60;

const maxTitleKey = 61;
/** Keys of title pages that say what the program keeps, by what they are called here. */
const keptKeys: ReadonlyMap<string, string> = new Map(
  Object.entries({
    title: `titel,titre,título,titulo,titolo,tytuł,název,название,назва,başlık,τίτλος,العنوان,عنوان,כותרת,שם,标题,標題,片名,剧名,
      タイトル,題名,제목`,
    episode: episodeWords.join(),
    revision: "revisione,révision,revisión,revisão,rewizja,revize,редакция,редакція,revizyon,αναθεώρηση",
    draft: "fassung,version,versión,versão,versione,wersja,verze,версия,версія,taslak,稿,원고",
  }).flatMap(([key, words]) => words.split(/,\s*/).map((word) => [word, key] as const)),
);
const titleKeys = new Set([
  ...keptKeys.keys(),
  ...`title,credit,author,authors,source,draft date,date,draft,contact,copyright,notes,revision,episode,format,language,autor,autoren,
  autorin,drehbuch,buch,regie,stand,datum,kontakt,auteur,auteurs,scénario,réalisation,autora,autore,guion,roteiro,sceneggiatura,
  scenariusz,scénář,автор,автор сценария,сценарий,yazan,senaryo,σενάριο,تأليف,מאת,编剧,作者,脚本,作,각본,극본`.split(
    /,\s*/,
  ),
]);

/**
 * The title page, up to a blank line or a heading: keys with their values, and how many lines it takes. Beat does not
 * indent the lines below a key. It is none if no key is usual on one: "FADE IN:" and "NOTE: all true" are how a script
 * may begin.
 */
function readTitlePage(lines: readonly Line[]): { fields: Map<string, string>; count: number } {
  const fields = new Map<string, string[]>();
  let values: string[] | undefined;
  let count = 0;
  for (; !isBlank(lines[count]); count++) {
    const { text } = lines[count] as Line; // what is not there is blank
    if (headingLine(text.trim()) !== undefined) break;
    const colon = text.search(/[:：]/);
    if (colon > 0 && colon <= maxTitleKey && !/^\s/.test(text)) {
      values = [text.slice(colon + 1).trim()];
      const key = text.slice(0, colon).trim().toLowerCase();
      const kept = keptKeys.get(key) ?? key;
      fields.set(fields.has(kept) ? key : kept, values);
    } else if (values === undefined) break;
    else values.push(text.trim());
  }
  if (![...fields.keys()].some((key) => titleKeys.has(key))) return { fields: new Map(), count: 0 };
  return { fields: new Map([...fields].map(([key, lines]) => [key, lines.join("\n").trim()])), count };
}

/** The keys of a title page that may say the colour of the draft. */
const colorKeys = ["revision", "draft", "draft date"];

/** What a title page says and nothing keeps, such as its author. */
function unreadLines(fields: ReadonlyMap<string, string>): string[] {
  const colored = colorKeys.find((key) => titledColor([fields.get(key)]) !== null);
  const isRead = (key: string) => key === "title" || key === "episode" || key === colored;
  return [...fields].flatMap(([key, value]) => (isRead(key) || value === "" ? [] : `${key}: ${value}`));
}

class FountainReader {
  readonly #lines: readonly Line[];
  readonly #builder = new ScriptBuilder();
  #at = 0;
  /** Whether a blank line, or something that needs none after it, stands before the current line. */
  #free = true;
  #action: string[] = [];
  #actionLine = 0;
  /** Whether a speech is the last thing that was read, for dual dialogue. */
  #afterSpeech = false;
  /** A synopsis after a section is the section's. */
  #inSection = false;
  readonly #marksOf = remembering(marksOf, longestKept);
  /** Lines that have the marks of a heading, and the last of them that a warning has named. */
  #headings = 0;
  #namedTo = 0;
  /** Lines in a script without capitals that stand above text as cues do. */
  readonly #likeCues: Line[] = [];
  #texts = 0;
  #cues = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  read(unclosed: number | undefined): Script {
    const { fields, count } = readTitlePage(this.#lines);
    // within the list
    for (this.#at = count; this.#at < this.#lines.length; this.#at++) this.#line(this.#lines[this.#at] as Line);
    this.#endAction();
    this.#nameLikeCues();
    if (unclosed !== undefined)
      this.#builder.warn(unclosed, "the boneyard that /* opens here is never closed; its text is read");
    this.#builder.tally.saw(kinds.heading, this.#headings);
    this.#builder.tally.saw(kinds.text, this.#texts);
    if (this.#cues > 0) this.#builder.tally.saw(kinds.cue, this.#cues);
    const color = titledColor(colorKeys.map((key) => fields.get(key)));
    const script = this.#builder.finish({ title: fields.get("title") ?? null, title_page: fields, color });
    return { ...script, warnings: [...script.warnings, ...warningsOfTitlePage(unreadLines(fields))] };
  }

  #line(line: Line): void {
    const text = trimmed(line);
    if (text === "") {
      this.#endAction();
      this.#free = true;
    } else if (this.#structure(line, text)) this.#free = true;
    else if (this.#heading(line, text)) this.#free = true;
    else {
      this.#texts++;
      if (this.#transition(line, text)) this.#free = true;
      else if (this.#cue(line, text)) this.#speech();
      else this.#addAction(line, text);
    }
  }

  /** Sections, synopses and page breaks are not printed. */
  #structure(line: Line, text: string): boolean {
    if (!isStructure(text)) return false;
    this.#endAction();
    if (text[0] === "#") {
      this.#inSection = true;
      if (isHeadingSection(text)) this.#nameHeading(line.number, unread(text));
    } else if (!/^={3,}$/.test(text) && !this.#inSection) this.#builder.synopsis(text.replace(/^=+/, ""));
    return true;
  }

  /**
   * A heading needs a blank line before it, and a usual one needs one after it too; where text follows at once, a
   * number, or capitals and what only headings have, tell it from prose that begins with such a word.
   */
  #heading(line: Line, text: string): boolean {
    if (!this.#free && !line.afterAside) return false;
    if (text.length > maxCard && isProse(text) && !/^[.*_]/.test(text) && !text.endsWith("#")) return false;
    const { slugline, number, isWithout, found, read: usual } = this.#marksOf(text);
    const forced = text[0] === "." && /^\.[*_]{0,3}[\p{L}\p{N}]/u.test(text);
    const card = found !== undefined && (number !== null || (found.number !== null && this.#stands));
    const read = forced || card ? undefined : usual;
    if (!forced && !card) {
      if (read === undefined) return false;
      if (!this.#isAlone(line, slugline, number, read)) {
        this.#nameHeading(line.number, unread(text));
        return false;
      }
    }
    this.#endAction();
    this.#headings++;
    if (isWithout && this.#builder.hasScene) this.#addShot(line, forced ? slugline.slice(1) : slugline);
    else {
      const shown = forced ? slugline.slice(1) : (read?.slugline ?? slugline);
      this.#addHeading(line, shown, number ?? read?.number ?? found?.number ?? null);
    }
    return true;
  }

  /** Whether a blank line stands below the current one. */
  get #stands(): boolean {
    return isBlank(this.#lines[this.#at + 1]);
  }

  /** Whether a heading that is not forced has what it needs below it. */
  #isAlone(line: Line, slugline: string, number: string | null, read: HeadingLine): boolean {
    if (number !== null || read.number !== null) return true;
    const next = this.#lines[this.#at + 1];
    const below = next === undefined ? "" : trimmed(next);
    if (next === undefined || below === "" || next.afterAside || isStructure(below)) return true;
    if (read.isOwn && beginsAsOwn(plain(below))) {
      const sentence = "two scene headings follow each other without a blank line; neither is read as one";
      this.#nameHeading(line.number, sentence, next.number);
      return false;
    }
    return hasNoSmallLetter(slugline) && (read.isOwn || read.isSure);
  }

  /** A heading that says by `# #` that it has no number is no scene of its own. */
  #addShot({ number: line }: Line, text: string): void {
    this.#builder.name(
      kinds.heading,
      line,
      `the heading ${quoted(text)} has no number on purpose (# #): its text belongs to the scene before it`,
    );
    this.#builder.paragraph("action", text.toUpperCase(), line, 0);
    this.#afterSpeech = false;
  }

  /** Names a line that has the marks of a heading and is not read as one. */
  #nameHeading(line: number, sentence: string, last = line): void {
    if (line <= this.#namedTo) return;
    this.#namedTo = last;
    this.#headings += last > line ? 2 : 1;
    this.#builder.name(kinds.heading, line, sentence, last > line ? 2 : 1);
  }

  /** Whether a line that is no heading has the marks of one. */
  #isLikeHeading(text: string, stands: boolean): boolean {
    if (!stands && !isEmphasis(text[0]) && !mayBegin(text)) return false; // as almost all that is spoken
    const bare = plain(text);
    if (!mayBegin(bare)) return stands && (looksLikeHeading(bare) || hasOmittedCard(bare));
    const beginning = headingBeginning(bare);
    if (beginning?.words === "own" || ownWord.test(bare)) return true;
    if (stands) return looksLikeHeading(bare) || hasOmittedCard(bare);
    return beginning?.words === "cased" && inCapitals(bare) && headingLine(bare)?.isSure === true;
  }

  #addHeading({ number: line, notes }: Line, slugline: string, number: string | null): void {
    const isCard = isOmittedCard(slugline.replace(/[*_]/g, ""));
    const former = isCard ? notes.find((note) => headingLine(note, true) !== undefined) : withoutOmitted(slugline);
    const omitted = isCard || former !== undefined;
    if (number !== null && /#[^#]{1,12}#/.test(slugline))
      this.#builder.warn(line, `${quoted(slugline)} has several numbers and is read as one scene, ${number}`);
    this.#builder.heading({ line, number, slugline: former ?? slugline, omitted });
    [this.#afterSpeech, this.#inSection] = [false, false];
  }

  #transition(line: Line, text: string): boolean {
    const forced = text[0] === ">" && !text.endsWith("<");
    if (!forced && !(this.#free && text.endsWith("TO:") && inCapitals(text))) return false;
    this.#endAction();
    this.#builder.paragraph("transition", forced ? text.slice(1) : text, line.number);
    this.#afterSpeech = false;
    return true;
  }

  #cue(line: Line, text: string): boolean {
    const forced = text[0] === "@";
    if (!this.#free || !(forced || this.#isUsualCue(line, text))) return false;
    this.#endAction();
    if (text.endsWith("^") && this.#afterSpeech) this.#builder.paragraph("dual", "", line.number, 0);
    this.#cues++;
    this.#builder.paragraph("character", text.replace(/\^$/, "").slice(forced ? 1 : 0), line.number);
    if (!forced && /\s[-–—\d]/.test(text) && looksLikeHeading(plain(text)))
      this.#nameHeading(line.number, unread(text));
    return true;
  }

  /**
   * Capitals before the first parenthesis, a blank line before and none after; two spaces at its end make it action.
   */
  #isUsualCue(line: Line, text: string): boolean {
    if (!/^[^a-z(!~>][^a-z(]*(?:\(|$)/.test(text) || text.length > 120) return false;
    if (line.text.endsWith("  ") || beginsAsOwn(text)) return false;
    const next = this.#lines[this.#at + 1];
    return next !== undefined && next.text !== "" && next.text !== " " && inCapitals(text.split("(", 1)[0] ?? "");
  }

  /** The lines under a cue, up to a blank one; a line of two spaces is not blank. */
  #speech(): void {
    let start = 0;
    let spoken: string[] = [];
    const end = () => {
      this.#builder.paragraph("dialogue", spoken.join(" "), start, spoken.length);
      spoken = [];
    };
    for (let next = this.#lines[this.#at + 1]; next !== undefined; next = this.#lines[this.#at + 1]) {
      const text = trimmed(next);
      if (text === "" && next.text.length < 2) break;
      if (isStructure(text) && /^(?:(?:#{1,6}|=)\s|={3,}$)/.test(text)) break;
      this.#at++;
      if (text === "") continue;
      this.#texts++;
      if (this.#isLikeHeading(text, false)) this.#nameHeading(next.number, unread(text));
      if ((text[0] === "(" && text.endsWith(")")) || text[0] === "~") {
        end();
        this.#builder.paragraph(text[0] === "~" ? "lyrics" : "parenthetical", text.replace(/^~/, ""), next.number);
      } else if (spoken.push(text) === 1) start = next.number;
    }
    end();
    [this.#free, this.#afterSpeech] = [false, true];
  }

  /** Fountain tells cues by their capitals. A line of a script without such is named if it may be a cue. */
  #nameLikeCues(): void {
    const [first, ...others] = this.#likeCues;
    if (first === undefined) return;
    const also = others.length === 0 ? "" : ` and ${plural(others.length, "more line")}`;
    this.#builder.warn(
      first.number,
      `${quoted(trimmed(first))}${also} may name who speaks and ${others.length === 0 ? "is" : "are"} read as action; a name on a line of its own with @ in front is a cue`,
    );
  }

  #addAction(line: Line, text: string): void {
    const isOverText = this.#free && this.#action.length === 0 && isLikeCue(text) && !this.#stands;
    if (isOverText || isSpeechLine(text)) this.#likeCues.push(line);
    if (this.#action.length === 0) this.#actionLine = line.number;
    const stands = this.#free && this.#stands;
    if (!/^[!>]/.test(text) && this.#isLikeHeading(text.replace(/^~+/, ""), stands))
      this.#nameHeading(line.number, unread(text));
    const centered = text[0] === ">" && text.endsWith("<");
    this.#action.push(centered ? text.slice(1, -1) : text.replace(/^[!~]/, ""));
    [this.#free, this.#afterSpeech] = [false, false];
  }

  #endAction(): void {
    if (this.#action.length > 0)
      this.#builder.paragraph("action", this.#action.join(" "), this.#actionLine, this.#action.length);
    this.#action = [];
  }
}

/**
 * Reads `bytes` as Fountain. Takes time in proportion to the bytes, whatever they are. Throws FormatError if they are
 * no UTF-8 text; what is wrong inside the script is in its `problems`.
 */
export function readFountain(bytes: Uint8Array): Script {
  const { text: decoded, warnings } = decodeText(bytes);
  const text = decoded.normalize("NFC");
  if (/^\s*<(?:\?xml|FinalDraft)\b/.test(text)) refuse("the file is XML; name a script of Final Draft .fdx");
  const { lines, unclosed } = splitLines(text);
  const first = lines.findIndex(({ text }) => normalized(text) !== "");
  const script = new FountainReader(first > 0 ? lines.slice(first) : lines).read(unclosed);
  return { ...script, warnings: [...warnings, ...script.warnings] };
}
