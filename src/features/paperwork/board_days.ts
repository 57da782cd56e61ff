// Divides the strips of a board or a one-liner into shoot days, at the breaks between them.
import type { UnitDay } from "../../graph/units.ts";
import { append } from "../sequences/sequences.ts";

/** A banner that begins or ends a shoot day. A bare "DAY 12" may do either. */
export interface DayBreak {
  edge: "start" | "end" | "either";
  number?: number;
  /** The unit whose day it is, if the break says one. */
  unit?: string;
  location?: string;
}

export type BoardItem<S, B extends DayBreak> = { strip: S } | { dayBreak: B };

export interface BoardDay<S, B> {
  /** As the break says it, else one more than the day before of the unit. */
  day: UnitDay;
  breaks: B[];
  strips: S[];
}

export interface Board<S, B> {
  days: BoardDay<S, B>[];
  /** The strips that are on no day: after the last break that ends one, before the first that begins one. */
  unplaced: S[];
  /** Two breaks of one day that disagree about its number or its unit. */
  conflicting: { start: B; end: B }[];
}

/**
 * Bare breaks end days if there are strips before the first break and none after the last; otherwise they begin days.
 */
function edgeOfBare<S, B extends DayBreak>(items: readonly BoardItem<S, B>[]): "start" | "end" {
  const isStrip = (item: BoardItem<S, B> | undefined): boolean => item !== undefined && "strip" in item;
  return isStrip(items[0]) && !isStrip(items.at(-1)) ? "end" : "start";
}

/** The days of a board, in its order. */
export function splitDays<S, B extends DayBreak>(items: readonly BoardItem<S, B>[]): Board<S, B> {
  const board: Board<S, B> = { days: [], unplaced: [], conflicting: [] };
  const bare = edgeOfBare(items);
  let open: { start?: B; strips: S[] } = { strips: [] };

  const close = (end?: B): void => {
    const { start, strips } = open;
    open = { strips: [] };
    if (start === undefined && end === undefined) {
      append(board.unplaced, strips);
      return;
    }
    const differ = (one: unknown, other: unknown) => one !== undefined && other !== undefined && one !== other;
    if (start && end && (differ(start.number, end.number) || differ(start.unit, end.unit)))
      board.conflicting.push({ start, end });
    const unit = start?.unit ?? end?.unit ?? "";
    const before = board.days.findLast(({ day }) => day.unit === unit)?.day.day_number ?? 0;
    const day_number = start?.number ?? end?.number ?? before + 1;
    board.days.push({ day: { unit, day_number }, strips, breaks: [start, end].filter((each) => each !== undefined) });
  };

  for (const item of items) {
    if ("strip" in item) {
      open.strips.push(item.strip);
      continue;
    }
    const { dayBreak } = item;
    if ((dayBreak.edge === "either" ? bare : dayBreak.edge) === "end") close(dayBreak);
    else {
      close();
      open.start = dayBreak;
    }
  }
  close();
  return board;
}
