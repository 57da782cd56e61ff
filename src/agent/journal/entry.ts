// One path in the journal: the last report about it that the server has. Entries are sorted in the order of a walk.
import { hash } from "node:crypto";

/** `refused`: the file is there, but the server did not take it, so it is not sent again until it changes. */
export type State = "present" | "gone" | "refused";
/** Whether a stand-in is to be made; `settled` is made, or not possible. */
export type StandIn = "none" | "wanted" | "settled";

export interface Entry {
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

const states: Record<State, string> = { present: "p", gone: "g", refused: "r" };
const standIns: Record<StandIn, string> = { none: "n", wanted: "w", settled: "s" };
const letters = new Map(
  (Object.keys(states) as State[]).flatMap((state) =>
    (Object.keys(standIns) as StandIn[]).map((stand_in) => [states[state] + standIns[stand_in], { state, stand_in }]),
  ),
);

/** Sorts paths in the order of a walk: part by part, so that the content of a folder stays together. No name has a NUL in it. */
export const orderOf = (path: string): string => path.replaceAll("/", "\0");

/** Five fields, each ended by NUL, the one character that no path has. */
export const encodeEntry = ({ path, state, size, mtime_ns, returns, stand_in }: Entry): string =>
  `${path}\0${states[state]}${standIns[stand_in]}\0${size}\0${mtime_ns}\0${returns}\0`;

/** The entries in a text of encodeEntry. Throws an Error for any other text. */
export function decodeEntries(text: string): Entry[] {
  const fields = text.split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 5 < fields.length; at += 5) {
    const flags = letters.get(fields[at + 1] as string);
    if (flags === undefined) throw new Error("no entry of a journal");
    const { state, stand_in } = flags;
    const size = Number(fields[at + 2]);
    const mtime_ns = fields[at + 3] as string;
    entries.push({ path: fields[at] as string, state, size, mtime_ns, returns: Number(fields[at + 4]), stand_in });
  }
  return entries;
}

/** The first 16 hex characters of the SHA-256. */
export const checksumOf = (bytes: Uint8Array | string): string => hash("sha256", bytes).slice(0, 16);

/** The journal's files do not hold what was written into them. */
export class JournalDamage extends Error {}
