// The type of a script that the readers of Fountain and of Final Draft both return, and the lengths of its scenes in
// eighths of a page: integers here, "1 7/8" in files.
import type { Problem } from "../../core/errors.ts";
import { firstOf } from "../../core/wording.ts";
import { isProse } from "../names/heading_lines.ts";
import { omittedStem, omittedWord, sceneWords } from "../names/heading_words.ts";
import { quoted } from "../names/names.ts";
import { splitEpisode } from "../paperwork/episodes.ts";
import type { Counts } from "../paperwork/tally.ts";

/**
 * What a paragraph is. Everything that is printed and is none of the others (shots, lyrics outside a speech, act
 * breaks, centred text) is action, since programs disagree about it. "dual" has no text: the next cue speaks beside the
 * one before it.
 */
export type ParagraphType = "action" | "character" | "parenthetical" | "dialogue" | "lyrics" | "transition" | "dual";

export interface Paragraph {
  type: ParagraphType;
  /** In the normal form of `normalized`; a cue is in capitals and without (CONT'D). */
  text: string;
}

/** A revision set: its number in the file and its colour, such as blue, goldenrod or 2nd blue. */
export interface Revision {
  id: number;
  color: string;
}

export interface ScriptScene {
  /** As the file has it. */
  number: string | null;
  /** The line of its heading, counted from 1. */
  line: number;
  /** In capitals, as it is printed; without number and notes. An omitted scene's former one where the file keeps it. */
  slugline: string;
  synopsis: string | null;
  omitted: boolean;
  paragraphs: readonly Paragraph[];
  /** The speakers, in the order of their first cue, each in the spelling of that cue. */
  characters: readonly string[];
  /** The length where the file has it. */
  eighths: number | null;
  script_day: string | null;
  /** Labels by the name of their tag category, in the order of the text. */
  tags: ReadonlyMap<string, readonly string[]>;
  /** The highest revision set that marks anything in the scene. */
  revision: Revision | null;
}

export interface Script {
  title: string | null;
  /** The keys and values of Fountain in the order of the page; a value of several lines keeps them. */
  title_page: ReadonlyMap<string, string>;
  /**
   * The revision colour that the title page says of the whole draft, or the revision set in which the file is written;
   * null if none.
   */
  color: string | null;
  /** In the order of the script. */
  scenes: readonly ScriptScene[];
  /** What makes the script useless as it is, such as a scene number that appears twice. */
  problems: readonly Problem[];
  /** What was not read, and why. */
  warnings: readonly Problem[];
  counts: Counts;
}

/**
 * The form in which texts are compared: without the marks of emphasis, with plain quotes, dashes and dots, and with one
 * space wherever there is any white space, since programs that save the same script differ in these.
 */
export function normalized(text: string): string {
  if (!/[^ -)+-^`-~]| {2}/.test(text) && text[0] !== " " && !text.endsWith(" ")) return text;
  return text
    .normalize("NFC")
    .replace(/[*_]/g, "")
    .replace(/[‘’‛]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—]/g, "-")
    .replace(/…/g, "...")
    .replace(/[\s\p{Cc}\u200b\ufeff]+/gu, " ")
    .trim();
}

/** The customary colours by what other languages call them, without endings that agree with a noun. */
const foreignColors: ReadonlyMap<string, string> = new Map(
  `white weiß weiss blanc blanche blanco blanca branco branca bianco bianca biały biała bílá bílý белый белая білий біла beyaz
  λευκό λευκή λευκο 白 白色 흰색
blue blau bleu bleue azul blu niebieski niebieska modrá modrý синий синяя голубой голубая синій синя блакитний блакитна mavi μπλε
  青 蓝 藍 蓝色 藍色 青色 파란색 파랑
pink rosa rose różowy różowa růžová růžový розовый розовая рожевий рожева pembe ροζ 粉 粉色 粉红 粉紅 粉红色 粉紅色 ピンク 분홍색 분홍
yellow gelb jaune amarillo amarilla amarelo amarela giallo gialla żółty żółta žlutá žlutý желтый желтая жёлтый жёлтая жовтий жовта
  sarı κίτρινο κίτρινη κιτρινο 黄 黃 黄色 黃色 노란색 노랑
green grün gruen vert verte verde zielony zielona zelená zelený зеленый зеленая зелёный зелёная зелений зелена yeşil yesil
  πράσινο πράσινη πρασινο 绿 綠 緑 绿色 綠色 緑色 초록색 녹색
goldenrod goldgelb
buff chamois
salmon lachs saumon salmón salmão salmone łososiowy łososiowa lososová лососевый лососевая лососевий somon σομόν
cherry kirsch kirschrot cerise cereza cereja ciliegia wiśniowy wiśniowa třešňová вишневый вишнёвый вишневий kiraz
gray grau gris cinza grigio grigia szary szara šedá šedý серый серая сірий сіра gri γκρι 灰 灰色 회색
ivory elfenbein ivoire marfil marfim avorio`
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [english = "", ...words] = line.split(/\s+/);
      return words.map((word) => [word, english] as const);
    }),
);
/** A colour in English: "blaue" and "blaues" are blau, "2. blau" is 2nd blue. */
function inEnglish(color: string): string {
  const word = color.match(/\p{L}+/gu)?.find((one) => !ordinalEnds.has(one)) ?? "";
  const found = foreignColors.get(word) ?? foreignColors.get(word.replace(/e[snr]?$/, ""));
  const at = color.indexOf(word);
  const after = color.slice(at + word.length);
  // A name, such as Rosa Klein.
  if (found === undefined || /^ (?!(?:vom|du|del?|dal|от|z) )\p{L}/u.test(after)) return color;
  const before = color.slice(0, at).replace(/^(\d)\S*\s*$/, (_, digit) => `${ordinals[digit] ?? `${digit}th`} `);
  return `${before}${found}${after}`;
}
const ordinalEnds = new Set("st nd rd th e ème a ª º".split(" "));
const ordinals: Readonly<Record<string, string>> = { 1: "1st", 2: "2nd", 3: "3rd" };

/** What names of revisions say beside the colour. */
const revisionWords = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:rev(?:isions?|ised)?|draft|pages?|révisions?|revisi[oó]n(?:es)?|revisione|revis(?:ão|ões)|fassung|seiten?|" +
    "rewizja|revize|редакци[яи]|редакція|revizyon|páginas?|pagine|strony|stránky)(?![\\p{L}\\p{N}])\\.?",
  "gu",
);
/**
 * The colour in a revision set's name: "Blue Rev. (03/30/20)" is blue, "2nd Pink (mm/dd/yyyy)" is 2nd pink, "Blaue
 * Seiten" is blue.
 */
export function colorOf(name: string): string {
  const given = normalized(name.slice(0, 100)).toLowerCase();
  const plain = given
    .replace(/\([^)]*\)?/g, " ")
    .replace(revisionWords, " ")
    .replace(/\s+/g, " ")
    .trim();
  return inEnglish(plain) || given || "revised";
}

/** A colour that somebody typed, in the form of those of files: "Blue" is blue. */
export const givenColor = (color: string | undefined): string | undefined => (color ? colorOf(color) : undefined);

const customaryColor =
  /^(?:(?:\d\w\w|double) )?(?:white|blue|pink|yellow|green|goldenrod|buff|salmon|cherry|tan|gr[ae]y|ivory)(?![\w'])/;
/**
 * The colour that a title page says of its draft, such as that of "Blue Revision, 30 March"; null if it is none of the
 * customary ones.
 */
export const titledColor = (texts: readonly (string | undefined)[]): string | null =>
  texts.flatMap((text = "") => customaryColor.exec(colorOf(text))?.[0] ?? [])[0] ?? null;

/**
 * The colour that a file says of its draft: that of the highest revision set that marks something, else that of the
 * title page; null if none.
 */
export function draftColor({ scenes, color }: Script): string | null {
  const revisions = scenes.flatMap(({ revision }) => revision ?? []);
  const highest = revisions.reduce((high, one) => Math.max(high, one.id), 0);
  return revisions.find(({ id }) => id === highest)?.color ?? color;
}

/** Names what a title page says and nothing keeps. */
export const warningsOfTitlePage = (lines: readonly string[]): Problem[] =>
  lines.length === 0
    ? []
    : [{ sentence: `what the title page says in these lines was not read: ${firstOf(lines.map(quoted), 20)}` }];

/** Longer texts are not remembered: the cues of a script are few and short, and each stands many times. */
export const longestKept = 40;

const maxNameLength = 100;

/** What pagination writes behind a cue whose speech goes on, without a full stop. */
const goesOn =
  `CONT(?:INUED|['’]?D)?|MORE|WEITER|FORTS(?:ETZUNG)?|SUITE|SEGUE|CONTINÚA|CONTINUA|SIGUE|C\\. ?D|CD|POKRAČ(?:OVÁNÍ)?|
  ПРОД(?:ОЛЖЕНИЕ|ОВЖЕННЯ)?|ДАЛЕЕ|DEVAM|ΣΥΝ(?:ΕΧΕΙΑ|ΕΧ)?|续|續|続き?|계속|تابع|המשך`.replace(/\n\s*/g, "");
const paginated = new RegExp(`\\(\\s*(?:${goesOn})\\.?\\s*\\)`, "giu");
/** A cue without the extension that pagination adds. */
export const cueText = (cue: string): string => normalized(cue.replace(paginated, " ")).toUpperCase();

/** An extension without parentheses, behind a name. */
const extension = /[,:]? (?:- ?)?(?:V[./]?\s?O\.?|O[./]?\s?[SC]\.?|VOICE OVER|CONT'?D\.?)$/i;

const brackets: Readonly<Record<string, string>> = { ")": "(", "]": "[", "）": "（", "］": "［", "】": "【" };
/** Where the parenthesis or bracket opens with which a cue ends; -1 if it ends with none. */
function openingOf(cue: string): number {
  const open = brackets[cue.at(-1) ?? ""];
  return open === undefined ? -1 : cue.lastIndexOf(open);
}

/** What may be an extension or a part of a name: it is one behind the name of somebody who has a cue without it. */
const likelyExtension = new RegExp(
  "(?:,? | - ?)(?:OFF|V\\.?F\\.?C\\.?|F\\.?C\\.?|OFF SCREEN|OFF CAMERA|HORS CHAMP|VOIX OFF|VOZ EN OFF|FUORI CAMPO|Z OFFU|" +
    `ЗА КАДРОМ|З\\.?К\\.?|FILTERED|PRE-?LAP|(?:${goesOn})\\.?)$|(?:, | - ?)(?:ON|INTO|OVER|THROUGH) `,
  "u",
);

/**
 * Who speaks under a cue: without (V.O.), [V.O.], VO, (CONT'D) and other extensions, without the ^ of dual dialogue.
 * Undefined if nothing is left, or if it is longer than a name is.
 */
export function speakerOf(cue: string): string | undefined {
  let name = normalized(cue.slice(0, 1000)).replace(/\^$/, "").trimEnd();
  for (let whole = ""; whole !== name; ) {
    whole = name;
    const open = openingOf(name);
    name = open >= 0 ? name.slice(0, open).trimEnd() : name.replace(extension, "");
  }
  name = name.replace(/[,:]$/, "").trim();
  return name === "" || name.length > maxNameLength ? undefined : name;
}

/** The name before what is likely an extension; undefined if there is none. */
export function nameBefore(cue: string): string | undefined {
  const found = likelyExtension.exec(cue);
  return found === null ? undefined : speakerOf(cue.slice(0, found.index));
}

const linkWord = /^(?:THRU|THROUGH|TO|AND|BIS|UND|À|ET|AL|Y|E|VE|И|І|ΚΑΙ)$/;
const cardNumber = /^[A-Z]{0,2}\d{1,4}[A-Z]{0,3}$/;

/** What stands in a part of a card between words for a scene. */
function bareNumber(part: string): string {
  const tokens = part.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? [];
  const isOwn = (token: string): boolean => !sceneWords.has(token) && /[\p{L}\p{N}]/u.test(token);
  return tokens.slice(Math.max(0, tokens.findIndex(isOwn)), tokens.findLastIndex(isOwn) + 1).join("");
}

/** A letter of a number, as in 16-A and 16 A. */
const isSuffix = (word: string, before = ""): boolean => /^[A-Z]$/.test(word) && /\d[A-Z]?$/.test(before);

const [maxCard, maxCards] = [40, 80];
/** What stands around each word for an omission in a line of cards; none for a line that says anything else. */
function partsOfCard(line: string): string[] {
  if (line.length > maxCards || (line.length > maxCard && isProse(line)) || !omittedStem.test(line)) return [];
  const parts = line.normalize("NFC").toUpperCase().split(omittedWord);
  const words = parts.join(" ").match(/[\p{L}\p{N}]+/gu) ?? [];
  const isOfCard = (word: string, at: number): boolean =>
    sceneWords.has(word) || linkWord.test(word) || cardNumber.test(word) || isSuffix(word, words[at - 1]);
  return parts.length > 1 && words.every(isOfCard) ? parts : [];
}

/**
 * The card that replaces an omitted scene, or several, with the numbers in its text: OMITTED, 2 OMITTED 2, SCENES 2-4
 * OMITTED. Undefined for another heading.
 */
export function omittedCard(heading: string): { number: string | null } | undefined {
  if (heading.length > maxCard) return undefined;
  const [mark, other, ...more] = partsOfCard(heading);
  if (mark === undefined || other === undefined || more.length > 0) return undefined;
  const [before, after] = [bareNumber(mark), bareNumber(other)];
  if (before && after && before !== after) return undefined;
  const number = before || after || null;
  return number !== null && !/\d/.test(number) ? undefined : { number };
}

/** Whether a line is one card of an omitted scene or several, of which a reader takes none. */
export const hasOmittedCard = (line: string): boolean => partsOfCard(line).length > 1;

/** Whether a heading is the card that replaces an omitted scene. */
export const isOmittedCard = (heading: string): boolean => omittedCard(heading) !== undefined;

const linesOfPage = 56;
const actionColumns = 60;
const dialogueColumns = 35;

/** How many lines `text` takes when it is wrapped at word boundaries, and inside words that are longer than a line. */
function wrappedLines(text: string, columns: number): number {
  let lines = 1;
  let used = 0;
  for (const { length } of text.split(" ")) {
    if (used > 0 && used + 1 + length <= columns) {
      used += 1 + length;
      continue;
    }
    if (used > 0) lines++;
    lines += Math.max(0, Math.ceil(length / columns) - 1);
    used = length % columns === 0 ? Math.min(length, columns) : length % columns;
  }
  return lines;
}

/**
 * An estimate of a scene's length in eighths, at least 1: action wrapped at 60 columns and dialogue at 35, 56 lines to
 * a page, a blank line after the heading, after each paragraph and after each speech, rounded up.
 */
export function estimateEighths(paragraphs: readonly Paragraph[]): number {
  let lines = 2; // the heading and the blank line below it
  let speaking = false;
  for (const { type, text } of paragraphs) {
    if (type === "dual") continue;
    const spoken = type === "dialogue" || type === "parenthetical" || type === "lyrics";
    if (speaking && !spoken) lines++;
    speaking = spoken || type === "character";
    lines += wrappedLines(text, spoken ? dialogueColumns : actionColumns) + (speaking ? 0 : 1);
  }
  return Math.max(1, Math.ceil((lines * 8) / linesOfPage));
}

/** A script whose numbers do not begin with the code of its episode: "101-4" is 4, if every number has the code. */
export function withoutCode(script: Script, episode: string | undefined): Script {
  if (episode === undefined) return script;
  const scenes = script.scenes.map((scene) => {
    const split = scene.number === null ? undefined : splitEpisode([episode], scene.number);
    return split === undefined ? undefined : { ...scene, number: split.rest };
  });
  const isWhole = scenes.every((scene, at) => scene !== undefined || script.scenes[at]?.number === null);
  if (!isWhole || scenes.every((scene) => scene === undefined)) return script;
  // both have one each
  return { ...script, scenes: scenes.map((scene, at) => scene ?? (script.scenes[at] as Script["scenes"][number])) };
}
