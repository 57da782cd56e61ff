// Writes parts of a production document as CSV. Importing that CSV changes nothing.
import type { ProductionDocument } from "../document/schema.ts";
import type { ListKind } from "../inputs.ts";
import { csvText } from "./csv_cell.ts";
import { allLists, listOfKind } from "./lists.ts";

export const exportKinds: readonly ListKind[] = allLists.flatMap(({ kind, table }) =>
  table === undefined ? [] : kind,
);

/** UTF-8 with a byte order mark, because Excel otherwise reads the file as Windows-1252. */
export const writeList = (kind: ListKind, document: ProductionDocument): string =>
  `\ufeff${csvText(listOfKind(kind).table?.(document) ?? [])}`;
