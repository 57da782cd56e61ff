// Collects the fields of each shoot day from several rows, and reports contradictions.
import { withCommas, withoutEnd } from "../../core/wording.ts";
import { append } from "../sequences/sequences.ts";
import { rowFactsOf } from "./day_breaks.ts";
import type { Findings } from "./findings.ts";
import { shootDaysIn } from "./known_names.ts";
import { definedFields, type PartialDay, type ProductionNames } from "./partial.ts";
import type { SceneMention } from "./scenes.ts";

/** The fields of a day that must be the same in all its rows, with the words for two different values. */
const words = { date: "dates", general_call: "general calls", status: "statuses", wrap: "times of wrap" };
const dayFields = ["date", "general_call", "status", "wrap"] as const satisfies (keyof typeof words)[];
type DayFields = { [F in keyof typeof words]?: string };

/** The fields of a day that each row may add to. */
type SharedFields = {
  [F in "location" | "notes" | "calls" | "banners"]?: Readonly<NonNullable<PartialDay[F]>> | undefined;
};

/** The words of a row such as "--- COMPANY MOVE ---". */
function withoutRules(row: string): string {
  const behind = row.replace(/^[\s–—=*_~#-]*[–—=*_~#-]{2}\s*/, "");
  const before = withoutEnd(behind, /[–—=*_~#-]/);
  return (behind.length - before.length > 1 ? before : behind).trim();
}

/** What the rows say of a day. */
class CollectedDay {
  readonly line: number | undefined;
  readonly fields: DayFields = {};
  /** The line that set each field first. */
  readonly lines = new Map<string, number | undefined>();
  readonly scenes = new Set<string>();
  /** The scenes of which a part is on the day; the other parts may be on other days. */
  readonly parts = new Set<string>();
  /** Each text once. */
  readonly locations = new Set<string>();
  readonly notes = new Set<string>();
  readonly calls: NonNullable<PartialDay["calls"]> = [];
  /** The calls as text, to find those that another row repeats. */
  readonly callTexts = new Set<string>();
  readonly banners: NonNullable<PartialDay["banners"]> = [];
  /** The general call in a row of text; what another row or a day break says counts before it. */
  call: string | undefined;
  /** Rows of text above the next scene. */
  pendingTexts: string[] = [];
  /** A date of it could not be read, which is a problem already. */
  dateIsUnreadable = false;

  constructor(line: number | undefined) {
    this.line = line;
  }
}

export class ShootDays {
  readonly #days = new Map<number, CollectedDay>();
  readonly #known: ProductionNames;
  readonly #findings: Findings;
  /** The days of a file that has banners have no others. */
  #hasBanners = false;

  constructor(known: ProductionNames, findings: Findings) {
    this.#known = known;
    this.#findings = findings;
  }

  #day(day: number, line?: number): CollectedDay {
    const collected = this.#days.get(day) ?? new CollectedDay(line);
    this.#days.set(day, collected);
    return collected;
  }

  /** Sets fields of a day. Reports a problem if another row has set another value. */
  setFields(day: number, fields: DayFields, line?: number): void {
    const collected = this.#day(day, line);
    for (const name of dayFields) {
      const value = fields[name];
      if (value === undefined) continue;
      const first = collected.fields[name];
      if (first === undefined) {
        collected.fields[name] = value;
        collected.lines.set(name, line);
      } else if (first !== value) {
        const before = collected.lines.get(name);
        const where = before === undefined ? "" : ` on line ${before}`;
        this.#findings.problem(
          `day ${day} has two ${words[name]}: ${first}${where} and ${value} here`,
          definedFields({ line }),
        );
      }
    }
  }

  /** Adds to the fields of a day that several rows may fill. */
  addFields(day: number, { location, notes, calls = [], banners = [] }: SharedFields): void {
    const collected = this.#day(day);
    if (location !== undefined) collected.locations.add(location);
    if (notes !== undefined) collected.notes.add(notes);
    const texts = calls.map((call) => [JSON.stringify(call), call] as const);
    append(
      collected.calls,
      texts.flatMap(([text, call]) => (collected.callTexts.has(text) ? [] : [call])),
    );
    for (const [text] of texts) collected.callTexts.add(text);
    for (const banner of banners) collected.banners.push(banner);
    this.#hasBanners ||= banners.length > 0;
  }

  /** A row of text: the call or the location of the day, otherwise a banner before the scene that follows or after the last one. */
  addText(day: number, row: string): void {
    const collected = this.#day(day);
    const text = withoutRules(row);
    if (text === "") return;
    const { general_call, location } = rowFactsOf(text);
    const first = collected.fields.general_call ?? collected.call;
    if (location !== undefined) collected.locations.add(location);
    else if (general_call !== undefined && (first === undefined || first === general_call))
      collected.call = general_call;
    else collected.pendingTexts.push(text);
  }

  /** A scene is on a day only once, however many strips it is divided into. */
  addScenes(day: number, scenes: readonly SceneMention[]): void {
    const collected = this.#day(day);
    const [first] = scenes;
    if (first !== undefined) this.#placePending(collected, first.reference);
    for (const { reference, part } of scenes) {
      collected.scenes.add(reference);
      if (part) collected.parts.add(reference);
    }
  }

  #placePending({ pendingTexts, banners }: CollectedDay, before?: string): void {
    this.#hasBanners ||= pendingTexts.length > 0;
    for (const text of pendingTexts.splice(0)) banners.push(before === undefined ? { text } : { before, text });
  }

  /** The production's other days without the scenes that are on these days now. */
  *#daysThatLoseScenes(): Generator<PartialDay> {
    const days = [...this.#days.values()];
    const moved = new Set(days.flatMap(({ scenes, parts }) => [...scenes.difference(parts)]));
    const { byNumber, withScene } = shootDaysIn(this.#known.items("schedule"));
    const left = new Set([...moved].flatMap((scene) => [...(withScene.get(scene) ?? [])]));
    for (const day_number of [...left].sort((one, other) => one - other))
      if (!this.#days.has(day_number))
        yield { day_number, scenes: byNumber.get(day_number)?.scenes?.filter((scene) => !moved.has(scene)) ?? [] };
  }

  /** The day has a date that cannot be read. */
  markDateUnreadable(day: number): void {
    this.#day(day).dateIsUnreadable = true;
  }

  /** Texts as one text, which is cut with a warning if it is longer than a document takes. */
  #joined(texts: ReadonlySet<string>, mark: string, most: number, what: string): string {
    const text = [...texts].join(mark);
    if (text.length <= most) return text;
    this.#findings.warn(`the ${what} have more than ${withCommas(most)} characters together and were cut`);
    return text.slice(0, most).toWellFormed().trimEnd();
  }

  /**
   * The days by number, then days that lose scenes to them. A day that the production does not have needs a date. Its status is "scheduled"
   * if no row gives one.
   */
  document(): PartialDay[] {
    const known = shootDaysIn(this.#known.items("schedule")).byNumber;
    for (const collected of this.#days.values()) this.#placePending(collected);
    const days = [...this.#days]
      .sort(([one], [other]) => one - other)
      .map(([day_number, { line, fields, scenes, dateIsUnreadable, locations, notes, calls, banners, call }]) => {
        if (fields.date === undefined && !dateIsUnreadable && !known.has(day_number))
          this.#findings.problem(`day ${day_number} has no date`, definedFields({ line }));
        const status = known.has(day_number) ? {} : { status: "scheduled" };
        const { general_call = call } = fields;
        if (call !== undefined && call !== general_call)
          this.#findings.warn(`the call ${call} of day ${day_number} was ignored: its general call is ${general_call}`);
        return {
          day_number,
          ...status,
          ...fields,
          ...definedFields({ general_call }),
          scenes: [...scenes],
          ...(locations.size > 0 && { location: this.#joined(locations, "; ", 500, `locations of day ${day_number}`) }),
          ...(notes.size > 0 && { notes: this.#joined(notes, "\n", 10_000, `notes of day ${day_number}`) }),
          ...(calls.length > 0 && { calls }),
          ...(this.#hasBanners && { banners }),
        };
      });
    return [...days, ...this.#daysThatLoseScenes()];
  }
}
