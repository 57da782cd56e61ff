// Where the things of a section are kept: their tables, and those of the items of their lists. Which column has a field
// follows from its name and its form.
import type { MediaOwner } from "../../../graph/media_rows.ts";

export type MediaOwnerColumn = keyof MediaOwner;

/** Where things of a kind are kept, or the items of one of their lists. */
export interface Tables<F extends string = string> {
  table: string;
  /** A second table with the rest of their columns, and its column with their ids. */
  rest?: { table: string; key: string };
  /** Which rows of the table they are, where it has others too. */
  where?: string;
  /** The columns by which they are read in order; by default their ids. */
  order?: string;
  /** The lists of them that are kept in rows of their own. */
  parts?: { readonly [_ in F]?: ListTables };
  /** The column of media with the ids of those that they belong to. */
  media?: MediaOwnerColumn;
}

export interface ListTables extends Tables {
  /** The column with the id of the thing. */
  of: string;
  /**
   * How its rows change: a `list` has positions and is replaced as one, the pairs of a `set` come and go one by one,
   * and `rows` have ids of their own.
   */
  kind: "list" | "set" | "rows";
  /** In `rows`, the field by which an item is known again; by default its place, because items are only added. */
  by?: string;
  /** In `rows`, the field that names an earlier item by its number in the list; the column of its name has the id. */
  earlier?: string;
  /** In a list of references, the column with the id that one has, if it is not called after what it refers to. */
  to?: string;
  /** In a list of lists, the column with the number of the list. */
  round?: string;
  /** The list is added to, and a document may have less than what is stored. */
  recorded?: true;
}

/** The links between nodes are in the table for the scenes and for the costumes of characters. */
export const nodeLinks: ListTables = {
  table: "node_links",
  kind: "set",
  of: "from_node_id",
  to: "to_node_id",
  order: "from_node_id, to_node_id",
};

/** The tables beside the first one. */
export function furtherTables({ rest, parts = {}, media }: Partial<Tables>): string[] {
  const all = Object.values(parts).flatMap((part) => (part === undefined ? [] : [part.table, ...furtherTables(part)]));
  return [...new Set([...(rest === undefined ? [] : [rest.table]), ...all, ...(media === undefined ? [] : ["media"])])];
}
