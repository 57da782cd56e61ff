// Defines the kinds of cells in lists: their allowed values, and how they are read and written.
import { parseJson } from "../../core/json.ts";
import { timestampAt } from "../../core/times.ts";
import { withCommas } from "../../core/wording.ts";
import { inZoneOf, momentAt, type Zone } from "../../core/zones.ts";
import { cellLimits } from "../documents/json_limits.ts";
import { effectIn, interiorExterior } from "../names/heading_words.ts";
import { fold, quoted } from "../names/names.ts";
import { kindNamed, likelyKind, slugNamed } from "../paperwork/categories.ts";
import { dateReader, isDate, isSerial, isStoredDate, serialReader } from "../paperwork/dates.ts";
import { CellRefusal, type Findings } from "../paperwork/findings.ts";
import { elementsOfScenesIn, kindsIn, referenceIn, spellingIn } from "../paperwork/known_names.ts";
import type { DateOrder, ProductionNames } from "../paperwork/partial.ts";
import { remembering } from "../sequences/sequences.ts";
import { moneyReader, printNumber } from "./money.ts";
import type { Departments } from "./named_departments.ts";

/** What a cell is read with: the names of the production, the order of dates, and the other cells of its column. */
export interface CellContext {
  known: ProductionNames;
  departments: Departments;
  dates?: DateOrder;
  column: Iterable<string>;
  /** Warns about the cell that is read. */
  say(sentence: string): void;
}

export interface CellType<T> {
  /** What a cell holds, for help: "a date", "yes or no". */
  readonly holds: string;
  /** Answers the reader of one column. It gets no blank text. */
  open(context: CellContext): (text: string) => T | CellRefusal;
  /** `zone`: that of the production. */
  print(value: T, zone: Zone): string;
}

const controlCharacters = /[^\P{Cc}\t\n\r]/u;

/** Text is written as it is and anything else as JSON, if `print` does not say it. */
const cellOf = <T>(
  holds: string,
  open: CellType<T>["open"],
  print: CellType<T>["print"] = (value) => (typeof value === "string" ? value : JSON.stringify(value)),
): CellType<T> => ({ holds, open, print });

/** A cell that is read with neither the names nor the other cells. */
export const plainCell = <T>(
  holds: string,
  read: (text: string) => T | CellRefusal,
  print?: CellType<T>["print"],
): CellType<T> => cellOf(holds, () => read, print);

export const textCell = (most = 10_000, holds = "text"): CellType<string> =>
  plainCell(holds, (text) => {
    if (text.length > most) return new CellRefusal(`the text has more than ${withCommas(most)} characters`);
    return controlCharacters.test(text) ? new CellRefusal("the text has control characters") : text;
  });

/** A value that a cell of text can have; undefined for any other. */
export const plainText = (value: unknown, most: number): string | undefined =>
  typeof value === "string" &&
  /\S/.test(value) &&
  value.length <= most &&
  value.isWellFormed() &&
  !controlCharacters.test(value)
    ? value
    : undefined;

/** One of a closed set of values, under any of the words that people use for it, which have commas between them. */
export function oneOfCell<V extends string>(words: Readonly<Record<V, string>>): CellType<V> {
  const values = Object.keys(words) as V[]; // the keys of a Record<V, …> literal are the values of V
  const spellings = new Map(
    values.flatMap((value) => [value, ...words[value].split(", ")].map((word) => [fold(word), value])),
  );
  const holds = `one of ${values.join(", ")}`;
  return plainCell(holds, (text) => spellings.get(fold(text)) ?? new CellRefusal(`${quoted(text)} is not ${holds}`));
}

const yes = new Set(["y", "yes", "ja", "j", "oui", "x", "1", "true", "✓", "✔", "☑"]);
const no = new Set(["n", "no", "nein", "non", "0", "false", "-", "–", "☐"]);

/** Yes or no. `also` are further words for yes. */
export const flagCell = (...also: string[]): CellType<boolean> =>
  plainCell(
    "yes or no",
    (text) => {
      const word = text.toLowerCase();
      if (yes.has(word) || also.includes(fold(text))) return true;
      return no.has(word) ? false : new CellRefusal(`${quoted(text)} is neither yes nor no`);
    },
    (value) => (value ? "Yes" : "No"),
  );

/** INT, EXT or INT/EXT. Other words stay as they are, also those that a scene of the production has. */
export const interiorCell = cellOf("INT, EXT or INT/EXT", (context) => {
  const read = textCell(100).open(context);
  const stored = new Set([...elementsOfScenesIn(context.known.items("scenes")).values()].map(({ int_ext }) => int_ext));
  return remembering((text) => {
    const kind = stored.has(text) ? "" : interiorExterior(text);
    // What also says the time of day stays whole, until both are parted.
    return ["INT", "EXT", "INT/EXT"].includes(kind) && effectIn(text) === undefined ? kind : read(text);
  });
});

/**
 * A kind of assets in the form of a slug: "Set Dressing" is dressing, and "Picture Vehicle(s)" vehicle, as in a
 * breakdown.
 */
export const assetKindCell = cellOf("a kind, such as prop or vehicle", ({ known, say }) => {
  const kinds = kindsIn(known.items("assets"));
  const sayOnce = remembering((text) => {
    const other = likelyKind(text, kinds);
    if (other !== undefined) say(`the kind ${quoted(text)} is new; it is nearly ${quoted(other)}`);
    return true;
  });
  return (text) => {
    const kind = kindNamed(text, kinds);
    sayOnce(text);
    if (kind === "") return new CellRefusal(`${quoted(text)} has no Latin letters or digits, so it cannot be a kind`);
    return kind === "scene" ? new CellRefusal("the kind must not be scene") : kind;
  };
});

/** A slug; other text is made one: "Camera Unit" is camera-unit. */
export const slugCell = plainCell("a slug, such as camera", (text) => {
  const slug = slugNamed(text);
  return slug === "" ? new CellRefusal(`${quoted(text)} has no Latin letters or digits, so it cannot be a slug`) : slug;
});

/** A department by slug or name; one that the production does not have is added. */
export const department = cellOf("a department's slug or name", ({ departments }) =>
  departments.take.bind(departments),
);

/** A reference to one of the names that the production has, in the production's spelling; any other name as it is. */
export const nameAmong = (names: (known: ProductionNames) => readonly string[], most = 300) =>
  cellOf("a name", (context) => {
    const read = textCell(most).open(context);
    return (cell) => referenceIn(names(context.known), cell, context.say) ?? read(cell);
  });

/** The name of what a row is about, in the production's spelling if the production has it. */
export const ownName = (names: (known: ProductionNames) => readonly string[]) =>
  cellOf("a name", (context) => {
    const read = textCell(300).open(context);
    return (cell) => spellingIn(names(context.known), cell) ?? read(cell);
  });

/** How far a date may be from those of the schedule, or of its column, before somebody should look at its year. */
const likelyYears = 10;
/** Years in which no date is looked at twice that is near those of its column. */
const [firstLikely, lastLikely] = ["2015", "2045"];

/** What the production has a date of is not looked at. */
const datedSections = ["schedule", "purchase_orders", "cost_reports", "deliveries", "approvals"] as const;

/** What says which date is far from those of the schedule or, where none is stored, from most of its column. */
export function farDates(
  { column, known }: Pick<CellContext, "column" | "known">,
  read: (text: string) => string | CellRefusal,
) {
  const dates = (texts: Iterable<string>) => [...texts].filter((text) => text !== "").flatMap(dateIn);
  const dateIn = (text: string) => {
    const date = read(text);
    return date instanceof CellRefusal ? [] : [date];
  };
  const middleOf = (all: readonly string[]) => all.toSorted()[all.length >> 1];
  const isFar = (date: string, other: string) => Math.abs(yearIn(date) - yearIn(other)) > likelyYears;
  let usual: string | undefined;
  let stored: { dates: ReadonlySet<unknown>; shot: string | undefined } | undefined;
  const storedDates = () => ({
    dates: new Set(datedSections.flatMap((section) => known.items(section).flatMap((item) => Object.values(item)))),
    shot: middleOf(known.items("schedule").flatMap(({ date }) => (typeof date === "string" ? date : []))),
  });
  return (date: string, say: (sentence: string) => void): void => {
    usual ??= middleOf(dates(column)) ?? date;
    if (date >= firstLikely && date < lastLikely && !isFar(date, usual)) return;
    stored ??= storedDates();
    if (stored.dates.has(date)) return;
    const { shot } = stored;
    const [other, where] = shot === undefined ? [usual, "the other dates"] : [shot, "the shoot days"];
    if (shot === undefined && other === date) say(`the year of ${date} is unusual`);
    else if (isFar(date, other)) say(`${date} is more than ${likelyYears} years from ${where}, such as ${other}`);
  };
}
const yearIn = (date: string): number => Number(date.slice(0, 4));

export const dateCell = cellOf("a date", (context) => {
  const readText = dateReader(context.column, context.dates);
  const serial = serialReader(context.column);
  const read = (text: string) => serial(text) ?? readText(text);
  const look = farDates(context, read);
  let isSaid = false;
  return (text) => {
    const date = read(text);
    if (!isSaid && serial(text) !== undefined) {
      context.say(`the dates here are numbers of days, as Excel counts them: ${text} is ${date}`);
      isSaid = true;
    }
    if (typeof date === "string") look(date, context.say);
    return date;
  };
});

/**
 * A date, in which a time of day may stand too, or any other text. Text that would be read as a date is written as
 * JSON.
 */
export const dateOrText = (most: number): CellType<string> => ({
  holds: "a date, or text",
  open(context) {
    const read = dateCell.open(context);
    const plainText = textCell(most).open(context);
    const serial = serialReader(context.column);
    const isDated = remembering((text) => isDate(text) || serial(text) !== undefined);
    return (cell) => {
      const quotedText = cell.startsWith('"') ? jsonTexts(`[${cell}]`)?.[0] : undefined;
      if (quotedText !== undefined || !isDated(cell)) return plainText(quotedText ?? cell);
      return read(cell);
    };
  },
  print: (value) =>
    value.startsWith('"') || ((isDate(value) || isSerial(value)) && !/^\d{4}-\d\d-\d\d$/.test(value))
      ? JSON.stringify(value)
      : value,
});

/** Warns of a text in a column of dates: it is kept as it is written, and is never late. */
export function warnOfText(due: string | undefined, place: { line: number; column: string }, findings: Findings): void {
  if (due !== undefined && !isStoredDate(due))
    findings.warn(`${quoted(due)} is no date with its year, so it is kept as text and is never late`, place);
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * A timestamp, written in the time zone of the production with its offset. A date alone means the beginning of the date
 * there.
 */
export const momentCell = cellOf(
  "a date, or a timestamp such as 2026-03-01T09:00:00Z",
  (context) => {
    const read = dateCell.open(context);
    return (text) => {
      if (moment.test(text) && !Number.isNaN(Date.parse(text))) return text;
      const day = read(text);
      return day instanceof CellRefusal ? day : timestampAt(momentAt(context.known.zone, day));
    };
  },
  (timestamp, zone) => inZoneOf(zone, timestamp),
);

export const money = cellOf("an amount", ({ column }) => moneyReader(column), printNumber);

/**
 * A list in one cell, of items that have at most `most` characters: between commas, semicolons or line ends, or as JSON
 * where an item holds one of those.
 */
export const listCell = (holds: string, separators = /[\n;,]/, most?: number): CellType<string[]> =>
  plainCell(
    holds,
    (text) => {
      const items =
        (text.startsWith("[") ? jsonTexts(text) : undefined) ??
        text
          .split(separators)
          .map((item) => item.trim())
          .filter((item) => item !== "");
      const unfit = most === undefined ? undefined : items.find((item) => plainText(item, most) === undefined);
      return unfit === undefined
        ? items
        : new CellRefusal(`${quoted(unfit)} must be text of at most ${most} characters, without control characters`);
    },
    (items) => {
      const safe = items.every(
        (item, at) =>
          item === item.trim() && item !== "" && !separators.test(item) && (at > 0 || !item.startsWith("[")),
      );
      return safe ? items.join(separators.test(",") ? ", " : "; ") : JSON.stringify(items);
    },
  );

/**
 * The value of a text in JSON, read as documents are, which report what a number does not keep; undefined if it is
 * none.
 */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text, cellLimits());
  } catch {
    return undefined;
  }
}

function jsonTexts(text: string): string[] | undefined {
  const value = jsonOf(text);
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}
