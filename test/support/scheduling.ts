// Writes the files of scheduling programs (.sex and .msd) for tests, by the format descriptions that the readers use.
import { deflateRawSync } from "node:zlib";

export interface SexScene {
  number: string;
  slugline: string;
  /** The page of the script on which it begins. */
  page?: string;
  eighths?: number;
  /** The index of a category, and an element name. */
  elements?: (readonly [category: number, name: string])[];
}

/** One record: "#" and three NULs, the length of type and payload, the type, the payload. */
export function sexRecord(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write("#", "latin1");
  head.writeUInt16LE(2 + payload.length, 4);
  head.writeUInt16LE(type, 6);
  return Buffer.concat([head, payload]);
}

const u16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value & 0xff, value >> 8]));

function sexScene({ number, slugline, page = "", eighths, elements = [] }: SexScene, at: number): Buffer {
  const head = Buffer.concat([Buffer.from([at & 0xff]), Buffer.from(`${page}\t${number}\t${slugline}\t\0`, "latin1")]);
  return Buffer.concat([
    sexRecord(1, head),
    ...(eighths === undefined ? [] : [sexRecord(3, u16(at, 0, eighths))]),
    ...elements.map(([category, name]) =>
      sexRecord(2, Buffer.concat([u16(at), Buffer.from([category]), Buffer.from(`${name}\0`, "latin1")])),
    ),
  ]);
}

/** A scheduling export: the magic bytes, ten bytes of version, the categories, and the records of each scene. */
export const encodeSex = (categories: readonly string[], scenes: readonly SexScene[]): Buffer =>
  Buffer.concat([
    Buffer.from("SSI*"),
    Buffer.from("00230000 00e00000 0000".replaceAll(" ", ""), "hex"),
    Buffer.from(`${categories.map((label) => `${label}\0`).join("")}\0\0`, "latin1"),
    ...scenes.map((scene, at) => sexScene(scene, at + 1)),
  ]);

const sectionMark = "/********* EPSF SECTION *********/";

/** A container: its header, then each section after a 34-byte header; text is deflated, a Buffer is stored as it is. */
export const encodeEpsf = (sections: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from(
      "/********* EPSF FILE ********/ 00.01.001\0EPS Schedule File\0Movie Magic Scheduling 5\0".padEnd(716, "\0"),
    ),
    ...sections.flatMap((section) => [
      Buffer.from(sectionMark),
      Buffer.alloc(34, 0x20),
      typeof section === "string" ? deflateRawSync(section) : section,
    ]),
  ]);

export interface MsdSheet {
  id: string;
  scenes: string;
  attributes?: Record<string, string>;
  elements?: (readonly [category: string, name: string])[];
}

export interface MsdSchedule {
  sheets: readonly MsdSheet[];
  /** By board name: the sheet ids of each day, and the unscheduled ones. */
  boards: Record<string, { calendar?: string; days: readonly (readonly string[])[]; unplaced?: readonly string[] }>;
  active?: string;
  /** The inner XML of each calendar, by its name. */
  calendars?: Record<string, string>;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&apos;");
const attributesOf = (attributes: Record<string, string>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("");
const element = (name: string, attributes: Record<string, string>, inner = ""): string =>
  `<${name}${attributesOf(attributes)}${inner === "" ? "/>" : `>${inner}</${name}>`}`;

const strips = (ids: readonly string[]): string => ids.map((id) => element("BDSStrip", { BDSID: id })).join("");

/** The XML of a schedule's sections, in the order of a real file. */
export function msdSections({ sheets, boards, active, calendars = {} }: MsdSchedule): string[] {
  const sheetsXml = sheets.map(({ id, scenes, attributes = {}, elements = [] }, at) =>
    element(
      "BreakdownSheet",
      { BDSID: id, SheetNumber: String(at + 1), Scenes: scenes, ...attributes },
      elements.map(([category, name]) => element("ElementRef", { CategoryName: category, ElementName: name })).join(""),
    ),
  );
  const boardsXml = Object.entries(boards).map(([name, { calendar = "", days, unplaced = [] }]) => {
    const daysXml = days.map((ids) =>
      element("ScheduleDay", {}, `${element("BannerStrip", { Text: "Company Move" })}${strips(ids)}`),
    );
    const scheduled = element("ScheduledStrips", {}, `${daysXml.join("")}<RemainingScheduledStrips/>`);
    const unscheduled = element("UnscheduledStrips", {}, element("RemainingUnscheduledStrips", {}, strips(unplaced)));
    return element("StripBoard", { Name: name, CalendarName: calendar }, scheduled + unscheduled);
  });
  const preferences = element(
    "StripBoardMgrPreferences",
    {},
    element("Property", { Name: "ActiveStripBoard", Value: active ?? "" }),
  );
  return [
    element("ProductionInfo", {}, element("Property", { Name: "PictureTitle", Value: "The Film" })),
    `<?xml version="1.0" encoding="UTF-8"?>\n${element("BreakdownSheetMgr", {}, sheetsXml.join("\n") || " ")}`,
    element("StripBoardMgr", {}, preferences + boardsXml.join("")),
    element(
      "CalendarMgr",
      {},
      Object.entries(calendars)
        .map(([name, inner]) => element("Calendar", { Name: name }, inner))
        .join("") || " ",
    ),
  ];
}

export const encodeMsd = (schedule: MsdSchedule): Buffer => encodeEpsf(msdSections(schedule));
