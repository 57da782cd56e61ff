// Collects the problems of one document, each once, in the order of the document, and writes their places with the
// names of the things there, such as scenes[12] (scene 5A).status: a person finds the thing by its name, and a program
// by its index.
import { placeOf, type Step } from "../../../core/json.ts";
import { isRecord } from "./form.ts";
import { isSection, keyOf, nameOf, sections } from "./sections.ts";

/** The place of an issue within the value that a schema checked. */
export const placeOfIssue = ({ path = [] }: { path?: readonly { key: unknown }[] | undefined }): string =>
  placeOf(path.map(({ key }) => key as Step)); // documents are objects and lists

/** For lists within things of a section: what their items are called, and the fields that may hold an item's name. */
const inner: Readonly<Record<string, readonly [noun: string, ...fields: string[]]>> = {
  "assets.versions": ["version", "version"],
  "deliveries.media": ["medium", "label"],
  "deliveries.submissions": ["submission", "title"],
  "deliveries.submissions.media": ["medium", "label"],
  "approvals.steps": ["step of", "person"],
  "cost_reports.lines": ["account", "account"],
  "storage.files": ["file", "path"],
  "storage.moves": ["move of", "src"],
};
const titleFields = (list: string): readonly [noun?: string, ...fields: string[]] =>
  isSection(list) ? sections[list].called : (inner[list] ?? []);

const maxOfName = 60;

/** A name within a sentence: one line, and not all of a long one. */
function shown(name: string): string {
  const line = name.replace(/[\s\p{C}]+/gu, " ").trim();
  return line.length > maxOfName ? `${line.slice(0, maxOfName).toWellFormed()}…` : line;
}

/** Returns " (scene 5A)", or an empty text if the thing has no readable name. */
function nameAt(list: string, item: unknown): string {
  const [noun, ...fields] = titleFields(list);
  if (noun === undefined) return "";
  const own = (field: string): unknown => (isRecord(item) ? item[field] : undefined);
  const name =
    (list === "scenes" ? nameOf("scene", item) : undefined) ??
    (list === "schedule" && isRecord(item) ? keyOf("schedule", item) : undefined) ??
    [item, ...fields.map(own)].find((value) => typeof value === "string" || typeof value === "number");
  const text = shown(String(name ?? ""));
  return text === "" ? "" : ` (${noun} ${text})`;
}

const listStep = /\.?(\w+)\[(\d+)\]/y;

/** A place in parts, each up to a thing of a list and with that thing's name; the last part may be the rest. */
function partsOf(document: unknown, place: string): string[] {
  const parts: string[] = [];
  let list = "";
  let value: unknown = document;
  let end = 0;
  listStep.lastIndex = 0;
  for (let step = listStep.exec(place); step !== null; step = listStep.exec(place)) {
    const [, key = "", index = ""] = step;
    end = listStep.lastIndex;
    list = list === "" ? key : `${list}.${key}`;
    const items = isRecord(value) ? value[key] : undefined;
    value = Array.isArray(items) ? items[Number(index)] : undefined;
    parts.push(`${key}[${index}]${nameAt(list, value)}`);
  }
  if (end < place.length) parts.push(place.slice(place[end] === "." ? end + 1 : end));
  return parts;
}

/** A place with the names of the things on the way to it. */
const namedPlace = (document: unknown, place: string): string => partsOf(document, place).join(".");

/** The name of the thing of a list that a place is in, as "scene 5A"; undefined if it has none. */
function nameOfPlace(document: unknown, place: string): string | undefined {
  const part = partsOf(document, place).findLast((one) => one.endsWith(")"));
  return part?.replace(/^[^(]*\(|\)$/g, "");
}

/** What a sentence calls the thing that a place is in: "scene 5A"; the place if that has no name. */
export const thingAt = (document: unknown, place: string): string => nameOfPlace(document, place) ?? place;

/** The thing of a list that a place ends in, for a sentence about something in the same list. */
export const namedThing = (document: unknown, place: string): string => partsOf(document, place).at(-1) ?? place;

export interface PlacedProblem {
  place: string;
  sentence: string;
  /** Why the thing at the place cannot be removed. */
  reason?: string | undefined;
  /** How often the same was found after that, and not kept. */
  again?: number;
}

/** What a problem says, whatever thing of a list it is about: what has the same key is the same mistake. */
export const mistakeOf = (place: string, sentence: string): string => `${place.replace(/\[\d+\]/g, "[]")}\n${sentence}`;

const maxKept = 200;
const printable = (text: string): string => text.replace(/\p{Cc}/gu, " ");

export class Problems {
  readonly #found: PlacedProblem[] = [];
  readonly #byPlace = new Map<string, Set<string>>();
  /** The first problem of each mistake. */
  readonly #mistakes = new Map<string, PlacedProblem>();
  #more = 0;

  /**
   * Adds what is wrong at a place; a problem that is there already is not added again. `again`: how often the same was
   * not kept.
   */
  add(place: string, sentence: string, reason?: string, again = 0): void {
    const known = this.#byPlace.get(place);
    if (known?.has(sentence)) return;
    const first = this.#mistakes.get(mistakeOf(place, sentence));
    if (this.#found.length === maxKept) {
      this.#more++;
      if (first !== undefined) first.again = (first.again ?? 0) + 1;
      return;
    }
    if (known === undefined) this.#byPlace.set(place, new Set([sentence]));
    else known.add(sentence);
    const found = { place, sentence, reason };
    this.#found.push(found);
    const counted: PlacedProblem = first ?? found;
    if (again > 0) counted.again = (counted.again ?? 0) + again;
    if (first === undefined) this.#mistakes.set(mistakeOf(place, sentence), found);
  }

  /** Marks a place whose value is left out because of a problem within it. */
  leaveOut(place: string): void {
    if (!this.#byPlace.has(place)) this.#byPlace.set(place, new Set());
  }

  /** Whether anything is wrong. */
  get any(): boolean {
    return this.#found.length > 0;
  }

  /** How many were found and not kept. If there are any, no value of the document can be relied on. */
  get more(): number {
    return this.#more;
  }

  /** Counts problems that are not kept. */
  addMore(count: number): void {
    this.#more += count;
  }

  /** The same problems, to which others can be added. */
  copy(): Problems {
    const copy = new Problems();
    for (const { place, sentence, reason, again } of this.#found) copy.add(place, sentence, reason, again);
    for (const place of this.#byPlace.keys()) copy.leaveOut(place);
    copy.addMore(this.#more);
    return copy;
  }

  /** What was kept, in the order in which it was found. */
  get list(): readonly PlacedProblem[] {
    return this.#found;
  }

  /** Whether something is wrong at this very place, or its value is left out. */
  has = (place: string): boolean => this.#byPlace.size > 0 && this.#byPlace.has(place);

  /** The problems with the names of their things, sections in the order of `sections`, things by their index. */
  described(document: unknown, sections: readonly string[]) {
    const rank = new Map(sections.map((section, at) => [section, at]));
    const orderOf = (place: string): [section: number, at: number] => {
      const [, section = "", at = "-1"] = /^(\w*)(?:\[(\d+)\])?/.exec(place) ?? [];
      return [rank.get(section) ?? sections.length, Number(at)];
    };
    return this.#found
      .map((problem) => ({ ...problem, order: orderOf(problem.place) }))
      .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1])
      .map(({ place, sentence, reason, again }) => ({
        ...(again !== undefined && { again }),
        ...(reason !== undefined && { reason: printable(reason) }),
        place: printable(place),
        name: nameOfPlace(document, place),
        message: printable(sentence),
        sentence: printable(`${place === "" ? "the document" : namedPlace(document, place)} ${sentence}`),
      }));
  }
}
