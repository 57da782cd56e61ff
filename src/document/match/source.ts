// Holds the documents that update a production, each with its problems, and the things that they name.
import type { StoredItem } from "../nouns/stored.ts";
import type { GivenDocument } from "../read/read.ts";
import type { Raw } from "../sections/form.ts";
import { keyOf, kindOf, type SectionName } from "../sections/sections.ts";

/** How many things a warning lists. */
const named = 5;

export class KeptValues {
  readonly #things = new Map<string, Set<string>>();

  /** `sentence` says what stays, and which command changes it. */
  add(thing: string, sentence: string): void {
    const things = this.#things.get(sentence);
    if (things === undefined) this.#things.set(sentence, new Set([thing]));
    else things.add(thing);
  }

  /** A warning for each sentence, with the things that it is about. */
  get warnings(): string[] {
    return [...this.#things].map(([sentence, things]) => {
      const more = things.size > named ? ` and ${things.size - named} more` : "";
      return `${[...things].slice(0, named).join(", ")}${more}: ${sentence}`;
    });
  }
}

/** A document with problems of its own in one comparison. */
export interface Source extends Omit<GivenDocument, "media" | "unreadable"> {
  /** What it says in vain. */
  kept: KeptValues;
}

/** Where a document names a thing. */
export interface Place {
  source: Source;
  section: SectionName;
  at: number;
}

export const givenAt = ({ source, section, at }: Place): Raw => source.document[section]?.[at] as Raw;

/** Reports a problem of the thing at a place, or of a field of it: ".number", ".steps[1]". */
export function report({ source, section, at }: Place, sentence: string, field = ""): void {
  source.problems.add(`${section}[${at}]${field}`, sentence);
}

/** Warns that the update leaves something of the thing at a place as it is. */
export function warnKept(place: Place, sentence: string, thing = thingAt(place)): void {
  place.source.kept.add(thing, sentence);
}

/** What a sentence calls the thing at a place. */
export const thingAt = (place: Place): string =>
  `${kindOf(place.section)} "${keyOf(place.section, givenAt(place)) ?? place.at}"`;

/** What the undo of one change needs beside the change. */
export interface Former {
  /** The thing that was removed, as it was. */
  item?: Raw;
  /** The scene before it in the former script order; 0 if it was the first. */
  after?: number;
  /** The former position of an episode. */
  position?: number;
}

/** What an undo does to a thing. */
export interface Restored extends Former {
  id: number;
  action: "add" | "change" | "remove";
}

/** A thing of the production that is stored or that a document adds. */
export interface Slot {
  stored: StoredItem | undefined;
  /** As it is stored, with the new names of what it refers to. Undefined if it is not stored. */
  before: Raw | undefined;
  /** As it will be. */
  item: Raw;
  /** Where the documents name it, the last one last. */
  given: Place[];
  /** It will be removed. */
  gone: boolean;
  /** The former id of a thing that comes back. */
  id?: number;
  /** The scene after which an undo places a scene; 0 for the first place. */
  after?: number | undefined;
  /** The stored order; of an added thing it is set once the order of the section is known. */
  order: number | undefined;
}

export interface MergeOptions {
  /** What a document does not say takes its default. */
  exact: boolean;
  /** The time of the update. */
  now: string;
}

/** The input for the update of one thing. */
export interface Merging<T = Raw> {
  place: Place;
  given: T;
  /** The thing as it is stored, with the new names of what it refers to. */
  before: T;
  options: MergeOptions;
}
