// Tells whether a line of a script is a scene heading, and takes the number and the mark off it that stand in front, as
// writers of many languages put them there.
import {
  type HeadingBeginning,
  hasKindWord,
  hasNoSmallLetter,
  headingBeginning,
  inCapitals,
  isCaselessTime,
  mayBegin,
  sceneWords,
} from "./heading_words.ts";
import { endsInTime, parseSlugline } from "./sluglines.ts";

export interface HeadingLine {
  /** The number in front of the heading; null if there is none. */
  number: string | null;
  /** The line without number and mark. */
  slugline: string;
  /** Whether it begins as Fountain says that headings begin. */
  isOwn: boolean;
  /**
   * Whether something else than its capitals says that it is a heading: a full stop behind its word, a number, a mark
   * or a time of day.
   */
  isSure: boolean;
}

const eastern = "〇一二三四五六七八九";
const unitsOf: Readonly<Record<string, number>> = { 百: 100, 十: 10 };

const latinDigits = (text: string): string => text.replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660));

/** The number that is written with digits of any script, or in Chinese numerals up to 999: 十二, 二三, 一百零三. */
function plainNumber(text: string): string {
  const digits = latinDigits(text).replaceAll("零", "〇");
  if (!/^[〇一二三四五六七八九十百]+$/.test(digits)) return digits;
  let [sum, last] = [0, 0];
  for (const sign of digits) {
    const unit = unitsOf[sign];
    if (unit === undefined) last = last * 10 + eastern.indexOf(sign);
    else [sum, last] = [sum + (last || 1) * unit, 0];
  }
  return String(sum + last);
}

/** Marks that make a line a heading, in front of what the heading says. */
const marks = [
  /^[○◯〇]()[\s　]*/,
  // These also stand in front of the items of a list.
  /^[●■◆◎]()[\s　]*/,
  /^S?\s?#\s?(\d{1,4}[A-Z]?(?:-\d{1,3})?)[.:)]?[\s　]*/i,
  /^(?:씬|장면)\s?#?\s?(\d{1,4}[A-Z]?)[.:)]?\s*/i,
  /^第\s?(\d{1,4}|[〇零一二三四五六七八九十百]{1,5})\s?[場场景][\s　:：.、]*/,
  /^(?:场景|場景|シーン|场|場)[\s　]?(\d{1,4}[A-Z]?)[\s　:：.、]*/i,
  /^(?:场景|場景|シーン|场|場)[\s　]?([〇零一二三四五六七八九十百]{1,5})[\s　:：.、]+/,
  /^(?:ال)?مشهد\s*(?:رقم\s*)?\(?([\d٠-٩]{1,4})\)?[\s.:،/–—-]*/,
  /^סצנה\s*(\d{1,4})[\s.:/–—-]*/,
];
/**
 * A number in front, with or without the word for a scene. It counts only before a word that begins a heading, or with
 * a time of day.
 */
const anyScene = `(?:${[...sceneWords].sort((one, other) => other.length - one.length).join("|")})`;
const numbered = new RegExp(
  `^(?:${anyScene}\\.?\\s?)?\\[?([A-Z]{0,2}\\d{1,4}[A-Z]{0,2}(?:[-.]\\d{1,4}[A-Z]?)?)` +
    `(?:\\s?[.):、．\\]]-?\\s*|\\s*[–—-]\\s+|[\\s　]+)(?:${anyScene}(?:\\s?[:.–—-]\\s*|\\s+))?(?=\\S)`,
  "iu",
);

const isAscii = (code: number): boolean => code >= 0x20 && code < 0x7f;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** How far from its start a heading has the number that stands in front. */
const front = 14;
const hash = 0x23;
const isSmallLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a;
/** Whether a line is plainly none: words of ASCII in small letters that begin as no heading does, and no number. */
export function isProse(text: string): boolean {
  if (!isSmallLetter(text.charCodeAt(1)) || text.charCodeAt(0) === hash || mayBegin(text)) return false;
  const end = Math.min(text.length, front);
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80 || isDigit(code)) return false;
  }
  return true;
}
/** Whether a digit is near the start, where a number in front of a heading has one. Every line of a script is asked. */
function hasDigitInFront(text: string): boolean {
  const end = Math.min(text.length, front);
  for (let at = 0; at < end; at++) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}

/**
 * A line with the digits and the sign # in front as Latin ones are: １２　喫茶店, Ｓ＃３, ١. داخلي. All of it if it begins
 * with a wide INT or EXT: ＩＮＴ．　喫茶店.
 */
function narrow(text: string): string {
  const start = text.slice(0, front);
  if (/^[٠-٩]/.test(start)) return latinDigits(start) + text.slice(front);
  if (!/[！-～]/.test(start)) return text;
  if (/(?:ＩＮＴ|ＥＸＴ|ＥＳＴ|Ｉ．?／Ｅ)[．.／/\s]/i.test(start)) return text.normalize("NFKC");
  if (!/[０-９＃]/.test(start)) return text;
  return start.replace(/[０-９Ａ-Ｚ＃]/g, (sign) => sign.normalize("NFKC")) + text.slice(front);
}

/** A line that a mark makes a heading. */
function markedLine(text: string): Pick<HeadingLine, "number" | "slugline"> | undefined {
  if (isAscii(text.charCodeAt(0)) && !/^S?\s?#/i.test(text)) return undefined;
  for (const mark of marks) {
    const found = mark.exec(text);
    if (found === null || found[0].length === text.length) continue;
    if (/^[●■◆◎]/.test(found[0]) && !isCaseless(text.slice(found[0].length))) return undefined;
    return { number: found[1] ? plainNumber(found[1]) : null, slugline: text.slice(found[0].length) };
  }
  return undefined;
}

const hasSeparator = ({ text }: HeadingBeginning, line: string): boolean =>
  /[./]\s*$|\//.test(text) || line[text.length] === "/";
/** A time of day among the words of a heading in a script without capitals. */
const hasCaselessTime = (text: string): boolean => text.split(/[^\p{L}\p{M}]+/u).some(isCaselessTime);

/** A set and then its time of day, in a script without capitals. */
function isCaseless(text: string): boolean {
  if (/[\p{Lu}\p{Ll}]/u.test(text)) return false;
  const { set, time_of_day } = parseSlugline(text);
  return set !== null && time_of_day !== null;
}

/** How Chinese headings begin that have the time of day in front: 日 内 咖啡馆. */
const timeFirst = /^\p{Script=Han}{1,2}[\s　]+[内內外]景?[\s　]+\S/u;

/**
 * A heading in capitals, or in a script without them, that does not begin with INT or EXT and says it beside a set and
 * a time of day: KÜCHE - INNEN/TAG, KÜCHE INNEN TAG, ليل / داخلي - المطبخ.
 */
function isByEnds(text: string): boolean {
  const isForeign = !isAscii(text.charCodeAt(0)) && !/[\p{Lu}\p{Ll}]/u.test(text);
  if (!isForeign && !inCapitals(text)) return false;
  const isDivided = /[-–—./]/.test(text) || (isForeign ? timeFirst : /\S\s+\S+\s+\S/).test(text);
  if (!isDivided || !hasKindWord(text)) return false;
  const { int_ext, set, time_of_day } = parseSlugline(text);
  return int_ext !== null && set !== null && time_of_day !== null;
}

/** Whether words behind a beginning make a heading of it, and whether surely. A word alone says nothing. */
function judge(beginning: HeadingBeginning, text: string, isNumbered: boolean): boolean | undefined {
  if (beginning.words === "own") return true;
  if (beginning.text.length === text.length) return undefined;
  if (beginning.words === "caseless") return isNumbered || hasCaselessTime(text) || undefined;
  const isSure = isNumbered || hasSeparator(beginning, text) || endsInTime(text);
  return hasSeparator(beginning, text) || hasNoSmallLetter(text) ? isSure : undefined;
}

/**
 * Reads a text, in the form NFC, as a scene heading; undefined if it is none. `isNumbered` says that the line has a
 * number at its end. Words that Fountain does not know make a heading only in a line without small letters or with a
 * full stop or slash behind them, and in scripts without capitals only with a number, a mark or a time of day.
 */
export function headingLine(given: string, isNumbered = false): HeadingLine | undefined {
  if (isProse(given)) return undefined;
  const text = narrow(given);
  const marked = markedLine(text);
  if (marked !== undefined) return { ...marked, isOwn: false, isSure: true };
  const found = headingBeginning(text);
  if (found !== undefined) {
    const isSure = judge(found, text, isNumbered);
    return isSure === undefined ? undefined : { number: null, slugline: text, isOwn: found.words === "own", isSure };
  }
  const [before, number] = hasDigitInFront(text) ? (numbered.exec(text) ?? []) : [];
  if (before === undefined || number === undefined)
    return isByEnds(text) ? { number: null, slugline: text, isOwn: false, isSure: true } : undefined;
  const rest = withoutNumber(text.slice(before.length), number);
  const slugline = markedLine(rest)?.slugline ?? rest;
  const beginning = headingBeginning(slugline);
  const isHeading =
    beginning === undefined
      ? isByEnds(slugline) || isCaseless(slugline)
      : judge(beginning, slugline, true) !== undefined &&
        (hasSeparator(beginning, slugline) || hasNoSmallLetter(slugline));
  if (!isHeading && slugline === rest) return undefined;
  // In S12 喫茶店, the letter stands for the word scene.
  const own = /^[ -~]/.test(slugline) ? number : number.replace(/^S(?=\d)/i, "");
  return { number: own.toUpperCase(), slugline, isOwn: false, isSure: true };
}

/** Without the number that a printed script repeats at the end of the line. */
function withoutNumber(text: string, number: string): string {
  const rest = text.trimEnd().replace(/(?<=\d[A-Z]{0,2})[.)]$/i, "");
  const front = rest.endsWith(number) ? rest.slice(0, -number.length) : "";
  return /\s$/.test(front) ? front.trimEnd() : text.trimEnd();
}

/** The word for a scene with a number, alone or before a dash or a colon. */
const counted = new RegExp(`^${anyScene}\\.?\\s(?:N[ro°º]\\.?\\s?)?\\d{1,4}[A-Z]?(?:$|\\s?[-–—:.,/]\\s?)`, "iu");
/** Whether a line looks like a heading for what its front says: Szene 12, 7. Küche, innen, Tag, 10. I/T Küche. */
function isNumberedLike(text: string): boolean {
  if (text.length > 80) return false;
  if (counted.test(text) || /^\d{1,4}[A-Z]?[.)]?\s[IA]\s?\/\s?[TN]\s/i.test(text)) return true;
  const [front] = numbered.exec(text) ?? [];
  const rest = front === undefined ? "" : text.slice(front.length);
  return endsInTime(rest) && hasKindWord(rest.toUpperCase());
}

/**
 * Whether a line that stands alone looks like a heading, although it is none: capitals that end in a time of day, or a
 * word that begins one.
 */
export function looksLikeHeading(text: string): boolean {
  if (hasDigitInFront(text) && isNumberedLike(text)) return true;
  const found = headingBeginning(text);
  if (found !== undefined && found.words !== "cased") return found.text.length < text.length;
  if (inCapitals(text) && /^[A-Z]?\d.*\s[IA]\s?\/\s?[TN]$/.test(text)) return true; // innen/Tag, außen/Nacht
  if (found !== undefined && /^[-–—/:]\s|[,–—-] ?\p{L}+\.?$/u.test(text.slice(found.text.length)) && endsInTime(text))
    return true;
  return (inCapitals(text) || (text.slice(2, 13).includes(".") && /^\p{L}{2,12}\.\s/u.test(text))) && endsInTime(text);
}
