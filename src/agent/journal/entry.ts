// One path in the journal: the last report about it that the server has. Entries are sorted in the order of a walk.

/** `refused`: the file is there, but the server did not take it, so it is not sent again until it changes. */
export type State = "present" | "gone" | "refused";
/** Whether a stand-in is to be made; `settled` is made, or not possible. */
export type StandIn = "none" | "wanted" | "settled";

export interface JournalEntry {
  /** Relative to the root, parts joined by /. */
  path: string;
  state: State;
  /** In bytes. */
  size: number;
  /** Decimal digits: 64 bits, which no number holds. */
  mtime_ns: string;
  /** How often the path has come back: from being gone, or to a time that is not later than the one before. */
  returns: number;
  stand_in: StandIn;
}

/**
 * The key of a path in the database. The database sorts keys as a walk sorts paths: part by part, so that the content of a folder
 * stays together. No name has a NUL in it.
 */
export const sortKeyOf = (path: string): string => path.replaceAll("/", "\0");
/** The folder of a path; empty for the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
export const pathOf = (position: string): string => position.replaceAll("\0", "/");

/** The characters that UTF-16 sorts differently from UTF-8: surrogates belong behind the others. */
const misplaced = /[\ud800-\uffff]/g;
const replace = (unit: string): string => String.fromCharCode(unit.charCodeAt(0) + (unit < "\ue000" ? 0x2000 : -0x800));

/** A text for comparisons in JavaScript: such texts are in the same order as the positions in the database. */
export function orderOf(path: string): string {
  const position = sortKeyOf(path);
  return position.search(misplaced) === -1 ? position : position.replace(misplaced, replace);
}
