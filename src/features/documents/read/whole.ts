// Whole documents: each makes a production.
import { type NewProduction, newProduction } from "../changes/creating.ts";
import type { UpdateInput } from "../update_input.ts";
import { parseDocument, textOf } from "./json.ts";
import { checkedPartial, folderOf } from "./read.ts";
import { asSource } from "./sources.ts";

/** A sound document of a whole production with what it becomes. */
export interface ReadDocument {
  file: string;
  title: string;
  /** What the `file` paths of its media start from. */
  folder: string;
  made: NewProduction;
  /** What else is written in the transaction of the import. */
  beside?: UpdateInput["beside"];
}

export interface Imported {
  production_id: number;
  title: string;
  scenes: number;
  assets: number;
  versions: number;
  media: number;
  /** The number of all written rows. */
  rows: number;
}

/**
 * Reads and checks the document in `file`. Throws CliError: one sentence for a file that is missing, too large,
 * not UTF-8 or not JSON; otherwise a line for each problem with its place and the names of what stands there, such as
 * "scenes[12] (scene 5A).status must be one of …".
 */
export const readDocument = (file: string, text = textOf(file)): ReadDocument =>
  checkedDocument(parseDocument(text, file), file, folderOf(file));

/** A parsed document. Throws CliError with every problem. */
export function checkedDocument(parsed: unknown, file: string, folder: string): ReadDocument {
  const checked = checkedPartial(parsed, folder, true);
  const made = newProduction([asSource({ file, media: new Map(), ...checked })]);
  return { file, folder, made, title: String(made.update.production.next.title) };
}
