// Collects the fields of each shoot day from several rows, and reports contradictions.
import { isDeepStrictEqual } from "node:util";
import { firstOf, listed, sameName, withoutEnd } from "../../core/wording.ts";
import { isNamedPart, partForm } from "../../graph/scene_parts.ts";
import { byNumber, dayForm, dayText, type UnitDay, unitKey } from "../../graph/units.ts";
import { namingOf } from "../documents/sections/sections.ts";
import { quoted } from "../names/names.ts";
import { formatEighths } from "../names/page_lengths.ts";
import { cutText } from "./clean_text.ts";
import { rowFactsOf } from "./day_breaks.ts";
import type { Findings } from "./findings.ts";
import { type KnownDay, shootDaysIn } from "./known_names.ts";
import { definedFields, type PartialDay, type ReadOptions } from "./partial.ts";
import type { SceneMention } from "./scenes.ts";

/** The fields of a day that must be the same in all its rows, with the words for two different values. */
const words = {
  date: "dates",
  general_call: "crew calls",
  status: "statuses",
  wrap: "times of wrap",
  time_zone: "time zones",
};
const dayFields = ["date", "general_call", "status", "wrap", "time_zone"] as const satisfies (keyof typeof words)[];
type DayFields = { [F in keyof typeof words]?: string };

/** The fields of a day that each row may add to. */
type SharedFields = {
  [F in "location" | "notes" | "calls" | "banners" | "lines"]?: Readonly<NonNullable<PartialDay[F]>> | undefined;
};

/** The words of a row such as "--- COMPANY MOVE ---". */
function withoutRules(row: string): string {
  const behind = row.replace(/^[\s–—=*_~#-]*[–—=*_~#-]{2}\s*/, "");
  const before = withoutEnd(behind, /[–—=*_~#-]/);
  return (behind.length - before.length > 1 ? before : behind).trim();
}

/** What the rows say of a day. */
class CollectedDay {
  readonly day: UnitDay;
  readonly line: number | undefined;
  readonly fields: DayFields = {};
  /** The line that set each field first. */
  readonly lines = new Map<string, number | undefined>();
  readonly scenes = new Set<string>();
  /** The scenes of which a part is on the day; the other parts may be on other days. */
  readonly parts = new Map<string, { texts: Set<string>; lengths: (number | undefined)[] }>();
  /** Each text once. */
  readonly locations = new Set<string>();
  /** The scenes of the rows that say a note; `isOfDay`: a row without scenes says it, or the first one of the day. */
  readonly notes = new Map<string, { scenes: Set<string>; isOfDay: boolean }>();
  readonly calls: NonNullable<PartialDay["calls"]> = [];
  /** The calls as text, to find those that another row repeats. */
  readonly callTexts = new Set<string>();
  /** The first call of each who is called, with its line. */
  readonly called = new Map<string, { time: string; line: number | undefined }>();
  readonly banners: NonNullable<PartialDay["banners"]> = [];
  /** Each line once, by its text. */
  readonly sheetLines = new Map<string, NonNullable<PartialDay["lines"]>[number]>();
  /** The crew call in a row of text; what another row or a day break says counts before it. */
  call: string | undefined;
  /** Rows of text above the next scene. */
  pendingTexts: string[] = [];
  /** A date of it could not be read, which is a problem already. */
  dateIsUnreadable = false;

  constructor(day: UnitDay, line: number | undefined) {
    this.day = day;
    this.line = line;
  }
}

const episodeOf = (scene: string): string => scene.slice(0, Math.max(0, scene.indexOf("/")));

type Call = NonNullable<PartialDay["calls"]>[number];
type Banner = NonNullable<PartialDay["banners"]>[number];

/** The banners that a stored day has. */
// as the schema has them
const bannersOf = (day: KnownDay | undefined): readonly Banner[] => (day?.raw.banners ?? []) as readonly Banner[];

/**
 * What a listed day has: what is kept, then what is of the file. Where the file says what is stored, the day keeps its
 * order.
 */
function listedAfter<T>(stored: readonly T[], kept: readonly T[], own: readonly T[]): T[] {
  const others = new Set(kept);
  const isAsStored = isDeepStrictEqual(
    stored.filter((one) => !others.has(one)),
    own,
  );
  return isAsStored ? [...stored] : [...kept, ...own];
}

type ScenePart = NonNullable<PartialDay["parts"]>[number];

/** The parts of scenes that a stored day has. */
// as the schema has them
const partsOf = (day: KnownDay | undefined): readonly ScenePart[] => (day?.raw.parts ?? []) as readonly ScenePart[];

/** What makes two parts of a scene the same. */
const partKey = (scene: string, text: string): string => `${scene}\n${partForm(text)}`;

function addNote({ notes, scenes: before }: CollectedDay, text: string, scenes: readonly SceneMention[]): void {
  const note = notes.get(text) ?? { scenes: new Set(), isOfDay: false };
  for (const { reference } of scenes) note.scenes.add(reference);
  note.isOfDay ||= scenes.length === 0 || before.size === 0;
  notes.set(text, note);
}

/**
 * The notes of a day. Those of strips name their scenes; a single one that the first row has, or a row without a scene,
 * is the day's.
 */
function notesOf(notes: CollectedDay["notes"]): Set<string> {
  const texts = [...notes].map(([text, { scenes, isOfDay }]) => {
    const isOfStrips = scenes.size > 0 && (notes.size > 1 || !isOfDay);
    return isOfStrips ? `${[...scenes].join(", ")}: ${text}` : text;
  });
  return new Set(texts);
}

/** Two parts of a scene on one day are one entry. */
function addPart({ parts }: CollectedDay, { reference, part }: SceneMention, eighths: number | undefined): void {
  const { texts, lengths } = parts.get(reference) ?? { texts: new Set(), lengths: [] };
  parts.set(reference, { texts: texts.add(part), lengths: [...lengths, eighths] });
}

export class ShootDays {
  readonly #days = new Map<string, CollectedDay>();
  /** The episodes of the scenes of the file. */
  readonly #episodes = new Set<string>();
  readonly #known: ReturnType<typeof shootDaysIn>;
  /** The episode to which the file belongs. */
  readonly #episode: string | undefined;
  readonly #findings: Findings;
  /** The days of a file that has banners have no others. */
  #hasBanners = false;

  constructor({ known, episode }: ReadOptions, findings: Findings) {
    this.#known = shootDaysIn(known.items("schedule"));
    this.#episode = episode;
    this.#findings = findings;
  }

  #day(day: UnitDay, line?: number): CollectedDay {
    const form = dayForm(day);
    const collected = this.#days.get(form) ?? new CollectedDay(day, line);
    this.#days.set(form, collected);
    return collected;
  }

  /** Sets fields of a day. Reports a problem if another row has set another value. */
  setFields(day: UnitDay, fields: DayFields, line?: number): void {
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
          `${dayText(day)} has two ${words[name]}: ${first}${where} and ${value} here`,
          definedFields({ line }),
        );
      }
    }
  }

  /** Adds to the fields of a day that several rows may fill. */
  addFields(
    day: UnitDay,
    { location, notes, calls = [], banners = [], lines = [] }: SharedFields,
    { line, scenes = [] }: { line?: number; scenes?: readonly SceneMention[] } = {},
  ): void {
    const collected = this.#day(day);
    if (location !== undefined) collected.locations.add(location);
    if (notes !== undefined) addNote(collected, notes, scenes);
    const own = calls.filter((call) => !collected.callTexts.has(JSON.stringify(call)));
    for (const call of own) this.#addCall(collected, call, line);
    for (const banner of banners) collected.banners.push(banner);
    for (const line of lines) collected.sheetLines.set(JSON.stringify(line), line);
    this.#hasBanners ||= banners.length > 0;
  }

  /** Adds a call. Warns of another one of the same person. */
  #addCall({ day, calls, callTexts, called }: CollectedDay, call: Call, line: number | undefined): void {
    const text = JSON.stringify(call);
    const isRepeated = callTexts.has(text);
    callTexts.add(text);
    calls.push(call);
    const { who, time } = call;
    if (isRepeated || typeof who !== "string" || typeof time !== "string") return; // documents refuse such types
    const first = called.get(sameName(who));
    if (first === undefined) called.set(sameName(who), { time, line });
    else
      this.#findings.warn(
        `${quoted(who)} is called twice on ${dayText(day)}: ${first.time}${first.line === undefined ? "" : ` on line ${first.line}`} and ${time} here; both are kept, and a list of the cast shows the first`,
        definedFields({ line }),
      );
  }

  /**
   * A row of text: the call or the location of the day, otherwise a banner before the scene that follows or after the
   * last one.
   */
  addText(day: UnitDay, row: string): void {
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

  /**
   * A scene is on a day only once, however many strips it is divided into; warns of a second strip that is no part.
   * `eighths` are those of the strip.
   */
  addScenes(
    day: UnitDay,
    scenes: readonly SceneMention[],
    { line, eighths }: { line?: number; eighths?: number | undefined } = {},
  ): void {
    const collected = this.#day(day);
    const [first] = scenes;
    if (first !== undefined) this.#placePending(collected, first.reference);
    for (const { reference, part } of scenes) {
      if (part === "" && collected.scenes.has(reference) && !collected.parts.has(reference))
        this.#findings.warn(
          `${reference} is on ${dayText(day)} more than once; it is kept once`,
          definedFields({ line }),
        );
      collected.scenes.add(reference);
      this.#episodes.add(episodeOf(reference));
      if (part !== "") addPart(collected, { reference, part }, scenes.length > 1 ? undefined : eighths);
    }
  }

  #placePending({ pendingTexts, banners }: CollectedDay, before?: string): void {
    this.#hasBanners ||= pendingTexts.length > 0;
    for (const text of pendingTexts.splice(0)) banners.push(before === undefined ? { text } : { before, text });
  }

  /**
   * The production's other days without the scenes that days of the same unit have now. A file of an episode lists all
   * days of its scenes in the units that it names.
   */
  *#daysThatLoseScenes(): Generator<PartialDay> {
    for (const [unit, days] of Map.groupBy(this.#days.values(), ({ day }) => unitKey(day.unit))) {
      const moved = new Set(days.flatMap(({ scenes, parts }) => [...scenes.difference(parts)]));
      const movedParts = new Set(
        days.flatMap(({ parts }) =>
          [...parts].flatMap(([scene, { texts }]) =>
            [...texts].filter(isNamedPart).map((text) => partKey(scene, text)),
          ),
        ),
      );
      const named = new Set([...moved, ...days.flatMap(({ parts }) => [...parts.keys()])]);
      const left = new Set([...named].flatMap((scene) => [...(this.#known.withScene.get(scene) ?? [])]));
      const all = this.#episode === undefined ? [...left] : [...this.#known.byForm.values()];
      for (const day of all.toSorted(byNumber)) {
        if (unitKey(day.unit) !== unit || this.#days.has(dayForm(day))) continue;
        const parts = partsOf(day);
        const inParts = new Set(
          parts.flatMap(({ scene, text }) => (movedParts.has(partKey(scene, text)) ? scene : [])),
        );
        const stays = (scene: string) => !(moved.has(scene) || inParts.has(scene) || this.#isOwn(scene));
        if (day.scenes.every(stays)) continue;
        const kept = parts.filter(({ scene }) => stays(scene));
        yield {
          ...namingOf("schedule", day.raw),
          scenes: day.scenes.filter(stays),
          ...(kept.length < parts.length && { parts: kept }),
        };
      }
    }
  }

  /** Whether a scene is of the episode to which the file belongs. */
  #isOwn = (scene: string): boolean => this.#episode !== undefined && scene.startsWith(`${this.#episode}/`);

  /**
   * The strips of other episodes that stay on a listed day, before those of the file. Warns of a day that loses all its
   * scenes, and, without an episode, of the strips of other episodes that go.
   */
  #keptOn({ scenes, line }: CollectedDay, stored: KnownDay | undefined): string[] {
    if (stored === undefined) return [];
    const others = stored.scenes.filter((scene) => !scenes.has(scene) && !this.#isOwn(scene));
    const isOfOthers = (scene: string) => episodeOf(scene) !== "" && !this.#episodes.has(episodeOf(scene));
    const ofFile = this.#episode === undefined ? stored.scenes : stored.scenes.filter(this.#isOwn);
    const gone = scenes.size === 0 ? ofFile : this.#episode === undefined ? others.filter(isOfOthers) : [];
    const why =
      scenes.size === 0
        ? ": the file has the day and no scene on it"
        : "; with --episode, the strips of other episodes stay";
    if (gone.length > 0)
      this.#findings.warn(`${dayText(stored)} loses ${firstOf(gone, 20)}${why}`, definedFields({ line }));
    return this.#episode === undefined ? [] : others;
  }

  /** Warns of the fields that a file of an episode sets on a day that other episodes have too. */
  #warnOfShared(
    stored: KnownDay | undefined,
    kept: readonly string[],
    fields: Readonly<Record<string, unknown>>,
  ): void {
    if (stored === undefined || kept.length === 0) return;
    const set = Object.keys(fields).filter(
      (name) => name !== "status" && !isDeepStrictEqual(stored.raw[name] ?? undefined, fields[name]),
    );
    if (set.length === 0) return;
    const episodes = [...new Set(kept.map(episodeOf))];
    this.#findings.warn(
      `${dayText(stored)} is also of ${episodes.length === 1 ? "episode" : "episodes"} ${listed(episodes)}; set for all: ${listed(set.map((name) => name.replaceAll("_", " ")))}`,
    );
  }

  /** The day has a date that cannot be read. */
  markDateUnreadable(day: UnitDay): void {
    this.#day(day).dateIsUnreadable = true;
  }

  /** Texts as one text, which is cut with a warning if it is longer than a document takes. */
  #joined(texts: ReadonlySet<string>, mark: string, most: number, what: string): string {
    return cutText([...texts].join(mark), most, (sentence) => this.#findings.warn(`the ${what} together: ${sentence}`));
  }

  /**
   * The days by number and unit, then days that lose scenes to them. A day that the production does not have needs a
   * date. Its status is "scheduled" if no row gives one.
   */
  document(): PartialDay[] {
    for (const collected of this.#days.values()) this.#placePending(collected);
    const days = [...this.#days.values()].sort((one, other) => byNumber(one.day, other.day));
    return [...days.map((collected) => this.#dayOf(collected)), ...this.#daysThatLoseScenes()];
  }

  #dayOf(collected: CollectedDay): PartialDay {
    const { day, line, fields, scenes, parts, dateIsUnreadable, locations, notes, calls, banners, sheetLines, call } =
      collected;
    const stored = this.#known.byForm.get(dayForm(day));
    if (fields.date === undefined && !dateIsUnreadable && stored === undefined)
      this.#findings.problem(`${dayText(day)} has no date`, definedFields({ line }));
    const { general_call = call } = fields;
    if (call !== undefined && call !== general_call)
      this.#findings.warn(`the call ${call} of ${dayText(day)} was ignored: its crew call is ${general_call}`);
    const set = {
      ...(stored === undefined && { status: "scheduled" }),
      ...fields,
      ...definedFields({ general_call }),
      ...(locations.size > 0 && { location: this.#joined(locations, "; ", 500, `locations of ${dayText(day)}`) }),
      ...(notes.size > 0 && { notes: this.#joined(notesOf(notes), "\n", 10_000, `notes of ${dayText(day)}`) }),
      ...(calls.length > 0 && { calls }),
      ...(sheetLines.size > 0 && { lines: [...sheetLines.values()] }),
    };
    const kept = this.#keptOn(collected, stored);
    this.#warnOfShared(stored, kept, set);
    const isKept = (scene: unknown) => kept.includes(String(scene));
    const keptBanners = bannersOf(stored).filter(({ before }) => isKept(before));
    const keptParts = partsOf(stored).filter(({ scene }) => isKept(scene));
    const ownParts = [...parts].map(([scene, { texts, lengths }]) => {
      const known = lengths.filter((length) => length !== undefined);
      const isKnown = known.length === lengths.length;
      const text = this.#joined(texts, ", ", 50, `parts of scene ${scene} on ${dayText(day)}`);
      if (!isKnown && known.length > 0)
        this.#findings.warn(
          `the length of ${scene} ${text} on ${dayText(day)} was ignored: one of these parts has none`,
        );
      const eighths = known.reduce((sum, length) => sum + length, 0);
      return { scene, text, ...(isKnown && { pages: formatEighths(eighths) }) };
    });
    const { day_number, unit = null } = day;
    return {
      day_number,
      ...(unit !== null && unit !== "" && { unit: this.#known.units.get(unitKey(unit)) ?? unit }),
      ...set,
      scenes: listedAfter(stored?.scenes ?? [], kept, [...scenes]),
      ...(this.#hasBanners && { banners: listedAfter(bannersOf(stored), keptBanners, banners) }),
      ...((parts.size > 0 || partsOf(stored).length > 0) && {
        parts: listedAfter(partsOf(stored), keptParts, ownParts),
      }),
    };
  }
}
