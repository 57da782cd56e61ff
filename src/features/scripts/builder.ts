// Builds a script from the elements that a reader finds, in the order of the file. Both readers use it, so that they
// agree.
import type { Problem } from "../../core/errors.ts";
import { sameName, withCommas } from "../../core/wording.ts";
import { scriptDayOf } from "../names/sluglines.ts";
import { oneLineOf } from "../paperwork/clean_text.ts";
import { refuse } from "../paperwork/findings.ts";
import { missingIn, Tally } from "../paperwork/tally.ts";
import { remembering } from "../sequences/sequences.ts";
import {
  cueText,
  normalized,
  type Paragraph,
  type ParagraphType,
  type Revision,
  type Script,
  type ScriptScene,
  speakerOf,
} from "./script.ts";

const maxSlugline = 500;
const maxNumber = 50;
const maxScenes = 20_000;
const maxWarnings = 100;

export interface Heading {
  line: number;
  number: string | null;
  slugline: string;
  omitted?: boolean;
  eighths?: number | null;
}

type Gathered = "synopsis" | "paragraphs" | "characters" | "tags";

/** A scene while it is being read. */
interface OpenScene extends Omit<ScriptScene, Gathered> {
  synopsis: string[];
  paragraphs: Paragraph[];
  /** By the form of the name, which is unique. */
  characters: Map<string, string>;
  tags: Map<string, Set<string>>;
}

/** The tag category whose labels are the synopsis of a scene that has no other. */
export const synopsisCategory = "Synopsis";

const closed = (scene: OpenScene): ScriptScene => ({
  ...scene,
  synopsis: scene.synopsis.join(" ") || [...(scene.tags.get(synopsisCategory) ?? [])].join(" ") || null,
  characters: [...scene.characters.values()],
  tags: new Map([...scene.tags].map(([category, labels]) => [category, [...labels]])),
});

/** The names of what readers of scripts count. */
export const kinds = { heading: "scene heading", text: "line of text", cue: "cue", tag: "tag" } as const;

export class ScriptBuilder {
  readonly tally = new Tally();
  readonly #scenes: OpenScene[] = [];
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  /** How each character was first printed, by the form of its name. */
  readonly #names = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  #preamble: number | undefined;
  /** Lines of text: in scenes, and before the first of them. */
  #takenLines = 0;
  #namedLines = 0;
  #takenCues = 0;
  /** A script has few speakers, and each cue many times. */
  readonly #cueOf = remembering((text) => ({ kept: cueText(text), speaker: speakerOf(text) }));
  #namedCues = 0;
  /** How many warnings there are beyond those that are said. */
  #unsaid = 0;

  /** The scene that text now belongs to; undefined before the first heading. */
  get #scene(): OpenScene | undefined {
    return this.#scenes.at(-1);
  }

  /** Whether a scene is open, to which text belongs. */
  get hasScene(): boolean {
    return this.#scene !== undefined;
  }

  warn(line: number, sentence: string): void {
    if (this.#warnings.length < maxWarnings) this.#warnings.push({ line, sentence });
    else this.#unsaid++;
  }

  /** Warns about `count` things of a kind that were seen and are not read as such. */
  name(kind: string, line: number, sentence: string, count = 1): void {
    this.tally.named(kind, count);
    this.warn(line, sentence);
  }

  #problem(line: number, sentence: string): void {
    this.#problems.push({ line, sentence });
  }

  /** Opens a scene. Throws FormatError if there are more than any script has. */
  heading({ line, number, slugline, omitted = false, eighths = null }: Heading): void {
    if (this.#scenes.length === maxScenes)
      refuse(`there are more than ${withCommas(maxScenes)} scenes in the file`, { line });
    const printed = normalized(slugline).toUpperCase();
    const own = oneLineOf(number ?? "") || null;
    this.#checkHeading(line, own, printed);
    this.#scenes.push({
      number: own,
      line,
      slugline: printed,
      synopsis: [],
      omitted,
      paragraphs: [],
      characters: new Map(),
      eighths,
      script_day: scriptDayOf(printed),
      tags: new Map(),
      revision: null,
    });
  }

  /** Adds printed text, of `lines` lines, to the current scene. Text before the first heading belongs to none. */
  paragraph(type: ParagraphType, text: string, line: number, lines = 1): void {
    const scene = this.#scene;
    const cue = type === "character" ? this.#cueOf(text) : undefined;
    const kept = cue?.kept ?? normalized(text);
    if (scene === undefined) {
      this.#beforeScenes(type, kept, line, lines);
      return;
    }
    this.#takenLines += lines;
    if (cue !== undefined) this.#speak(scene, cue.speaker, line);
    if (kept !== "" || type === "dual")
      scene.paragraphs.push({ type, text: type === "transition" ? kept.toUpperCase() : kept });
  }

  #beforeScenes(type: ParagraphType, text: string, line: number, lines: number): void {
    if (type === "character") this.#namedCues++;
    if (type === "transition" || /^FADE\b/i.test(text)) this.#takenLines += lines;
    else {
      if (text !== "") this.#preamble ??= line;
      this.#namedLines += lines;
    }
  }

  synopsis(text: string): void {
    const kept = oneLineOf(text);
    if (kept !== "") this.#scene?.synopsis.push(kept);
  }

  /** Adds a label to a tag category of the current scene. */
  tag(category: string, label: string): void {
    const scene = this.#scene;
    if (scene === undefined) return;
    const labels = scene.tags.get(category) ?? new Set();
    scene.tags.set(category, labels.add(label));
    if (labels.size === 1 && category === "Script Day") scene.script_day = label.replace(/^\((.*)\)$/, "$1");
  }

  revise(revision: Revision): void {
    const scene = this.#scene;
    if (scene !== undefined && (scene.revision === null || scene.revision.id < revision.id)) scene.revision = revision;
  }

  finish({
    title,
    title_page = new Map(),
    color,
  }: Pick<Script, "title" | "color"> & Partial<Pick<Script, "title_page">>): Script {
    if (this.#preamble !== undefined && this.#scenes.length > 0)
      this.warn(this.#preamble, "the text before the first scene heading belongs to no scene and is ignored");
    const { counts } = this.#counted();
    for (const sentence of missingIn(counts)) this.#warnings.push({ sentence });
    if (this.#unsaid > 0)
      this.#warnings.push({ sentence: `there are ${withCommas(this.#unsaid)} more warnings, which are not listed` });
    if (this.#scenes.length === 0) this.#problems.push({ sentence: "there is no scene heading in the file" });
    return {
      title: title === null ? null : normalized(title) || null,
      title_page,
      color,
      scenes: this.#scenes.map(closed),
      problems: this.#problems,
      warnings: this.#warnings,
      counts,
    };
  }

  /** With the counts of what is in the scenes; the readers count what they see. */
  #counted(): Tally {
    const { tally } = this;
    tally.took(kinds.heading, this.#scenes.length);
    tally.took(kinds.text, this.#takenLines);
    tally.named(kinds.text, this.#namedLines);
    tally.took(kinds.cue, this.#takenCues);
    tally.named(kinds.cue, this.#namedCues);
    return tally;
  }

  #checkHeading(line: number, number: string | null, slugline: string): void {
    if (slugline.length > maxSlugline)
      this.#problem(line, `this scene heading is longer than ${maxSlugline} characters`);
    if (number === null) return;
    const first = this.#numbers.get(number);
    if (first !== undefined) this.#problem(line, `scene number ${number} appears twice, first on line ${first}`);
    else if (number.length > maxNumber) this.#problem(line, `this scene number is longer than ${maxNumber} characters`);
    else this.#numbers.set(number, line);
  }

  #speak(scene: OpenScene, speaker: string | undefined, line: number): void {
    if (speaker === undefined) {
      this.#namedCues++;
      this.warn(line, "this cue names no character");
      return;
    }
    this.#takenCues++;
    const key = sameName(speaker);
    const name = this.#names.get(key) ?? speaker;
    this.#names.set(key, name);
    if (!scene.characters.has(key)) scene.characters.set(key, name);
  }
}
