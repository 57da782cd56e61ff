// Reads Movie Magic Scheduling files (.msd) of version 5 and 6: breakdown sheets, the active stripboard, and its
// calendar. As gabathanasiou/lemon_schedule describes it.
import { listed, plural } from "../../core/wording.ts";
import { interiorExterior } from "../names/heading_words.ts";
import { fold, quoted } from "../names/names.ts";
import { eighthsOfDigits } from "../names/page_lengths.ts";
import type { Board, DayBreak } from "../paperwork/board_days.ts";
import { Findings } from "../paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../paperwork/partial.ts";
import { type Banner, type BoardStrip, boardReading } from "./board.ts";
import { readSections } from "./epsf.ts";
import { MsdFile, type MsdSheet, readXml } from "./msd_file.ts";
import { castName, maxScenesText, type Sheet, scenesOfSheets } from "./sheets.ts";

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
