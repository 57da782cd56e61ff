// What a strip shows of a scene: interior or exterior, the time of day, pages in eighths, and cast. Scripts that were
// imported with their elements say it there; otherwise the slugline does.
import { withCommas } from "../../core/wording.ts";
import { formatEighths, parseEighths } from "../names/page_lengths.ts";
import { parseSlugline, textsIn } from "../names/sluglines.ts";
import { html, type Markup } from "./html.ts";

/** The number of a scene, with its episode on an episodic production. */
export const sceneNumber = ({ number, episode_code }: { number: string; episode_code?: string | undefined }): string =>
  episode_code === undefined ? number : `${episode_code}/${number}`;

export interface SceneFacts {
  /** INT, EXT, INT/EXT, or empty if the slugline does not say. */
  place: string;
  /** The set: the slugline without place and time. */
  set: string;
  /** Such as DAY or NIGHT; empty if unknown. */
  time: string;
  /** The colour of the strip on a board. */
  colour: "int-day" | "int-night" | "ext-day" | "ext-night" | "none";
  /** In eighths of a page; undefined if unknown. */
  eighths: number | undefined;
  cast: readonly string[];
}

interface SceneText {
  slugline: string;
  elements: Readonly<Record<string, unknown>>;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** The pages of a scene in eighths; undefined if they are not written in them. */
export const eighthsOf = (pages: unknown): number | undefined => parseEighths(String(pages ?? ""));

function placeOf(written: string): string {
  const plain = written.toUpperCase().replace(/[.\s]/g, "");
  return /^(?:INT\/EXT|EXT\/INT|I\/E)$/.test(plain) ? "INT/EXT" : plain === "EST" ? "EXT" : plain;
}

function colourOf(place: string, time: string): SceneFacts["colour"] {
  if (place === "") return "none";
  const night = /NIGHT|EVENING|DUSK|MIDNIGHT/i.test(time);
  return `${place.startsWith("EXT") ? "ext" : "int"}-${night ? "night" : "day"}`;
}

export function sceneFactsOf({ slugline, elements }: SceneText): SceneFacts {
  const written = parseSlugline(slugline);
  const place = placeOf(textOf(elements.int_ext) || (written.int_ext ?? ""));
  const time = textOf(elements.time_of_day) || textOf(elements.day_night) || (written.time_of_day ?? "");
  return {
    place,
    set: textOf(elements.set) || written.set || slugline,
    time,
    colour: colourOf(place, time),
    eighths: eighthsOf(elements.pages),
    cast: textsIn(elements.cast),
  };
}

/** The length of the scenes that are not omitted, in eighths. */
const eighthsIn = (scenes: readonly (SceneText & { status: string })[]): number =>
  scenes
    .filter(({ status }) => status !== "omitted")
    .reduce((sum, { elements }) => sum + (eighthsOf(elements.pages) ?? 0), 0);

const pageWord = (eighths: number): string => (eighths === 8 ? "page" : "pages");

/** The length of the scenes that are not omitted: "2 1/8 pages"; empty if none has one. */
export function pagesIn(scenes: readonly (SceneText & { status: string })[]): string {
  const eighths = eighthsIn(scenes);
  return eighths === 0 ? "" : `${formatEighths(eighths)} ${pageWord(eighths)}`;
}

/** The same in few letters, for the strips of a day: "3 sc, 5 6/8 pg". */
export function stripSum(scenes: readonly (SceneText & { status: string })[]): string {
  const eighths = eighthsIn(scenes);
  const count = scenes.filter(({ status }) => status !== "omitted").length;
  return `${count} sc${eighths > 0 ? `, ${formatEighths(eighths)} pg` : ""}`;
}

/** How many scenes are not omitted, and how long they are: "4 scenes, 9 2/8 pages", and what follows. */
export function countedScenes(scenes: readonly (SceneText & { status: string })[], more = ""): Markup {
  const [count, eighths] = [scenes.filter(({ status }) => status !== "omitted").length, eighthsIn(scenes)];
  return html`<span><b>${withCommas(count)}</b> ${count === 1 ? "scene" : "scenes"}${eighths > 0 && html`, <b>${formatEighths(eighths)}</b> ${pageWord(eighths)}`}${more}</span>`;
}

/** The elements that strips do not show, as pairs of a heading and text. */
export function furtherElements(elements: Readonly<Record<string, unknown>>): [name: string, text: string][] {
  const shown = new Set(["cast", "pages", "int_ext", "set", "time_of_day", "day_night", "pages_estimated"]);
  const textOfValue = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(textOfValue).join(", ");
    if (typeof value === "object" && value !== null)
      return Object.entries(value)
        .map(([name, part]) => `${textOfValue(part)} ${name}`)
        .join(", ");
    return value === true ? "yes" : String(value);
  };
  return Object.entries(elements)
    .filter(([name, value]) => !shown.has(name) && value !== null)
    .map(([name, value]) => [name.replaceAll("_", " "), textOfValue(value)]);
}

/** The line of place, time, pages and cast. */
export const factsLine = ({ place, time, eighths, cast }: SceneFacts): Markup =>
  html`<span class="row">${
    place !== "" && html`<span>${place}</span>`
  }${time !== "" && html`<span>${time}</span>`}${eighths !== undefined && html`<span>${formatEighths(eighths)} pg</span>`}${
    cast.length > 0 && html`<span>${cast.join(", ")}</span>`
  }</span>`;
