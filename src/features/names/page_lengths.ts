// Reads and writes the lengths of scenes: eighths of a page, which are integers here and "1 7/8" in files.
import { quoted } from "./names.ts";

/** The eighths that "1 7/8", "3/8" or "2" mean, or undefined if the text is not a number of eighths. */
export function parseEighths(text: string): number | undefined {
  const found = /^(?:(\d{1,4})(?:\s+([1-7])\/8)?|([1-7])\/8)$/.exec(text.trim());
  return found === null ? undefined : Number(found[1] ?? 0) * 8 + Number(found[2] ?? found[3] ?? 0);
}

/** "1 7/8", "3/8" or "2". */
export function formatEighths(eighths: number): string {
  const pages = Math.floor(eighths / 8);
  const rest = eighths % 8;
  if (rest === 0) return String(pages);
  return pages === 0 ? `${rest}/8` : `${pages} ${rest}/8`;
}

const halvesAndQuarters: Readonly<Record<string, number>> = { "1/2": 4, "1/4": 2, "2/4": 4, "3/4": 6 };

/**
 * The eighths that a cell of a list means: also "1 1/2" and "1/4", which spreadsheets make of eighths, and decimals
 * that are eighths. Undefined if it is no such number.
 */
export function typedEighths(text: string): number | undefined {
  const written = parseEighths(text);
  if (written !== undefined) return written;
  const [, pages = "0", part = ""] = /^(?:(\d{1,4})\s+)?([12]\/[24]|3\/4)$/.exec(text) ?? [];
  const fraction = halvesAndQuarters[part];
  if (fraction !== undefined) return Number(pages) * 8 + fraction;
  const decimal = /^\d{0,4}[.,]\d{1,3}0*$/.test(text) ? Number(text.replace(",", ".")) * 8 : undefined;
  return Number.isInteger(decimal) ? decimal : undefined;
}

/** A length as people type it, "1.5" or "1 1/2", as it is stored: "1 4/8". Undefined if it is none. */
function typedLength(text: string): string | undefined {
  const eighths = typedEighths(text.trim());
  return eighths === undefined ? undefined : formatEighths(eighths);
}

/** Why a text is no length. */
const noLength = (text: string): string =>
  `${quoted(text)} is not a length in eighths of a page; write 3/8, 1 4/8, 1 1/2, 1.5 or 0,25`;

/** Elements of a scene with the length as it is stored. Throws what `refuse` makes of the sentence if it is none. */
export function withTypedLength<E extends Readonly<Record<string, unknown>>>(
  elements: E,
  refuse: (sentence: string) => Error,
): E {
  const { pages } = elements;
  if (pages === undefined || pages === null) return elements;
  const length = typedLength(String(pages));
  if (length === undefined) throw refuse(noLength(String(pages)));
  return { ...elements, pages: length };
}

/** The parts of scenes on a shoot day with lengths as they are stored; what is no length stays as it was typed. */
export const withPartLengths = (strips: unknown): unknown =>
  !Array.isArray(strips)
    ? strips
    : strips.map((strip: unknown) => {
        if (typeof strip !== "object" || strip === null || !("pages" in strip) || strip.pages === null) return strip;
        return { ...strip, pages: typedLength(String(strip.pages)) ?? strip.pages };
      });

/** A length in a list: "0 3/8", because spreadsheets make a date of "3/8". */
export const writtenEighths = (eighths: number): string =>
  eighths % 8 === 0 || eighths > 8 ? formatEighths(eighths) : `0 ${formatEighths(eighths)}`;

/** The eighths of a number of pages, such as 1.875; undefined if it has no whole number of them. */
export function eighthsOfPages(pages: number): number | undefined {
  const eighths = Math.round(pages * 8);
  return eighths >= 0 && Math.abs(pages * 8 - eighths) < 0.01 ? eighths : undefined;
}

/**
 * The eighths that "12" means where the last digit counts them: 1 2/8 pages. Undefined if the text is no such number.
 */
export function eighthsOfDigits(text: string): number | undefined {
  const [, pages, eighths] = /^(\d{0,4})([0-8])$/.exec(text) ?? [];
  return eighths === undefined ? undefined : Number(pages) * 8 + Number(eighths);
}

/** A length in eighths. An estimate of the script is written as one, and says nothing when it is read again. */
export interface StripLength {
  eighths: number;
  isEstimate?: true;
}

/** The eighths that a strip says; undefined for an estimate. */
export const eighthsSaid = (length: StripLength | undefined): number | undefined =>
  length?.isEstimate === true ? undefined : length?.eighths;
