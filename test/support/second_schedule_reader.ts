// A second reader of schedules, which shares nothing with the program: tests compare what both read, field by field.
import { inflateRawSync } from "node:zlib";

/** A schedule as far as both readers have it. */
export interface SecondSchedule {
  scenes: SecondScene[];
  days: { number: number; date: string; scenes: string[] }[];
}
interface SecondScene {
  number: string;
  slugline: string;
  synopsis: string | undefined;
  eighths: number | undefined;
  cast: string[];
  /** Names by the key of their category. */
  tags: Record<string, string[]>;
}

const keyOf = (category: string): string => category.toLowerCase().replaceAll(/[^a-z]+/g, "_");
const castOf = (names: readonly string[]): string[] => names.map((name) => name.split(" (")[0] as string);
const byNumber = (one: SecondScene, other: SecondScene): number =>
  one.number.localeCompare(other.number, "en", { numeric: true });

function tagsOf(pairs: readonly (readonly [category: string, name: string])[]): Record<string, string[]> {
  const tags: Record<string, string[]> = {};
  for (const [category, name] of pairs) tags[keyOf(category)] = [...(tags[keyOf(category)] ?? []), name];
  return tags;
}

/** The next `count` dates that are worked, from the start on. */
function datesFrom(start: string, count: number, isOff: (date: string, weekday: number) => boolean): string[] {
  const dates: string[] = [];
  for (let at = 0; dates.length < count; at++) {
    const moment = new Date(
      Date.UTC(Number(start.slice(0, 4)), Number(start.slice(5, 7)) - 1, Number(start.slice(8)) + at),
    );
    const date = moment.toISOString().slice(0, 10);
    if (!isOff(date, moment.getUTCDay())) dates.push(date);
  }
  return dates;
}

/** JSON: an element is in a category by its own word (1.0) or by that of the category (0.1). */
export function secondUss(bytes: Buffer): SecondSchedule {
  const root = JSON.parse(bytes.toString()).universalScheduleStandard;
  const nameOf = new Map<string, [number, string, string]>();
  for (const category of root.categories)
    for (const element of root.elements)
      if (element.category === category.id || category.elements?.includes(element.id))
        nameOf.set(element.id, [category.ucid ?? category.catId, category.name, element.name]);
  const scenes = root.breakdowns
    .filter(({ scene }: { scene: string | null }) => scene !== null)
    .map((one: { scene: string; description: string; pages: number; elements: string[] }): SecondScene => {
      const own = one.elements.map((id) => nameOf.get(id) as [number, string, string]);
      const of = (id: number): string[] => own.filter(([category]) => category === id).map(([, , name]) => name);
      return {
        number: one.scene,
        slugline: `${of(1)}. ${of(0)} - ${of(2)}`,
        synopsis: one.description,
        eighths: one.pages * 8,
        cast: castOf(of(100)),
        tags: tagsOf(own.filter(([id]) => id > 100).map(([, category, name]) => [category, name])),
      };
    });
  const [{ boards, calendar: id }] = root.stripboards;
  const { daysOff, events } = root.calendars.find((one: { id: string }) => one.id === id);
  const lists: string[][] = [];
  for (const entry of boards[0].breakdownIds) {
    if (Array.isArray(entry)) lists.push(entry, []);
    else if (entry.startsWith("day")) lists.push([]);
    else if (lists.length === 0) lists.push([entry]);
    else lists.at(-1)?.push(entry);
  }
  const worked = lists.filter(({ length }) => length > 0);
  const [start, ...off] = events.map(({ date }: { date: string }) => date.slice(0, 10));
  const dates = datesFrom(start, worked.length, (date, weekday) => daysOff.includes(weekday) || off.includes(date));
  const numberOf = (strip: string) => root.breakdowns.find((one: { id: string }) => one.id === strip).scene ?? [];
  const days = worked.map((strips, at) => ({
    number: at + 1,
    date: dates[at] as string,
    scenes: strips.flatMap(numberOf),
  }));
  return { scenes: scenes.toSorted(byNumber), days };
}

/** Text between NULs: each record begins with "#" and three of them. */
export function secondSex(bytes: Buffer): SecondSchedule {
  const text = new TextDecoder("windows-1252").decode(bytes);
  const start = text.indexOf("Cast");
  const labels = (text.slice(start).split("\0\0")[0] as string).split("\0");
  const scenes: SecondScene[] = [];
  const later: (() => void)[] = [];
  for (let at = bytes.indexOf("#\0\0\0", start); at >= 0 && bytes[at] === 35; ) {
    const end = at + 6 + bytes.readUInt16LE(at + 4);
    const inner = text.slice(at + 8, end);
    const sceneAt = bytes[at + 8] as number;
    const type = bytes[at + 6];
    if (type === 1) {
      const [, number = "", slugline = ""] = inner.split("\t");
      scenes.push({ number, slugline, synopsis: undefined, eighths: undefined, cast: [], tags: {} });
    } else
      later.push(() => {
        const scene = scenes[sceneAt - 1] as SecondScene;
        const category = labels[inner.charCodeAt(2)] as string;
        const name = inner.slice(3, -1);
        if (type === 3) scene.eighths = inner.charCodeAt(4);
        else if (category.startsWith("Cast")) scene.cast.push(...castOf([name]));
        else scene.tags[keyOf(category)] = [...(scene.tags[keyOf(category)] ?? []), name];
      });
    at = end;
  }
  for (const add of later) add();
  return { scenes: scenes.toSorted(byNumber), days: [] };
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
const allOf = (xml: string, expression: RegExp): string[] => [...xml.matchAll(expression)].map(([whole]) => whole);

/** The sections that inflate, as one text. */
export function secondMsd(bytes: Buffer): SecondSchedule {
  const sections = bytes.toString("latin1").split("/********* EPSF SECTION *********/").slice(1);
  const xml = sections
    .filter((section) => !section.includes("JFIF"))
    .map((section) => inflateRawSync(Buffer.from(section.slice(34), "latin1")).toString())
    .join("\n");
  const numbers = new Map<string, string>();
  const scenes = allOf(xml, /<BreakdownSheet .*?<\/BreakdownSheet>/g).map((sheet): SecondScene => {
    const refs = allOf(sheet, /<ElementRef [^>]*>/g).map(
      (ref) => [attribute(ref, "CategoryName"), attribute(ref, "ElementName")] as const,
    );
    const of = (category: string) => refs.filter(([one]) => one === category).map(([, name]) => name);
    const pages = attribute(sheet, "NumScriptPages");
    const heading = `${attribute(sheet, "IE").replaceAll(" ", "")}. ${attribute(sheet, "Set") || of("Set")[0]}`;
    numbers.set(attribute(sheet, "BDSID"), attribute(sheet, "Scenes"));
    return {
      number: attribute(sheet, "Scenes"),
      slugline: `${heading} - ${attribute(sheet, "DN")}`.toUpperCase(),
      synopsis: attribute(sheet, "Synopsis"),
      eighths: Number(pages.slice(0, -1)) * 8 + Number(pages.slice(-1)),
      cast: castOf(of("Cast Members")),
      tags: tagsOf(refs.filter(([category]) => !["Set", "Cast Members"].includes(category))),
    };
  });
  const active = attribute(allOf(xml, /<Property Name="ActiveStripBoard"[^>]*>/g)[0] as string, "Value");
  const board = allOf(xml, /<StripBoard .*?<\/StripBoard>/g).find((one) => attribute(one, "Name") === active) as string;
  const worked = allOf(board, /<ScheduleDay>.*?<\/ScheduleDay>/g);
  const isoOf = (date: string): string => date.replace(/(..)\/(..)\/(....)/, "$3-$1-$2");
  const specials = allOf(xml, /<SpecialDay [^>]*>/g);
  const [exceptions, off] = [true, false].map((isWorked) =>
    specials.filter((one) => one.includes("ExceptionWorkday") === isWorked).map((one) => isoOf(attribute(one, "Date"))),
  ) as [string[], string[]];
  const weekdaysOff = allOf(xml, /<DaysOff [^>]*>/g)[0] as string;
  const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const start = isoOf(attribute(allOf(xml, /<ScheduleDate Name="ProductionStartDate"[^>]*>/g)[0] as string, "Date"));
  const dates = datesFrom(
    start,
    worked.length,
    (date, day) =>
      off.includes(date) || (attribute(weekdaysOff, names[day] as string) === "1" && !exceptions.includes(date)),
  );
  const days = worked.map((day, at) => ({
    number: at + 1,
    date: dates[at] as string,
    scenes: allOf(day, /<BDSStrip [^>]*>/g).map((strip) => numbers.get(attribute(strip, "BDSID")) as string),
  }));
  return { scenes: scenes.toSorted(byNumber), days };
}
