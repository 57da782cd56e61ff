// The importers of lists, by extension.
import type { ListImporter } from "../paperwork/importers.ts";
import { guessKind, readAsEach } from "./kind_guess.ts";
import { listOfKind } from "./lists.ts";

/** A table of cells. For a file of a spreadsheet program, the reader says what it must be saved as. */
const cells: ListImporter = {
  kind: "list",
  kindOf: guessKind,
  readAs: readAsEach,
  read: (bytes, { as, ...options }) => listOfKind(as).read(bytes, options),
};

export const importers: Readonly<Record<string, ListImporter>> = {
  ".csv": cells,
  ".tsv": cells,
  ".xlsx": cells,
  ".xls": cells,
  ".ods": cells,
  ".numbers": cells,
};
