// What stands in a target for the name of a thing, which means the same thing whatever that is called, so that a rename changes nothing that
// refers to it; and for the bytes of a medium.
import type { Noun } from "./sections.ts";

/** Stands at both ends of a reference. A text of a document that has it is doubled there, so that it is none. */
const mark = "\ufffc";
const pattern = new RegExp(`${mark}[a-z]+ -?\\d+${mark}`, "g");

/** The reference to the thing of an id; one that is not stored yet has a number below 0. */
export const referenceTo = (noun: Noun, id: number): string => `${mark}${noun} ${id}${mark}`;

export const isReference = (value: unknown): value is string =>
  typeof value === "string" && value.startsWith(mark) && value[1] !== mark;

/** The id in a reference. */
export const idIn = (reference: string): number => Number(reference.slice(reference.indexOf(" ") + 1, -1));

/** The noun in a reference. */
export const nounIn = (reference: string): Noun => reference.slice(1, reference.indexOf(" ")) as Noun; // made by referenceTo

/** A text that stays a text. */
export const notReference = (text: string): string => (text.startsWith(mark) ? mark + text : text);

/** A text with names in place of references. */
export const withNames = (text: string, nameOf: (reference: string) => string): string =>
  text.includes(mark) ? text.replace(pattern, nameOf) : text;

/** The `file` of a medium whose bytes are known by their hash. The character is for private use: no path of a document has it. */
const fileMark = "\ue000";
export const fileOfHash = (sha256: string): string => fileMark + sha256;
export const hashOfFile = (file: unknown): string | undefined =>
  typeof file === "string" && file.startsWith(fileMark) ? file.slice(fileMark.length) : undefined;
