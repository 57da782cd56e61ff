// Reads Movie Magic Scheduling files (.msd) of version 5 and 6: breakdown sheets, the active stripboard, and its calendar. They are in an EPSF
// container: sections, each of which has a header of 34 bytes and then XML compressed by raw deflate, or a picture. As
// gabathanasiou/lemon_schedule describes it.
import { constants, inflateRawSync } from "node:zlib";
import { SaxesParser } from "saxes";
import { codeOf } from "../../core/errors.ts";
import { interiorExterior } from "../names/heading_words.ts";
import { fold, quoted } from "../names/names.ts";
import type { Board, DayBreak } from "../paperwork/board_days.ts";
import { bufferOf } from "../paperwork/bytes.ts";
import { cleanText } from "../paperwork/clean_text.ts";
import { readDate } from "../paperwork/dates.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../paperwork/partial.ts";
import { type Banner, type BoardStrip, boardReading } from "./board.ts";
import { castName, maxSheets, type Sheet, scenesOfSheets } from "./sheets.ts";

const fileMark = "EPSF FILE";
const sectionMark = Buffer.from("/********* EPSF SECTION *********/");
const headerBytes = 34;

const limits = { file: 64 * 2 ** 20, sections: 1000, inflated: 48 * 2 ** 20 };

function splitSections(file: Buffer): Buffer[] {
  const starts: number[] = [];
  for (let at = file.indexOf(sectionMark); at >= 0; at = file.indexOf(sectionMark, at + 1)) {
    starts.push(at);
    if (starts.length > limits.sections) refuse(`the file has more than ${limits.sections} sections`);
  }
  return starts.map((start, at) => file.subarray(start + sectionMark.length, starts[at + 1] ?? file.length));
}

const startsAsXml = (bytes: Buffer): boolean => /^\ufeff?\s*</.test(bytes.toString("utf8", 0, 100));

/** Whether the first bytes inflate to XML. Pictures of the cast are in other sections and do not. */
function isXml(deflated: Buffer): boolean {
  try {
    const head = deflated.subarray(0, 256);
    return startsAsXml(inflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 20 }));
  } catch {
    return false;
  }
}

function inflate(deflated: Buffer, name: string, maxOutputLength: number): Buffer {
  try {
    return inflateRawSync(deflated, { maxOutputLength });
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE")
      refuse(`the file holds more than ${limits.inflated / 2 ** 20} MiB when it is decompressed`);
    return refuse(`${name} is damaged or cut off`);
  }
}

/** The XML texts of the file's sections, in its order. Throws FormatError if it is no such file, or one of them is damaged. */
function readSections(bytes: Uint8Array, findings: Findings): string[] {
  const file = bufferOf(bytes, limits.file, "a schedule");
  if (!file.subarray(0, 1024).includes(fileMark))
    refuse("the file is not a Movie Magic Scheduling file of version 5 or 6: it does not begin with EPSF FILE");
  const texts: string[] = [];
  let left = limits.inflated;
  let foreign = 0;
  for (const [at, section] of splitSections(file).entries()) {
    const deflated = section.subarray(headerBytes);
    if (!isXml(deflated)) {
      foreign++;
      continue;
    }
    const inflated = inflate(deflated, `section ${at + 1} of the file`, left);
    left -= inflated.length;
    texts.push(inflated.toString("utf8").replace(/^\ufeff/, ""));
  }
  if (foreign > 0)
    findings.warn(`${foreign} of the file's sections were not read: they hold pictures or nothing that is known`);
  return texts;
}

type Attributes = Readonly<Record<string, string>>;

interface MsdSheet {
  attributes: Attributes;
  /** The category and the name of each element. */
  elements: (readonly [category: string, name: string])[];
}

interface MsdBoard {
  name: string;
  calendar: string;
  /** The ids of the sheets of each day, and the banners between them. */
  days: (string | Banner)[][];
  /** Those on no day. */
  unplaced: string[];
}

interface MsdCalendar {
  start: string | undefined;
  weekdaysOff: Set<number>;
  datesOff: Set<string>;
  datesOn: Set<string>;
}

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
  #day: MsdBoard["days"][number] | undefined;
  #calendar: MsdCalendar | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1);
    if (parent === undefined) this.roots.add(name);
    if (this.#path.push(name) > maxDepth) refuse(`the file's XML is nested deeper than ${maxDepth} levels`);
    if (name === "BreakdownSheet") this.#openSheet(attributes);
    else if (name === "ElementRef") {
      this.#findings.mention();
      this.sheets.at(-1)?.elements.push([attributes.CategoryName ?? "", attributes.ElementName ?? ""]);
    } else if (name === "StripBoard")
      this.boards.push({
        name: attributes.Name ?? "",
        calendar: attributes.CalendarName ?? "",
        days: [],
        unplaced: [],
      });
    else if (name === "ScheduleDay") this.#openDay();
    else if (name === "BDSStrip") this.#addStrip(attributes.BDSID ?? "");
    else if (name === "BannerStrip" && cleanText(attributes.Text ?? "") !== "")
      this.#day?.push({ banner: cleanText(attributes.Text ?? "") });
    else if (name === "Property" && attributes.Name === "ActiveStripBoard") this.active = attributes.Value;
    else if (this.#path[0] === "CalendarMgr") this.#addToCalendar(name, attributes);
  }

  close(): void {
    if (this.#path.pop() === "ScheduleDay") this.#day = undefined;
  }

  #openSheet(attributes: Attributes): void {
    this.sheets.push({ attributes, elements: [] });
    if (this.sheets.length > maxSheets) refuse(`the file has more than ${maxSheets} breakdown sheets`);
  }

  #openDay(): void {
    this.#day = [];
    const days = this.boards.at(-1)?.days;
    if (days?.push(this.#day) === maxDays) refuse(`a stripboard of the file has more than ${maxDays} days`);
  }

  #addStrip(id: string): void {
    this.#findings.mention();
    (this.#day ?? this.boards.at(-1)?.unplaced)?.push(id);
  }

  #addToCalendar(name: string, attributes: Attributes): void {
    if (name === "Calendar") {
      this.#calendar = { start: undefined, weekdaysOff: new Set(), datesOff: new Set(), datesOn: new Set() };
      this.calendars.set(attributes.Name ?? "", this.#calendar);
    }
    const calendar = this.#calendar;
    if (calendar === undefined) return;
    const date = dateOf(attributes.Date);
    if (name === "ScheduleDate" && attributes.Name === "ProductionStartDate") calendar.start = date;
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

/** "12" is 1 2/8 pages: the last digit counts eighths. */
function eighthsOf(text: string, place: string, findings: Findings): number | undefined {
  if (text === "") return undefined;
  const [, pages, eighths] = /^(\d{0,4})([0-8])$/.exec(text) ?? [];
  if (eighths !== undefined) return Number(pages) * 8 + Number(eighths);
  findings.warn(`the length of ${place} was ignored: ${quoted(text)} is not a number of pages and eighths`);
  return undefined;
}

/** Categories that a sheet has as fields of its own. */
const ownCategories = new Set(["set", "scriptday", "location", "synopsis", "sequence", "unit"]);

function sheetOf({ attributes, elements }: MsdSheet, findings: Findings): Sheet {
  const field = (name: string, most?: number): string => cleanText(attributes[name] ?? "", most);
  const place = `sheet ${field("SheetNumber", 20) || field("BDSID", 20)}`;
  const named = (category: string): string[] =>
    elements.flatMap(([each, name]) => (fold(each) === category ? [cleanText(name, 300)] : []));
  const tags = Map.groupBy(
    elements.filter(([category]) => fold(category) !== "castmembers" && !ownCategories.has(fold(category))),
    ([category]) => category,
  );
  const location = field("Location") || named("location").join("; ");
  return {
    scenes: field("Scenes"),
    place,
    int_ext: interiorExterior(field("IE")),
    set: field("Set") || named("set").join(" "),
    time_of_day: field("DN").toUpperCase(),
    synopsis: field("Synopsis", 2000),
    script_day: field("ScriptDay") || (named("scriptday")[0] ?? ""),
    eighths: eighthsOf(field("NumScriptPages"), place, findings),
    cast: named("castmembers").map(castName),
    location: location || undefined,
    texts: {
      location,
      unit: field("Unit"),
      sequence: field("Sequence"),
      comments: field("Comments", 2000),
    },
    tags: new Map([...tags].map(([category, list]) => [category, list.map(([, name]) => cleanText(name, 300))])),
  };
}

const sheetNumber = ({ attributes }: MsdSheet): number =>
  Number.parseInt(attributes.SheetNumber ?? "", 10) || Number.MAX_SAFE_INTEGER;

/** The active stripboard, with its sheets in place of their ids. */
function activeBoard({ boards, active, calendars }: MsdFile, sheets: ReadonlyMap<string, Sheet>, findings: Findings) {
  const board = boards.find(({ name }) => name === active) ?? boards[0];
  if (board === undefined) return {};
  const stripsOf = (ids: readonly (string | Banner)[]): BoardStrip[] =>
    ids.flatMap((id): BoardStrip | BoardStrip[] => {
      if (typeof id !== "string") return id;
      const sheet = sheets.get(id);
      if (sheet === undefined)
        findings.problem(
          `the stripboard ${quoted(board.name)} has a strip of sheet ${quoted(id)}, which the file does not hold`,
        );
      return sheet ?? [];
    });
  const days = board.days.map((ids, at) => ({ number: at + 1, breaks: [], strips: stripsOf(ids) }));
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
