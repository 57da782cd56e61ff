// An operation on the rows of a table.
import type { AnySection } from "./layout.ts";
import type { Row } from "./rows.ts";

/** One change: of the cells of a row, of a row that comes or goes (null), or of the rows of a list. */
export interface RowOperation {
  section: AnySection;
  /** The id of the thing. */
  id: number;
  /** The list of the thing to which the row belongs; empty for its own row. */
  field: string;
  table: string;
  key: Row;
  from: Row | Row[] | null;
  to: Row | Row[] | null;
}
