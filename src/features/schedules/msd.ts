// Reads Movie Magic Scheduling files (.msd) of version 5 and 6: breakdown sheets, the active stripboard, and its
// calendar. As gabathanasiou/lemon_schedule describes it.
import { SaxesParser } from "saxes";
import { firstOf, listed, plural } from "../../core/wording.ts";
import { interiorExterior } from "../names/heading_words.ts";
import { fold, quoted } from "../names/names.ts";
import { eighthsOfDigits } from "../names/page_lengths.ts";
import type { Board, DayBreak } from "../paperwork/board_days.ts";
import { readDate } from "../paperwork/dates.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../paperwork/partial.ts";
import { repeated } from "../sequences/sequences.ts";
import { type Banner, type BoardStrip, boardReading } from "./board.ts";
import { readSections } from "./epsf.ts";
import { castName, maxScenesText, maxSheets, type Sheet, scenesOfSheets } from "./sheets.ts";

type Attributes = Readonly<Record<string, string>>;

interface MsdSheet {
  attributes: Attributes;
  /** The category and the name of each element, and the category folded. */
  elements: (readonly [category: string, name: string, key: string])[];
}

interface MsdBoard {
  name: string;
  calendar: string;
  /** The ids of the sheets of each day, and the banners between them. */
  days: (string | Banner)[][];
  /** Those on no day. */
  unplaced: (string | Banner)[];
}

interface MsdCalendar {
  start: string | undefined;
  weekdaysOff: Set<number>;
  datesOff: Set<string>;
  datesOn: Set<string>;
}

/** The attributes of a sheet that are read. */
const sheetAttributes = new Set(
  "BDSID SheetNumber Scenes IE DN Set Synopsis ScriptDay NumScriptPages Location Unit Sequence Comments".split(" "),
);
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const maxDepth = 100;
const maxDays = 2000;

/** MM/DD/YYYY, as these programs write dates everywhere, as YYYY-MM-DD. */
function dateOf(text = ""): string | undefined {
  const reading = readDate(text, "mdy");
  return "date" in reading ? reading.date : undefined;
}

/** What the sections of a file say, gathered element by element. */
class MsdFile {
  readonly roots = new Set<string>();
  readonly sheets: MsdSheet[] = [];
  readonly boards: MsdBoard[] = [];
  readonly calendars = new Map<string, MsdCalendar>();
  active: string | undefined;
  readonly #findings: Findings;
  readonly #path: string[] = [];
  /** The categories folded: a file has few of them and names each many times. */
  readonly #keys = new Map<string, string>();
  #day: MsdBoard["days"][number] | undefined;
  #calendar: MsdCalendar | undefined;
  /** The attributes of sheets that are not known. */
  readonly #attributes = new Set<string>();
  /** How many there are of the elements that are not known, by name. */
  readonly #unread = new Map<string, number>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1);
    if (parent === undefined) this.roots.add(name);
    if (this.#path.push(name) > maxDepth) refuse(`the file's XML is nested deeper than ${maxDepth} levels`);
    if (name === "BreakdownSheet") this.#openSheet(attributes);
    else if (name === "ElementRef") {
      this.#addElement(attributes);
    } else if (name === "StripBoard")
      this.boards.push({
        name: attributes.Name ?? "",
        calendar: attributes.CalendarName ?? "",
        days: [],
        unplaced: [],
      });
    else if (name === "ScheduleDay") this.#openDay();
    else if (name === "BDSStrip") this.#addStrip(attributes.BDSID ?? "");
    else if (name === "BannerStrip") this.#strips?.push({ banner: this.#findings.clean(attributes.Text ?? "") });
    else if (name === "Property" && attributes.Name === "ActiveStripBoard") this.active = attributes.Value;
    else if (this.#path[0] === "CalendarMgr") this.#addToCalendar(name, attributes);
    else if (name.endsWith("Strip") || parent === "BreakdownSheet") this.#nameUnread(name, attributes);
  }

  /** Counts an element of a sheet or a stripboard that is not known, if it says something. */
  #nameUnread(name: string, attributes: Attributes): void {
    if (Object.keys(attributes).length > 0) this.#unread.set(name, (this.#unread.get(name) ?? 0) + 1);
  }

  /** Warns of the elements and attributes that are not known, and of sheets that have one id. */
  nameUnread(): void {
    for (const [name, count] of this.#unread)
      this.#findings.warn(
        `${plural(count, `element ${name}`, `elements ${name}`)} ${count === 1 ? "was" : "were"} not read`,
      );
    const attributes = [...this.#attributes];
    if (attributes.length > 0) this.#findings.warn(`what sheets say in ${firstOf(attributes)} was not read`);
    const ids = this.sheets.map(({ attributes }) => attributes.BDSID ?? "").filter((id) => id !== "");
    const twice = repeated(ids).map(quoted);
    if (twice.length > 0)
      this.#findings.warn(`sheets have ids twice, of which the last is on the stripboard: ${firstOf(twice)}`);
  }

  close(): void {
    if (this.#path.pop() === "ScheduleDay") this.#day = undefined;
  }

  /** References to elements also stand outside of sheets, where they say nothing about a scene. */
  #addElement({ CategoryName = "", ElementName = "" }: Attributes): void {
    this.#findings.mention();
    if (!this.#path.includes("BreakdownSheet")) return;
    this.#findings.tally.saw("element");
    const key = this.#keys.get(CategoryName) ?? fold(CategoryName);
    this.#keys.set(CategoryName, key);
    this.sheets.at(-1)?.elements.push([CategoryName, ElementName, key]);
  }

  #openSheet(attributes: Attributes): void {
    for (const [name, text] of Object.entries(attributes))
      if (text !== "" && !sheetAttributes.has(name)) this.#attributes.add(name);
    this.sheets.push({ attributes, elements: [] });
    if (this.sheets.length > maxSheets) refuse(`the file has more than ${maxSheets} breakdown sheets`);
  }

  #openDay(): void {
    this.#day = [];
    const days = this.boards.at(-1)?.days;
    if (days?.push(this.#day) === maxDays) refuse(`a stripboard of the file has more than ${maxDays} days`);
  }

  /** Those of the open day, else those on no day. */
  get #strips(): MsdBoard["unplaced"] | undefined {
    return this.#day ?? this.boards.at(-1)?.unplaced;
  }

  #addStrip(id: string): void {
    this.#findings.mention();
    this.#strips?.push(id);
  }

  #dateOf(text: string | undefined): string | undefined {
    const date = dateOf(text);
    if (text === undefined) return undefined;
    const { tally } = this.#findings;
    tally.saw("date");
    if (date !== undefined) tally.took("date");
    else this.#findings.name("date", `the date ${quoted(text)} of a calendar was ignored: it is not MM/DD/YYYY`);
    return date;
  }

  #addToCalendar(name: string, attributes: Attributes): void {
    if (name === "Calendar") {
      this.#calendar = { start: undefined, weekdaysOff: new Set(), datesOff: new Set(), datesOn: new Set() };
      this.calendars.set(attributes.Name ?? "", this.#calendar);
    }
    const calendar = this.#calendar;
    if (calendar === undefined) return;
    const isStart = name === "ScheduleDate" && attributes.Name === "ProductionStartDate";
    const date = isStart || name === "SpecialDay" ? this.#dateOf(attributes.Date) : undefined;
    if (isStart) calendar.start = date;
    if (name === "DaysOff")
      for (const [at, day] of weekdays.entries()) if (attributes[day] === "1") calendar.weekdaysOff.add(at);
    if (name !== "SpecialDay" || date === undefined) return;
    if (attributes.ExceptionWorkday === "1") calendar.datesOn.add(date);
    else if ([attributes.Off, attributes.Holiday, attributes.CompanyTravel].includes("1")) calendar.datesOff.add(date);
  }
}

function readXml(text: string, file: MsdFile): void {
  const parser = new SaxesParser();
  parser.on("doctype", () => refuse("the file's XML has a document type declaration, which is not read"));
  parser.on("opentag", ({ name, attributes }) => file.open(name, attributes));
  parser.on("closetag", () => file.close());
  parser.on("error", (error) => refuse(`a section of the file is not well-formed XML: ${error.message}`));
  parser.write(text).close();
}

function eighthsOf(text: string, place: string, findings: Findings): number | undefined {
  if (text === "") return undefined;
  const eighths = eighthsOfDigits(text);
  if (eighths !== undefined) return eighths;
  findings.warn(`the length of ${place} was ignored: ${quoted(text)} is not a number of pages and eighths`);
  return undefined;
}

/** Categories that a sheet has as fields of its own. */
const ownCategories = new Set(["set", "scriptday", "location", "synopsis", "sequence", "unit"]);

function sheetOf({ attributes, elements }: MsdSheet, findings: Findings): Sheet {
  const place = `sheet ${attributes.SheetNumber?.trim() || attributes.BDSID?.trim()}`;
  const field = (name: string, most?: number): string => findings.clean(attributes[name] ?? "", most, place);
  const named = (category: string): string[] =>
    elements.flatMap(([, name, key]) => (key === category ? [findings.clean(name, 300)] : []));
  const tags = Map.groupBy(
    elements.filter(([, , key]) => key !== "castmembers" && !ownCategories.has(key)),
    ([category]) => category,
  );
  /** An attribute, or else the elements of the category that stands for it. */
  const fieldOr = (name: string, joint = " "): string => {
    const [text, names] = [field(name), named(name.toLowerCase())];
    const others = text === "" ? [] : names.filter((one) => !fold(text).includes(fold(one)));
    if (others.length > 0)
      findings.warn(`${place}: ${name} is ${quoted(text)}; ignored: ${listed(others.slice(0, 10).map(quoted))}`);
    return text || names.join(joint);
  };
  const location = fieldOr("Location", "; ");
  return {
    scenes: field("Scenes", maxScenesText),
    place,
    int_ext: interiorExterior(field("IE")),
    set: fieldOr("Set"),
    time_of_day: field("DN").toUpperCase(),
    synopsis: field("Synopsis", 2000) || named("synopsis").join(" "),
    script_day: fieldOr("ScriptDay", ", "),
    eighths: eighthsOf(field("NumScriptPages"), place, findings),
    cast: named("castmembers").map((name) => castName(name, findings)),
    fields: elements.filter(([, , key]) => ownCategories.has(key)).length,
    location: location || undefined,
    texts: {
      location,
      unit: fieldOr("Unit"),
      sequence: fieldOr("Sequence"),
      comments: field("Comments", 2000),
    },
    tags: new Map([...tags].map(([category, list]) => [category, list.map(([, name]) => findings.clean(name, 300))])),
  };
}

const sheetNumber = ({ attributes }: MsdSheet): number =>
  Number.parseInt(attributes.SheetNumber ?? "", 10) || Number.MAX_SAFE_INTEGER;

/** The active stripboard, with its sheets in place of their ids. */
function activeBoard({ boards, active, calendars }: MsdFile, sheets: ReadonlyMap<string, Sheet>, findings: Findings) {
  const board = boards.find(({ name }) => name === active) ?? boards[0];
  if (board === undefined) return {};
  const all = [...board.days.flat(), ...board.unplaced];
  findings.tally.saw("strip", all.length);
  const nameless = all.filter((strip) => typeof strip !== "string" && strip.banner === "").length;
  if (nameless > 0)
    findings.name(
      "strip",
      `${plural(nameless, "banner")} without a text ${nameless === 1 ? "was" : "were"} ignored`,
      {},
      nameless,
    );
  const stripsOf = (ids: readonly (string | Banner)[]): BoardStrip[] =>
    ids.flatMap((id): BoardStrip | BoardStrip[] => {
      if (typeof id !== "string") return id.banner === "" ? [] : id;
      const sheet = sheets.get(id);
      if (sheet === undefined)
        findings.problem(
          `the stripboard ${quoted(board.name)} has a strip of sheet ${quoted(id)}, which the file does not hold`,
        );
      return sheet ?? [];
    });
  const days = board.days.map((ids, at) => ({
    day: { unit: "", day_number: at + 1 },
    breaks: [],
    strips: stripsOf(ids),
  }));
  const read: Board<BoardStrip, DayBreak> = { days, unplaced: stripsOf(board.unplaced), conflicting: [] };
  if (boards.length > 1)
    findings.warn(`the file has ${boards.length} stripboards; ${quoted(board.name)}, the active one, was read`);
  return { board: read, calendar: calendars.get(board.calendar) };
}

/** Throws FormatError with every problem of the file. */
export function readMsd(bytes: Uint8Array, options: ReadOptions): PaperReading {
  const findings = new Findings();
  const file = new MsdFile(findings);
  for (const text of readSections(bytes, findings)) readXml(text, file);
  for (const root of ["BreakdownSheetMgr", "StripBoardMgr"])
    if (!file.roots.has(root)) findings.problem(`the file has no section ${root}`);
  findings.refuse();
  file.nameUnread();
  const inOrder = file.sheets
    .toSorted((one, other) => sheetNumber(one) - sheetNumber(other))
    .map((sheet) => [sheet.attributes.BDSID ?? "", sheetOf(sheet, findings)] as const);
  const scenes = scenesOfSheets(
    inOrder.map(([, sheet]) => sheet),
    options,
    "white",
    findings,
  );
  return boardReading(scenes, activeBoard(file, new Map(inOrder), findings), options, findings);
}
