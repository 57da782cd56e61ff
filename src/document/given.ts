// Holds the documents that update a production, each with its problems.
import type { SectionName } from "./changes.ts";
import type { PartialDocument, Raw } from "./partial_schema.ts";
import type { Problems } from "./problems.ts";

export interface Source {
  /** The name of the file, for problems. */
  file: string;
  document: PartialDocument;
  problems: Problems;
  /**
   * A reader of paperwork made it: the elements of a scene are set one by one, those that the document does not have stay, and each
   * `was` names something stored.
   */
  is_paperwork: boolean;
  /** Its list of scenes is in the order of the script. */
  orders_scenes: boolean;
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
