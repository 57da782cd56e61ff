// Holds the documents that update a production, each with its problems.
import type { SectionName } from "./changes.ts";
import type { KeptValues } from "./kept.ts";
import type { PartialDocument, Raw } from "./partial_schema.ts";
import type { Problems } from "./problems.ts";
import { keyOf, kindOf } from "./sections.ts";
import type { Restored } from "./undo.ts";

export interface Source {
  /** The name of the file, for problems. */
  file: string;
  document: PartialDocument;
  problems: Problems;
  /** What it says in vain. */
  kept: KeptValues;
  /**
   * A reader of paperwork made it: the elements of a scene are set one by one, those that the document does not have stay, and each
   * `was` names something stored.
   */
  is_paperwork: boolean;
  /** Its list of scenes is in the order of the script. */
  orders_scenes: boolean;
  /** What an undo does to the things, which it names by their ids. Undefined for every other document. */
  restored: ReadonlyMap<Raw, Restored> | undefined;
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
