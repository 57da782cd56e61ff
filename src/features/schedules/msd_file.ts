// Gathers what the XML sections of a Movie Magic Scheduling file say: breakdown sheets, stripboards and calendars.
import { SaxesParser } from "saxes";
import { firstOf, plural } from "../../core/wording.ts";
import { fold, quoted } from "../names/names.ts";
import { isCastCategory } from "../paperwork/categories.ts";
import { readDate } from "../paperwork/dates.ts";
import { type Findings, refuse } from "../paperwork/findings.ts";
import { UnreadFields } from "../paperwork/unread_fields.ts";
import { repeated } from "../sequences/sequences.ts";
import type { Banner } from "./board.ts";
import { maxSheets } from "./sheets.ts";

type Attributes = Readonly<Record<string, string>>;

export interface MsdSheet {
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

/** The attributes that are read, of the elements whose others are named. */
const readAttributes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    BreakdownSheet:
      "BDSID SheetNumber Scenes IE DN Set Synopsis ScriptDay NumScriptPages Location Unit Sequence Comments",
    ElementRef: "CategoryName ElementName",
    ScheduleDay: "",
    BDSStrip: "BDSID",
    BannerStrip: "Text",
    SpecialDay: "Date Off Holiday CompanyTravel ExceptionWorkday",
    DaysOff: "Sun Mon Tue Wed Thu Fri Sat",
  }).map(([name, attributes]) => [name, new Set(attributes.split(" "))]),
);
/** The elements inside which every text and every element is read or named. */
const wholeElements = ["BreakdownSheet", "ScheduleDay", "Calendar"];
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const maxDepth = 100;
const maxDays = 2000;

/** MM/DD/YYYY, as these programs write dates everywhere, as YYYY-MM-DD. */
function dateOf(text = ""): string | undefined {
  const reading = readDate(text, "mdy");
  return "date" in reading ? reading.date : undefined;
}

/** What the sections of a file say, gathered element by element. */
export class MsdFile {
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
  readonly #fields = new UnreadFields();
  /** How many there are of the elements that are not known, by name. */
  readonly #unread = new Map<string, number>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1);
    if (parent === undefined) this.roots.add(name);
    if (this.#path.push(name) > maxDepth) refuse(`the file's XML is nested deeper than ${maxDepth} levels`);
    const known = readAttributes.get(name);
    if (known !== undefined) this.#nameAttributes(name, attributes, known);
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
    else if (name.endsWith("Strip") || this.#isInside) this.#nameUnread(name, attributes);
  }

  /** Whether the current place is inside an element of which all is read or named. */
  get #isInside(): boolean {
    return wholeElements.some((name) => this.#path.includes(name));
  }

  /** No element that is read has a text. */
  text(text: string): void {
    if (/\S/.test(text) && this.#isInside) this.#fields.saw(`the text in ${this.#path.at(-1)}`, text);
  }

  /** "0" says no. */
  #nameAttributes(name: string, attributes: Attributes, known: ReadonlySet<string>): void {
    for (const attribute in attributes) {
      const text = attributes[attribute] ?? "";
      if (!known.has(attribute) && text !== "0") this.#fields.saw(`${attribute} of ${name}`, text);
    }
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
    this.#findings.warnOf(this.#fields);
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
    const key = this.#keys.get(CategoryName) ?? (isCastCategory(CategoryName) ? "castmembers" : fold(CategoryName));
    this.#keys.set(CategoryName, key);
    this.sheets.at(-1)?.elements.push([CategoryName, ElementName, key]);
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
    else if (name === "ScheduleDate")
      this.#fields.saw(attributes.Name ?? "the date without a name", attributes.Date ?? "");
    else if (name !== "Calendar" && !readAttributes.has(name)) this.#nameUnread(name, attributes);
    if (name === "DaysOff")
      for (const [at, day] of weekdays.entries()) if (attributes[day] === "1") calendar.weekdaysOff.add(at);
    if (name !== "SpecialDay" || date === undefined) return;
    const { Off, Holiday, CompanyTravel, ExceptionWorkday } = attributes;
    if (ExceptionWorkday === "1") calendar.datesOn.add(date);
    else if ([Off, Holiday, CompanyTravel].includes("1")) calendar.datesOff.add(date);
    else this.#fields.saw("special days that are not off", date);
  }
}

export function readXml(text: string, file: MsdFile): void {
  const parser = new SaxesParser();
  parser.on("doctype", () => refuse("the file's XML has a document type declaration, which is not read"));
  parser.on("opentag", ({ name, attributes }) => file.open(name, attributes));
  parser.on("closetag", () => file.close());
  parser.on("text", (text) => file.text(text));
  parser.on("cdata", (text) => file.text(text));
  parser.on("error", (error) => refuse(`a section of the file is not well-formed XML: ${error.message}`));
  parser.write(text).close();
}
